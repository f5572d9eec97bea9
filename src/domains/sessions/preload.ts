/** Which bodies go into the stable prefix so that a prompt cache takes it. Pure. */
import type { Preload } from './schema.ts';

export interface PreloadCandidate {
  readonly name: string;
  readonly body: string;
}

/** Whole bodies in order of name until the floor is reached; one that would break the ceiling is passed over. */
export function choosePreloads<Candidate extends PreloadCandidate>(
  candidates: Iterable<Candidate>,
  preload: Preload,
  {
    catalogTokens,
    estimate,
  }: { readonly catalogTokens: number; readonly estimate: (text: string) => number },
): readonly Candidate[] {
  const chosen: Candidate[] = [];
  let total = preload.prefix_tokens + catalogTokens;
  for (const candidate of candidates) {
    if (total >= preload.floor) break;
    const cost = estimate(preloadedBody(candidate));
    if (total + cost > preload.ceiling) continue;
    chosen.push(candidate);
    total += cost;
  }
  return chosen;
}

export function preloadedBody({ name, body }: PreloadCandidate): string {
  return `### Skill: ${name}\n\n${body.trimEnd()}\n`;
}

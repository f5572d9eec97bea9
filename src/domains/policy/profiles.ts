/** The profiles that come with Colibri. They mean the same everywhere, so a file cannot give their names to others. */
import type { Policy, Profile } from './rule.ts';

/** A profile that answers everything with yes; it is never in force unless somebody named it. */
const FULL_AUTO = 'full-auto';

const ANYTHING = { kind: 'any' } as const;

/** Tools that look and change nothing, of common hosts and of Colibri. */
const LOOKING: readonly string[] = [
  'Read',
  'Glob',
  'Grep',
  'LS',
  'skill_list',
  'skill_search',
  'skill_get',
  'skill_match',
  'skill_load',
  'skill_read',
  'skill_reload',
  'session_*',
];

export const EMBEDDED_PROFILES: Readonly<Record<string, Profile>> = {
  // No rule matches, so that every call asks.
  default: { rules: [] },
  'read-only': {
    rules: [
      ...LOOKING.map(
        (tool) => ({ effect: 'allow', tool: { text: tool, tool, argument: ANYTHING } }) as const,
      ),
      {
        effect: 'deny',
        tool: { text: '*', tool: '*', argument: ANYTHING },
        reason: 'the read-only profile allows looking only',
      },
    ],
  },
  [FULL_AUTO]: { rules: [{ effect: 'allow', tool: { text: '*', tool: '*', argument: ANYTHING } }] },
};

/** Whether the profile in force allows everything that no earlier rule speaks of, whatever its name is. */
export function isWide({ profiles, use }: Policy): boolean {
  return (profiles[use]?.rules ?? []).some(
    ({ effect, tool, skill, root }) =>
      effect === 'allow' &&
      /^\*+$/.test(tool.tool) &&
      tool.argument.kind === 'any' &&
      skill === undefined &&
      root === undefined,
  );
}

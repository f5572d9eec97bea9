/** Who looks at the skills, and what they see of them. */
import type { PolicyService } from '../policy/service.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { SkillsService } from '../skills/service.ts';
import { type SessionOptions, type SessionState, sessionOptions } from './schema.ts';
import type { CatalogParts } from './session-catalog.ts';
import type { Switches } from './switches.ts';
import type { SessionView, ViewSettings } from './view.ts';

export interface ViewerParts {
  readonly skills: SkillsService;
  readonly view: ViewSettings;
  /** What is switched off, for whoever names a profile or none. */
  readonly switches?: ((profile?: string) => Switches) | undefined;
}

/** The view of somebody who comes now. */
export async function viewNow(
  {
    view,
    policy,
    switches,
  }: Pick<ViewerParts, 'view' | 'switches'> & { readonly policy: Pick<PolicyService, 'marks'> },
  profile?: string,
): Promise<SessionView> {
  const trust = await policy.marks();
  return switches === undefined ? { ...view, trust } : { ...view, trust, switches: switches(profile) };
}

/** What decides on what may be seen. */
export type Looking = Pick<SessionState, 'generation' | 'options'>;

/** Somebody without a session, now. */
export async function loneViewer(
  parts: ViewerParts & { readonly policy: Pick<PolicyService, 'marks'> },
  tier: AgentTier,
): Promise<Looking> {
  const options = { ...sessionOptions({}, tier), view: await viewNow(parts) };
  return { generation: parts.skills.generation(), options };
}

/** Sessions from before views were recorded are seen as today's settings say, and marked nowhere. */
export function viewOf({ view }: SessionOptions, { skills, view: settings }: ViewerParts): SessionView {
  const everything = { roots: skills.roots.map(({ display }) => display), skills: [] };
  return view ?? { ...settings, untrusted: 'marked', trust: everything };
}

export function catalogPartsOf(
  { skills }: Pick<ViewerParts, 'skills'>,
  { catalog_fields: fields }: SessionView,
): CatalogParts {
  return { roots: skills.roots.map(({ display }) => display), fields };
}

/** Looks at the skills as an agent would, but without a session: nothing is recorded, counted or remembered. */
import type { PolicyService } from '../policy/service.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { SkillsService } from '../skills/service.ts';
import { runCall, type SessionCall } from './calls.ts';
import type { Catalog, CatalogFormat } from './catalog.ts';
import type { Step, World } from './engine.ts';
import { type SessionRequest, type SessionState, sessionOptions } from './schema.ts';
import { openingSteps, sessionCatalog } from './session-catalog.ts';
import type { Switches } from './switches.ts';
import { taskOptions } from './task-options-service.ts';
import type { ViewSettings } from './view.ts';
import { catalogPartsOf, type Looking, loneViewer, viewNow, viewOf } from './viewer-service.ts';
import { liveWorld, NOT_ASKED, type WorldParts } from './world.ts';

export interface StatelessParts {
  readonly skills: SkillsService;
  readonly view: ViewSettings;
  readonly policy: Pick<PolicyService, 'facts' | 'marks'>;
  /** What is switched off, for whoever names a profile or none. */
  readonly switches: (profile?: string) => Switches;
}

export interface CatalogPreview extends Catalog {
  /** Skills whose whole text is part of it. */
  readonly preloaded: readonly string[];
}

/** What a call would answer somebody of this tier now. */
export async function callWithoutSession(
  parts: StatelessParts,
  call: SessionCall,
  tier: AgentTier,
): Promise<Step> {
  if (call.tool === 'skill_search' || call.tool === 'skill_match') await parts.skills.search.prepare();
  return runCall(call, worldFor(parts, await loneViewer(parts, tier)), null, { callId: '' });
}

/** The catalog that a session opened now would get. */
export async function catalogWithoutSession(
  parts: StatelessParts,
  request: SessionRequest,
  format: CatalogFormat,
): Promise<CatalogPreview> {
  const { skills } = parts;
  const view = await viewNow(parts, request.profile);
  const plain = { ...sessionOptions(request, 'T3'), view };
  const worldOf = (looking: Looking): World => worldFor(parts, looking);
  const options = { ...plain, ...(await taskOptions(skills, worldOf, { plain, task: request.task })) };
  const policy = options.preload === null ? NOT_ASKED : await parts.policy.facts(null, options);
  const state: SessionState = { id: '', generation: skills.generation(), options, loaded: [] };
  const world = worldFor(parts, state, policy);
  const catalogParts = catalogPartsOf(parts, view);
  const loaded = openingSteps(world, state, catalogParts).flatMap((step) => step.loaded ?? []);
  const catalog = sessionCatalog({ ...state, loaded }, world, { ...catalogParts, format });
  return { ...catalog, preloaded: loaded.map(({ name }) => name) };
}

function worldFor(
  parts: StatelessParts,
  { generation, options }: Looking,
  policy: WorldParts['policy'] = NOT_ASKED,
): World {
  return liveWorld({
    policy,
    custom: () => null,
    skills: parts.skills,
    generation,
    pinned: new Map(),
    viewer: { ...options, view: viewOf(options, parts) },
  });
}

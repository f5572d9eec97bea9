/** Looks at the skills as an agent would, but without a session: nothing is recorded, counted or remembered. */
import type { PolicyService } from '../policy/service.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { SkillsService } from '../skills/service.ts';
import type { SnapshotSkill } from '../skills/snapshot.ts';
import { runCall, type SessionCall } from './calls.ts';
import type { Catalog, CatalogFormat } from './catalog.ts';
import type { Step, World } from './engine.ts';
import { type SessionRequest, type SessionState, sessionOptions } from './schema.ts';
import { catalogPartsOf } from './service.ts';
import { preloadSteps, sessionCatalog } from './session-catalog.ts';
import { catalogFacts, isVisible, type VisibilityRules } from './visibility.ts';
import { liveWorld, NOT_ASKED, type WorldParts } from './world.ts';

export interface StatelessParts {
  readonly skills: SkillsService;
  readonly tiers: VisibilityRules['tiers'];
  readonly catalogFields: readonly string[];
  readonly policy: Pick<PolicyService, 'facts'>;
}

export interface CatalogPreview extends Catalog {
  /** Skills whose whole text is part of it. */
  readonly preloaded: readonly string[];
}

/** What a call would answer somebody of this tier now. */
export function callWithoutSession(
  parts: Omit<StatelessParts, 'policy'>,
  call: SessionCall,
  tier: AgentTier,
): Step {
  return runCall(call, worldFor(parts, tier), null, { callId: '' });
}

/** The catalog that a session opened now would get. */
export async function catalogWithoutSession(
  parts: StatelessParts,
  request: SessionRequest,
  format: CatalogFormat,
): Promise<CatalogPreview> {
  const { skills, catalogFields } = parts;
  const options = sessionOptions(request, 'T3');
  const policy = options.preload === null ? NOT_ASKED : await parts.policy.facts(null, options);
  const world = worldFor(parts, options.agent_tier, policy);
  const facts = (skill: SnapshotSkill) => catalogFacts(skill, catalogFields);
  const catalogParts = catalogPartsOf({ skills, facts });
  const loaded = preloadSteps(world, options, catalogParts).flatMap((step) => step.loaded ?? []);
  const state: SessionState = { id: '', generation: skills.generation(), options, loaded };
  const catalog = sessionCatalog(state, world, { ...catalogParts, format });
  return { ...catalog, preloaded: loaded.map(({ name }) => name) };
}

function worldFor(
  { skills, tiers }: Pick<StatelessParts, 'skills' | 'tiers'>,
  tier: AgentTier,
  policy: WorldParts['policy'] = NOT_ASKED,
): World {
  return liveWorld({
    policy,
    custom: () => null,
    skills,
    generation: skills.generation(),
    pinned: new Map(),
    isVisible: (skill) => isVisible(skill, { agent_tier: tier }, { tiers }),
  });
}

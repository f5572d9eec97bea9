/** Looks at the skills as an agent would, but without a session: nothing is recorded, counted or remembered. */
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
import { liveWorld } from './world.ts';

export interface StatelessParts {
  readonly skills: SkillsService;
  readonly tiers: VisibilityRules['tiers'];
  readonly catalogFields: readonly string[];
}

export interface CatalogPreview extends Catalog {
  /** Skills whose whole text is part of it. */
  readonly preloaded: readonly string[];
}

/** What a call would answer somebody of this tier now. */
export function callWithoutSession(parts: StatelessParts, call: SessionCall, tier: AgentTier): Step {
  return runCall(call, worldFor(parts, tier), null, { callId: '' });
}

/** The catalog that a session opened now would get. */
export function catalogWithoutSession(
  parts: StatelessParts,
  request: SessionRequest,
  format: CatalogFormat,
): CatalogPreview {
  const { skills, catalogFields } = parts;
  const options = sessionOptions(request, 'T3');
  const world = worldFor(parts, options.agent_tier);
  const facts = (skill: SnapshotSkill) => catalogFacts(skill, catalogFields);
  const catalogParts = catalogPartsOf({ skills, facts });
  const loaded = preloadSteps(world, options, catalogParts).flatMap((step) => step.loaded ?? []);
  const state: SessionState = { id: '', generation: skills.generation(), options, loaded };
  const catalog = sessionCatalog(state, world, { ...catalogParts, format });
  return { ...catalog, preloaded: loaded.map(({ name }) => name) };
}

function worldFor({ skills, tiers }: StatelessParts, tier: AgentTier): World {
  return liveWorld({
    skills,
    generation: skills.generation(),
    pinned: new Map(),
    isVisible: (skill) => isVisible(skill, { agent_tier: tier }, { tiers }),
  });
}

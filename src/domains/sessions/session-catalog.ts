/** A session's catalog text, and the bodies that go into it. Pure: everything it looks at is handed in. */
import { sha256Hex } from '../../lib/digest.ts';
import type { SnapshotSkill } from '../skills/snapshot.ts';
import {
  type Catalog,
  type CatalogEntry,
  type CatalogFormat,
  estimateTokens,
  renderCatalog,
} from './catalog.ts';
import { load, type Step, type World } from './engine.ts';
import { choosePreloads, type PreloadCandidate, preloadedBody } from './preload.ts';
import type { SessionOptions, SessionState } from './schema.ts';
import { autoLoad } from './search.ts';
import { catalogFacts } from './view.ts';

export interface CatalogParts {
  /** The configured roots as displayed, highest precedence first. */
  readonly roots: readonly string[];
  /** More facts of each skill for its line. */
  readonly fields: readonly string[];
}

/** What a session that opens is given of its own accord: preloaded bodies, and the skill that its task calls for. */
export function openingSteps(world: World, session: SessionState, parts: CatalogParts): readonly Step[] {
  const steps = preloadSteps(world, session.options, parts);
  const loaded = steps.flatMap((step) => step.loaded ?? []);
  const { auto_load, task } = session.options;
  const winner = auto_load === true ? task?.winner : null;
  if (winner === null || winner === undefined) return steps;
  const step = autoLoad(world, { ...session, loaded }, { name: winner, toolUseId: null });
  return step === null ? steps : [...steps, step];
}

/** One load per body that goes into the stable prefix. */
function preloadSteps(world: World, options: SessionOptions, parts: CatalogParts): readonly Step[] {
  if (options.preload === null) return [];
  const visible = world.skills();
  const entries = entriesOf(world, new Set(), { ...parts, ranked: options.task?.ranked });
  const { text } = renderCatalog(entries, {
    tokens: options.budget.catalog_tokens,
  });
  const chosen = choosePreloads(bodiesOf(world, visible), options.preload, {
    catalogTokens: estimateTokens(text),
    estimate: estimateTokens,
  });
  return chosen.map(({ name }) => load(world, null, { name, reason: 'always', toolUseId: null }));
}

/** Bodies one by one: most prefixes are full after a few. */
function* bodiesOf(world: World, visible: readonly SnapshotSkill[]): Iterable<PreloadCandidate> {
  for (const { name } of visible) {
    const skill = world.skill(name);
    // Text that nobody vouched for must not stand where the user's own instructions stand.
    if (skill !== null && world.policy(skill).trusted) yield skill;
  }
}

export interface CatalogRequest extends CatalogParts {
  readonly format: CatalogFormat;
}

export function sessionCatalog(session: SessionState, world: World, request: CatalogRequest): Catalog {
  const bodies = preloaded(session, world);
  const ranked = session.options.task?.ranked;
  const entries = entriesOf(world, new Set(bodies.map(({ name }) => name)), { ...request, ranked });
  const { catalog_tokens: tokens } = session.options.budget;
  const catalog = renderCatalog(entries, { tokens, format: request.format });
  return { ...catalog, text: [catalog.text, ...bodies.map(preloadedBody)].join('\n') };
}

/** Bodies that came with the opening and are still what the catalog holds; after a refresh some may be others or gone. */
function preloaded({ loaded, options }: SessionState, world: World): readonly PreloadCandidate[] {
  return loaded.flatMap(({ name, reason, body }) => {
    const isOpening = reason === 'always' || (reason === 'auto_suggested' && name === options.task?.winner);
    const skill = isOpening ? world.skill(name) : null;
    return skill !== null && sha256Hex(skill.body) === body ? [skill] : [];
  });
}

function entriesOf(
  world: World,
  inlined: ReadonlySet<string>,
  { roots, fields, ranked = [] }: CatalogParts & { readonly ranked?: readonly string[] | undefined },
): readonly CatalogEntry[] {
  const ranks = new Map(ranked.map((name, rank) => [name, rank]));
  const order = new Map(roots.map((root, position) => [root, position]));
  return world.skills().map((skill) => ({
    name: skill.name,
    description: skill.description,
    location: skill.path,
    precedence: order.get(skill.root) ?? roots.length,
    facts: catalogFacts(skill, fields),
    preloaded: inlined.has(skill.name),
    untrusted: !world.isTrusted(skill),
    ...rankOf(ranks.get(skill.name)),
  }));
}

function rankOf(rank: number | undefined): Pick<CatalogEntry, 'rank'> {
  return rank === undefined ? {} : { rank };
}

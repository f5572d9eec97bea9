import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

import type { Catalog, SkillLine } from '../../api/contract.ts';
import { type Loaded, useData } from '../../api/use-data.ts';
import { addressOf, moveTo, type Place } from '../../router.ts';
import { count, foreign, plural, short } from '../../ui/format.ts';
import { Await, Empty } from '../../ui/states.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { useSkills } from '../skills/use-skills.ts';
import { type Tile, treemap } from './treemap.ts';

/** A treemap of more is no longer one that anybody can read. */
const TILES_MAX = 400;
const MAP = { x: 0, y: 0, width: 1000, height: 440 };
const DEFAULT_TOKENS = 8_000;
const SLIDER_STEPS = 100;
const TOKENS_MIN = 100;
const SETTLE_MS = 80;

export function BudgetView({ place }: { place: Place }): JSX.Element {
  const skills = useSkills();
  return (
    <div class="page">
      <header>
        <h1>Budget</h1>
        <p class="lede">
          What the skills cost in tokens: a line each in every system prompt, the whole text when one is
          loaded.
        </p>
      </header>
      <Await data={skills}>
        {(all) => (all.length === 0 ? <NoCost /> : <Costs all={all} place={place} />)}
      </Await>
    </div>
  );
}

function NoCost(): JSX.Element {
  return (
    <Empty title="No skills, no cost">
      <p>
        Add a skill to <code>.agents/skills</code> and its cost appears here.
      </p>
    </Empty>
  );
}

function Costs({ all, place }: { readonly all: readonly SkillLine[]; readonly place: Place }): JSX.Element {
  const by = place.query.get('by') === 'text' ? 'text' : 'catalog';
  const tokens = Number(place.query.get('tokens') ?? DEFAULT_TOKENS);
  const settled = useSettled(tokens, SETTLE_MS);
  const catalog = useData<Catalog>(`/v1/catalog?tokens=${settled}`);
  const sum = (of: (skill: SkillLine) => number) => all.reduce((total, skill) => total + of(skill), 0);
  const catalogSum = useMemo(() => sum((skill) => skill.catalog_tokens), [all]);
  const textSum = useMemo(() => sum((skill) => skill.body_tokens), [all]);
  const leftOut = useMemo(
    () => new Set(catalog.state === 'ready' ? catalog.value.left_out : []),
    [catalog.state === 'ready' ? catalog.value : null],
  );
  const go = (more: Readonly<Record<string, string>>) =>
    moveTo(addressOf('budget', '', { ...Object.fromEntries(place.query), ...more }), { replace: true });
  return (
    <>
      <dl class="figures">
        <Figure label="all lines of a catalog" value={catalogSum} />
        <Figure label="all texts" value={textSum} />
        <Figure
          label="the largest text"
          value={all.reduce((most, { body_tokens }) => Math.max(most, body_tokens), 0)}
        />
        <Figure label="skills" value={all.length} />
      </dl>
      <section class="slider">
        <label for="tokens">
          A session with <strong>{plural(tokens, 'token')}</strong> for its catalog
        </label>
        <input
          id="tokens"
          type="range"
          min={0}
          max={SLIDER_STEPS}
          value={stepOf(tokens, catalogSum)}
          aria-valuetext={plural(tokens, 'token')}
          onInput={(event) => go({ tokens: String(tokensAt(Number(event.currentTarget.value), catalogSum)) })}
        />
        <Seen catalog={catalog} />
      </section>
      <fieldset class="switch">
        <legend class="hidden">What the areas show</legend>
        {(['catalog', 'text'] as const).map((each) => (
          <label key={each}>
            <input type="radio" name="by" checked={by === each} onChange={() => go({ by: each })} />
            {each === 'catalog' ? 'cost in the catalog' : 'cost of the text'}
          </label>
        ))}
      </fieldset>
      <TokenMap all={all} by={by} leftOut={leftOut} />
      <h2>What the prompt carries</h2>
      <Await data={catalog}>
        {({ text }) => (
          <pre class="tall" tabIndex={0}>
            {text.slice(0, 20_000).split('\n').map(foreign).join('\n')}
          </pre>
        )}
      </Await>
    </>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: number }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}

function Seen({ catalog }: { readonly catalog: Loaded<Catalog> }): JSX.Element {
  if (catalog.state === 'failed') return <p role="status">{catalog.failure.message}</p>;
  if (catalog.state === 'loading') return <p role="status">…</p>;
  const { shown, dropped, descriptions_cut_to: cut, tokens } = catalog.value;
  return (
    <p role="status">
      sees <strong>{plural(shown, 'skill')}</strong>
      {dropped > 0 && (
        <>
          , <strong class="bad">{count(dropped)} cut</strong> and reachable by search only
        </>
      )}
      {cut === null ? ', whole descriptions' : `, descriptions cut to ${cut} characters`}; {count(tokens)}{' '}
      used.
    </p>
  );
}

interface MapProps {
  readonly all: readonly SkillLine[];
  readonly by: 'catalog' | 'text';
  readonly leftOut: ReadonlySet<string>;
}

function TokenMap({ all, by, leftOut }: MapProps): JSX.Element {
  const costOf = (skill: SkillLine) => (by === 'catalog' ? skill.catalog_tokens : skill.body_tokens);
  const tiles = useMemo(() => {
    const largest = [...all].sort((a, b) => costOf(b) - costOf(a)).slice(0, TILES_MAX);
    return treemap(largest, costOf, MAP);
  }, [all, by]);
  return (
    <figure class="map">
      <svg viewBox={`0 0 ${MAP.width} ${MAP.height}`} role="group" aria-label="Tokens of each skill">
        {tiles.map((tile) => (
          <TileLink
            key={tile.item.name}
            tile={tile}
            cost={costOf(tile.item)}
            cut={leftOut.has(tile.item.name)}
          />
        ))}
        <g aria-hidden="true">
          {tiles.map((tile) => (
            <TileText key={tile.item.name} tile={tile} cost={costOf(tile.item)} />
          ))}
        </g>
      </svg>
      <figcaption class="quiet">
        {all.length > TILES_MAX && `The ${TILES_MAX} largest of ${count(all.length)}. `}
        {leftOut.size > 0 && 'Dashed ones are cut at this budget.'}
      </figcaption>
    </figure>
  );
}

function TileLink(props: {
  readonly tile: Tile<SkillLine>;
  readonly cost: number;
  readonly cut: boolean;
}): JSX.Element {
  const { tile, cost, cut } = props;
  const { item, x, y, width, height } = tile;
  const label = `${foreign(item.name)}, ${plural(cost, 'token')}${cut ? ', cut' : ''}`;
  return (
    <a href={addressOf('skills', item.name)} aria-label={label}>
      <rect
        class={`tile ${item.source} ${cut ? 'cut' : ''}`}
        {...{ x, y }}
        width={Math.max(0, width - 1.5)}
        height={Math.max(0, height - 1.5)}
      >
        <title>{label}</title>
      </rect>
    </a>
  );
}

/** Beside the links and not inside: their names say the same in full. */
function TileText({
  tile,
  cost,
}: {
  readonly tile: Tile<SkillLine>;
  readonly cost: number;
}): JSX.Element | null {
  const { item, x, y, width, height } = tile;
  if (width < 60 || height < 18) return null;
  return (
    <>
      <text x={x + 6} y={y + 14}>
        {cutName(foreign(item.name), width - 12)}
      </text>
      {height > 34 && (
        <text class="small" x={x + 6} y={y + 28}>
          {short(cost)}
        </text>
      )}
    </>
  );
}

const CHAR_PX = 6.4;

function cutName(name: string, width: number): string {
  const chars = Math.floor(width / CHAR_PX);
  return name.length <= chars ? name : `${name.slice(0, Math.max(0, chars - 1))}…`;
}

/** The middle of the way is finer than the end: costs differ by orders of magnitude. */
function tokensAt(step: number, sum: number): number {
  const most = Math.max(sum * 1.2, DEFAULT_TOKENS * 2);
  const raw = TOKENS_MIN * (most / TOKENS_MIN) ** (step / SLIDER_STEPS);
  return Number(raw.toPrecision(2));
}

function stepOf(tokens: number, sum: number): number {
  const most = Math.max(sum * 1.2, DEFAULT_TOKENS * 2);
  return Math.round(
    (Math.log(Math.max(TOKENS_MIN, tokens) / TOKENS_MIN) / Math.log(most / TOKENS_MIN)) * SLIDER_STEPS,
  );
}

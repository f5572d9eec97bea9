import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import type { SkillLine } from '../../api/contract.ts';
import { addressOf, moveTo, type Place } from '../../router.ts';
import { count, foreign, plural, short } from '../../ui/format.ts';
import { Await, Empty } from '../../ui/states.tsx';
import { nextIndex, VirtualList } from '../../ui/virtual-list.tsx';
import { SkillPage } from './skill-page.tsx';
import { findSkills, indexLines, type SkillFilters } from './skill-search.ts';
import { useSkills } from './use-skills.ts';

const ROW_PX = 58;

export function SkillsView({ place }: { place: Place }): JSX.Element {
  const skills = useSkills();
  return <Await data={skills}>{(all) => <Browser all={all} place={place} />}</Await>;
}

function Browser({ all, place }: { readonly all: readonly SkillLine[]; readonly place: Place }): JSX.Element {
  const query = place.query.get('q') ?? '';
  const filters: SkillFilters = {
    source: place.query.get('source') ?? '',
    tier: place.query.get('tier') ?? '',
    capability: place.query.get('capability') ?? '',
    health: place.query.get('health') ?? '',
  };
  const lines = useMemo(() => indexLines(all), [all]);
  const { source, tier, capability, health } = filters;
  const found = useMemo(
    () => findSkills(lines, query, { source, tier, capability, health }),
    [lines, query, source, tier, capability, health],
  );
  const go = (item: string, more: Readonly<Record<string, string>> = {}, replace = true): void => {
    const kept = { q: query, ...filters, ...more };
    moveTo(addressOf('skills', item, kept), { replace });
  };
  if (all.length === 0) return <NoSkills />;
  return (
    <div class={`split ${place.item === '' ? '' : 'chosen'}`}>
      <section class="pane" aria-label="All skills">
        <Tools
          {...{ all, filters, query }}
          onChange={(more) => go(place.item, more)}
          onKey={(event) => {
            // The key that leads here does nothing when one is here already.
            if (event.key === '/' && query === '') return event.preventDefault();
            if (event.key === 'Escape' && query !== '') return go(place.item, { q: '' });
            const now = found.findIndex(({ name }) => name === place.item);
            const key = event.key === 'Enter' && now < 0 ? 'ArrowDown' : event.key;
            const next = nextIndex(key, now, { count: found.length, page: 1 });
            if (next === null || key === 'Home' || key === 'End') return;
            event.preventDefault();
            go(found[next]?.name ?? '');
          }}
        />
        <p class="quiet tally" role="status">
          {found.length === all.length
            ? plural(all.length, 'skill')
            : `${count(found.length)} of ${plural(all.length, 'skill')}`}
        </p>
        {found.length === 0 ? (
          <Empty title="No skill matches">
            <button type="button" onClick={() => go('', { q: '', ...NO_FILTERS })}>
              Show all
            </button>
          </Empty>
        ) : (
          <VirtualList
            label="Skills"
            items={found}
            rowHeight={ROW_PX}
            keyOf={({ name }) => name}
            selected={place.item}
            onSelect={({ name }) => go(name, {}, place.item !== '')}
          >
            {(skill) => <Row skill={skill} />}
          </VirtualList>
        )}
      </section>
      <section class="pane detail" aria-label="One skill">
        {place.item === '' ? (
          <div class="empty hint">
            <p>
              Choose a skill. <kbd>/</kbd> searches, <kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>Esc</kbd> clears.
            </p>
          </div>
        ) : (
          <SkillPage name={place.item} place={place} onBack={() => go('')} />
        )}
      </section>
    </div>
  );
}

const NO_FILTERS: SkillFilters = { source: '', tier: '', capability: '', health: '' };

function Row({ skill }: { readonly skill: SkillLine }): JSX.Element {
  const { name, description, body_tokens, source, warnings, copies } = skill;
  return (
    <>
      <span class="row-head">
        <strong class="mono">{foreign(name)}</strong>
        {warnings > 0 && <i class="dot warn" title={plural(warnings, 'warning')} />}
        {copies > 0 && <i class="dot copy" title={`shadows ${plural(copies, 'copy', 'copies')}`} />}
        <span class="quiet">{source}</span>
        <span class="quiet number" title="tokens of its text">
          {short(body_tokens)}
        </span>
      </span>
      <span class="row-text">{foreign(description)}</span>
    </>
  );
}

interface ToolsProps {
  readonly all: readonly SkillLine[];
  readonly filters: SkillFilters;
  readonly query: string;
  readonly onChange: (more: Readonly<Record<string, string>>) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

function Tools({ all, filters, query, onChange, onKey }: ToolsProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // On a phone the keyboard would cover the list.
    if (matchMedia('(min-width: 60rem)').matches) input.current?.focus();
  }, []);
  const sources = useMemo(() => distinct(all.map(({ source }) => source)), [all]);
  const capabilities = useMemo(() => distinct(all.flatMap((skill) => skill.capabilities)), [all]);
  return (
    <search class="tools">
      <input
        ref={input}
        type="search"
        value={query}
        placeholder="Search skills"
        aria-label="Search skills"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange({ q: event.currentTarget.value })}
        onKeyDown={onKey}
      />
      <div class="filters">
        <Choice label="source" value={filters.source} options={sources} onChange={onChange} />
        <Choice label="tier" value={filters.tier} options={['1', '2', '3']} onChange={onChange} />
        {capabilities.length > 0 && (
          <Choice label="capability" value={filters.capability} options={capabilities} onChange={onChange} />
        )}
        <Choice label="health" value={filters.health} options={['warnings', 'copies']} onChange={onChange} />
      </div>
    </search>
  );
}

function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChange: (more: Readonly<Record<string, string>>) => void;
}): JSX.Element {
  const { label, value, options, onChange } = props;
  return (
    <select
      aria-label={label}
      value={value}
      class={value === '' ? '' : 'set'}
      onChange={(event) => onChange({ [label]: event.currentTarget.value })}
    >
      <option value="">{label}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {foreign(option)}
        </option>
      ))}
    </select>
  );
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

function NoSkills(): JSX.Element {
  return (
    <Empty title="No skills yet">
      <p>
        Put one at <code>.agents/skills/&lt;name&gt;/SKILL.md</code>; it appears here by itself. Skills that
        were rejected are in <a href="/health">Health</a>.
      </p>
    </Empty>
  );
}

/** Whether the mirrors are in step with the canonical skills. A finding is told once, by an event. */
import type { ColibriDatabase } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { systemCodeOf } from '../../lib/errors.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import type { EventDraft } from '../events/schema.ts';
import type { EventsService } from '../events/service.ts';
import type { SkillRoot } from '../skills/scan/roots.ts';
import { type CopyPair, compareCopies, type DriftFinding, type FileDifference } from './drift.ts';
import {
  compareSkillTexts,
  DIFF_BYTES_MAX,
  type FieldDifference,
  type Patch,
  type SkillTextDifference,
  unifiedDiff,
} from './drift-diff.ts';
import { digestOf, type SkillCopy } from './drift-manifest.ts';
import { type MirrorPairs, readPairs } from './drift-pairs.ts';
import type { TreeReader } from './drift-reader.ts';
import { type DriftSchema, putTold, readStates, readTold, removeTold } from './drift-repository.ts';

export interface DescribedFile extends FileDifference {
  /** Of a SKILL.md: fields of the frontmatter that differ, and whether the text below does. */
  readonly fields: readonly FieldDifference[];
  readonly body: boolean;
  /** Null unless asked for. */
  readonly diff: Patch | null;
}

export interface DescribedFinding extends Omit<DriftFinding, 'differences'> {
  /** Directories as displayed; null where that side has none. */
  readonly canonical: string | null;
  readonly mirror: string | null;
  readonly files: readonly DescribedFile[];
}

export interface MirrorReport {
  /** As displayed. */
  readonly root: string;
  readonly exists: boolean;
  /** The mirror is a link to the canonical root. */
  readonly linked: boolean;
  readonly in_step: number;
  /** Copies that are links. */
  readonly links: number;
  readonly findings: readonly DescribedFinding[];
}

export interface DriftReport {
  /** Roots whose skills are mirrored, as displayed. */
  readonly canonical: readonly string[];
  readonly mirrors: readonly MirrorReport[];
  /** Findings in all. */
  readonly drift: number;
}

export interface DriftService {
  /** Compares every mirror with the canonical skills now, and records findings that are new. */
  check(options?: DriftOptions): Promise<DriftReport>;
}

export interface DriftOptions {
  /** With the lines that differ. */
  readonly diff?: boolean;
  /** False: no event tells of what is new. */
  readonly record?: boolean;
}

export interface DriftParts {
  readonly db: ColibriDatabase;
  readonly roots: readonly SkillRoot[];
  readonly events: Pick<EventsService, 'append' | 'wake'>;
  readonly clock: Clock;
  readonly reader: TreeReader;
  /** A path as users know it. */
  readonly display: (absolute: string) => string;
}

export function createDriftService(parts: DriftParts): DriftService {
  const { db, roots, reader } = parts;
  return {
    async check({ diff = false, record = true } = {}) {
      const states = async (mirror: string) => readStates(await db.records<DriftSchema>(), mirror);
      // A mirror that is not there, or that is the canonical root itself, cannot drift.
      const wanted = ({ exists, linked }: Pick<MirrorPairs, 'exists' | 'linked'>) => exists && !linked;
      const mirrors = await readPairs({ roots, reader, states }, wanted);
      const found = mirrors.map((mirror) => judgeMirror(mirror));
      if (record) await tellNews(parts, found);
      const reports = found.map((judged) => reportOf(judged, { diff, display: parts.display }));
      return {
        canonical: roots.filter(({ source }) => source === 'workspace').map(({ display }) => display),
        mirrors: reports,
        drift: reports.reduce((sum, { findings }) => sum + findings.length, 0),
      };
    },
  };
}

interface JudgedMirror extends Pick<MirrorPairs, 'mirror' | 'exists' | 'linked'> {
  readonly inStep: number;
  readonly links: number;
  readonly found: readonly { readonly pair: CopyPair; readonly finding: DriftFinding }[];
}

function judgeMirror({ mirror, exists, linked, pairs }: MirrorPairs): JudgedMirror {
  const found: { pair: CopyPair; finding: DriftFinding }[] = [];
  let [inStep, links] = [0, 0];
  for (const pair of pairs) {
    if (pair.canonical === null && pair.mirror === null) continue;
    const verdict = compareCopies(pair);
    if (verdict.state === 'drift') found.push({ pair, finding: verdict.finding });
    else if (verdict.state === 'linked') links++;
    else inStep++;
  }
  return { mirror, exists, linked, inStep, links, found };
}

/** Events and what was told change together, so that two processes do not tell the same twice. */
async function tellNews({ db, events, clock }: DriftParts, mirrors: readonly JudgedMirror[]): Promise<void> {
  const now = new Map(
    mirrors.flatMap(({ mirror, found }) =>
      found.map((each) => [`${mirror.display}\0${each.finding.skill}`, { mirror: mirror.display, ...each }]),
    ),
  );
  const compare = (told: readonly { mirror: string; name: string; finding: string }[]) => {
    const known = new Map(told.map((row) => [`${row.mirror}\0${row.name}`, row.finding]));
    return {
      news: [...now]
        .filter(([key, { finding }]) => known.get(key) !== finding.digest)
        .map(([, each]) => each),
      over: told.filter((row) => !now.has(`${row.mirror}\0${row.name}`)),
    };
  };
  const glance = compare(await readTold(await db.records<DriftSchema>()));
  if (glance.news.length === 0 && glance.over.length === 0) return;
  await db.transact(async (transaction) => {
    const { news, over } = compare(await readTold(transaction));
    for (const row of over) await removeTold(transaction, row);
    for (const { mirror, finding } of news) {
      await putTold(transaction, { mirror, name: finding.skill, finding: finding.digest }, isoNow(clock));
    }
    await events.append(transaction, news.map(driftEvent));
  });
  events.wake();
}

/** A finding names this many files in its event; the report names them all. */
const EVENT_FILES_MAX = 20;

function driftEvent({
  mirror,
  pair,
  finding,
}: {
  readonly mirror: string;
  readonly pair: CopyPair;
  readonly finding: DriftFinding;
}): EventDraft {
  return {
    type: 'skill.warning',
    stream: 'catalog',
    actor: 'integrity',
    sensitivity: 'private',
    payload: {
      kind: 'drift',
      name: finding.skill,
      detail: {
        mirror,
        change: finding.kind,
        files: finding.differences.slice(0, EVENT_FILES_MAX).map(({ path }) => path),
        canonical_digest: digestOf(pair.canonical),
        mirror_digest: digestOf(pair.mirror),
      },
    },
  };
}

interface Describing {
  readonly diff: boolean;
  readonly display: (absolute: string) => string;
}

function reportOf(
  { mirror, exists, linked, inStep, links, found }: JudgedMirror,
  how: Describing,
): MirrorReport {
  const findings = found.map(({ pair, finding }) => describe(pair, finding, how));
  return { root: mirror.display, exists, linked, in_step: inStep, links, findings };
}

function describe(
  { canonical, mirror }: CopyPair,
  { differences, ...finding }: DriftFinding,
  { diff, display }: Describing,
): DescribedFinding {
  const place = (copy: SkillCopy | null) => (copy === null ? null : display(copy.directory));
  const files = differences.map((difference): DescribedFile => {
    const sides = [canonical, mirror].map((copy) => ({
      path: copy === null ? '' : `${display(copy.directory)}/${difference.path}`,
      bytes: readText(copy, difference.path),
    }));
    const [one, other] = sides as [(typeof sides)[number], (typeof sides)[number]];
    const inside = compareInside(difference, one.bytes, other.bytes);
    const wanted = diff && difference.change !== 'mode';
    return { ...difference, ...inside, diff: wanted ? unifiedDiff(one, other) : null };
  });
  return { ...finding, canonical: place(canonical), mirror: place(mirror), files };
}

function compareInside(
  { path, change }: FileDifference,
  canonical: Uint8Array | null,
  mirror: Uint8Array | null,
): SkillTextDifference {
  const none = { fields: [], body: false };
  if (path !== 'SKILL.md' || change !== 'content' || canonical === null || mirror === null) return none;
  return compareSkillTexts(canonical, mirror) ?? none;
}

/** One byte more than may be shown is enough to know that it is too much. */
function readText(copy: SkillCopy | null, path: string): Uint8Array | null {
  const entry = copy?.read.ok ? copy.read.tree.entries.find((each) => each.path === path) : undefined;
  if (copy === null || entry === undefined) return null;
  if (entry.kind !== 'file') return Buffer.from(entry.kind === 'link' ? `${entry.target}\n` : '');
  if (entry.size > DIFF_BYTES_MAX) return Buffer.alloc(DIFF_BYTES_MAX + 1);
  try {
    const read = readRegularFile(`${copy.directory}/${path}`, DIFF_BYTES_MAX);
    return read.ok ? read.bytes : null;
  } catch (error) {
    // The file has gone since it was compared; the next check will say so.
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}

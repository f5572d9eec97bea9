/** Rounds: sign off the registry as it is, and say later what has grown. */
import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';

import type { ColibriDatabase } from '../../db/database.ts';
import { type Clock, isoNow } from '../../lib/clock.ts';
import { ColibriError, systemCodeOf } from '../../lib/errors.ts';
import type { Ids } from '../../lib/ids.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { hasHiddenCharacters, nearest } from '../../lib/text.ts';
import type { EventsService } from '../events/service.ts';
import type { SkillsService } from '../skills/service.ts';
import type { SkillTree } from './drift-manifest.ts';
import type { TreeReader } from './drift-reader.ts';
import { compareRounds, type RoundFinding } from './round-compare.ts';
import { factsOf, type RoundFile, type RoundSkill, roundDigest } from './round-facts.ts';
import {
  type CountedRound,
  insertRound,
  type RoundSchema,
  readRoundSkills,
  readRounds,
} from './round-repository.ts';

export interface Round {
  readonly id: string;
  readonly name: string | null;
  /** ISO-8601 UTC. */
  readonly started_at: string;
  readonly started_by: string;
  /** sha256 over the facts of all skills. */
  readonly digest: string;
  readonly skills: number;
}

export interface RoundComparison {
  readonly before: Round;
  /** Null: the registry as it is now. */
  readonly after: Round | null;
  readonly findings: readonly RoundFinding[];
}

export interface RoundService {
  /** Signs the registry off as it is on the disk now. */
  start(request?: { readonly name?: string | undefined; readonly by?: string }): Promise<Round>;
  /** Newest first. */
  list(): Promise<readonly Round[]>;
  /** `last`, the name, the id or the beginning of the id. */
  get(which: string): Promise<Round & { readonly facts: readonly RoundSkill[] }>;
  /** By default the last round with the registry as it is now. */
  compare(before?: string, after?: string): Promise<RoundComparison>;
}

export interface RoundParts {
  readonly db: ColibriDatabase;
  readonly skills: Pick<SkillsService, 'names' | 'get' | 'placeOf' | 'reload'>;
  readonly events: Pick<EventsService, 'append' | 'read' | 'wake'>;
  readonly reader: TreeReader;
  readonly clock: Clock;
  readonly ids: Ids;
}

const NAME_CHARS_MAX = 64;
const WORDS: ReadonlySet<string> = new Set(['last', 'now']);
/** Of a file beyond this only the digest counts. */
const TEXT_BYTES_MAX = 1024 * 1024;
const SKILLS_PER_TURN = 16;

export function createRoundService(parts: RoundParts): RoundService {
  const { db, events, clock, ids } = parts;
  const rounds = async () => readRounds(await db.records<RoundSchema>());
  const factsOfRound = async (round: CountedRound): Promise<readonly RoundSkill[]> => {
    const facts = await readRoundSkills(await db.records<RoundSchema>(), round.id);
    await checkDigest(events, round, facts);
    return facts;
  };
  return {
    async start({ name, by = 'library' } = {}) {
      if (name !== undefined) checkName(name, await rounds());
      const facts = await readFacts(parts);
      const [id, eventId] = [ids.ulid(), ids.ulid()];
      const round = { id, name: name ?? null, started_at: isoNow(clock), started_by: by };
      const digest = roundDigest(facts);
      await db.transact(async (transaction) => {
        await insertRound(transaction, { ...round, digest, event_id: eventId }, facts);
        await events.append(transaction, [
          {
            type: 'round.started',
            id: eventId,
            stream: 'rounds',
            actor: by,
            sensitivity: 'pseudonymous',
            payload: { round: id, name: round.name, digest, skills: facts.length },
          },
        ]);
      });
      events.wake();
      return { ...round, digest, skills: facts.length };
    },
    list: async () => (await rounds()).map(publicRound),
    async get(which) {
      const round = findRound(await rounds(), which);
      return { ...publicRound(round), facts: await factsOfRound(round) };
    },
    async compare(before = 'last', after = 'now') {
      const all = await rounds();
      const old = findRound(all, before);
      const fresh = after === 'now' ? null : findRound(all, after);
      const [then, now] = [
        await factsOfRound(old),
        fresh === null ? await readFacts(parts) : await factsOfRound(fresh),
      ];
      return {
        before: publicRound(old),
        after: fresh === null ? null : publicRound(fresh),
        findings: compareRounds(then, now),
      };
    },
  };
}

function publicRound({ event_id: _, ...round }: CountedRound): Round {
  return round;
}

function checkName(name: string, rounds: readonly CountedRound[]): void {
  const wrong =
    name.trim() !== name || name === '' || name.length > NAME_CHARS_MAX || hasHiddenCharacters(name);
  if (wrong || WORDS.has(name) || /\s/.test(name)) {
    const message = `a round cannot be named ${JSON.stringify(name)}; use up to ${NAME_CHARS_MAX} letters without blanks, not ${[...WORDS].join(' or ')}`;
    throw new ColibriError('USAGE', message, { name });
  }
  if (rounds.some((round) => round.name === name)) {
    const message = `there is a round named ${name} already; choose another name, rounds are never changed`;
    throw new ColibriError('USAGE', message, { name });
  }
}

/** Fewer letters of an id fit too many. */
const PREFIX_CHARS_MIN = 6;

function findRound(rounds: readonly CountedRound[], which: string): CountedRound {
  const [newest] = rounds;
  if (newest === undefined)
    throw new ColibriError('ROUND_NOT_FOUND', 'no round was started yet; `colibri round start` does it', {});
  if (which === 'last') return newest;
  const exact = rounds.find(({ id, name }) => id === which || name === which);
  if (exact !== undefined) return exact;
  const begins =
    which.length < PREFIX_CHARS_MIN ? [] : rounds.filter(({ id }) => id.startsWith(which.toUpperCase()));
  const [only, second] = begins;
  if (only !== undefined && second === undefined) return only;
  const near = nearest(
    which,
    rounds.flatMap(({ name }) => name ?? []),
  );
  const hint = near.length === 0 ? '`colibri round list` shows all' : `did you mean ${near.join(', ')}?`;
  const message = `no round ${JSON.stringify(which)}; ${hint}`;
  throw new ColibriError('ROUND_NOT_FOUND', message, { round: which, nearest: near });
}

/** What was signed off is told twice, in the rows and in the chain of events; both must agree. */
async function checkDigest(
  events: RoundParts['events'],
  round: CountedRound,
  facts: readonly RoundSkill[],
): Promise<void> {
  const recorded = await findEvent(events, round.event_id);
  const told = recorded === null ? null : (JSON.parse(recorded) as { digest?: unknown }).digest;
  if (told === round.digest && roundDigest(facts) === round.digest) return;
  const message = `round ${round.name ?? round.id} is not what was signed off: its rows do not fit the recorded digest; start a new one, and ask \`colibri events verify\``;
  throw new ColibriError('ROUND_DAMAGED', message, { round: round.id, digest: round.digest, recorded: told });
}

async function findEvent(events: RoundParts['events'], id: string): Promise<string | null> {
  let after: number | undefined;
  for (;;) {
    const page = await events.read({ types: ['round.started'], after });
    const found = page.find((row) => row.id === id);
    if (found !== undefined) return found.payload;
    after = page.at(-1)?.seq;
    if (after === undefined) return null;
  }
}

async function readFacts({ skills, reader }: RoundParts): Promise<readonly RoundSkill[]> {
  await skills.reload();
  const facts: RoundSkill[] = [];
  for (const [index, name] of skills.names().entries()) {
    if (index % SKILLS_PER_TURN === 0) await setImmediate();
    const skill = skills.get(name);
    if (skill === null) continue;
    const place = skills.placeOf(skill.source_dir);
    const read = place === null ? null : reader.readTree(place);
    const tree = read?.ok ? read.tree : null;
    facts.push(factsOf(skill, { tree, files: tree === null ? [] : readTexts(tree) }));
  }
  return facts;
}

function readTexts({ real, entries }: SkillTree): readonly RoundFile[] {
  return entries.flatMap((entry): RoundFile[] => {
    if (entry.kind !== 'file') return [];
    if (entry.size > TEXT_BYTES_MAX) return [{ path: entry.path, text: null }];
    try {
      const read = readRegularFile(`${real}/${entry.path}`, TEXT_BYTES_MAX);
      const isText = read.ok && isUtf8(read.bytes) && !read.bytes.includes(0);
      return [{ path: entry.path, text: isText ? read.bytes.toString('utf8') : null }];
    } catch (error) {
      // It has gone since it was listed; its digest is in the round.
      if (systemCodeOf(error) === undefined) throw error;
      return [{ path: entry.path, text: null }];
    }
  });
}

/** Which skills a host would see, decided from its rules and from what lies in the folders that any host reads. Pure. */
import { isStandardName } from '../skills/format/name.ts';
import type { HostPlace, HostRule } from './host-rules.ts';

/** A folder of skills that stands on the disk. */
export interface HostFolder {
  /** Absolute. */
  readonly path: string;
  readonly skills: readonly DiskSkill[];
}

export interface DiskSkill {
  /** Absolute; of a Markdown file that is a skill, the file. */
  readonly path: string;
  /** Behind all links. */
  readonly real: string;
  /** The name of its folder, or of the file without its ending. */
  readonly directory: string;
  /** Levels below the folder of skills; 0: right in it. */
  readonly level: number;
  readonly isLink: boolean;
  readonly isMarkdown: boolean;
  /** sha256 of its SKILL.md; null when that cannot be read. */
  readonly digest: string | null;
  /** What its frontmatter says; null when it cannot be read even with its colons repaired. */
  readonly frontmatter: DiskFrontmatter | null;
}

export interface DiskFrontmatter {
  readonly name: string | null;
  readonly description: string | null;
  /** Only after its colons were quoted. */
  readonly repaired: boolean;
  readonly modelHidden: boolean;
  /** The body puts in `$1`. */
  readonly numbered: boolean;
}

/** A folder that one host reads, in the host's order. */
export interface ReadPlace {
  readonly place: HostPlace;
  /** Absolute. */
  readonly path: string;
  /** Of a nested folder: where it lies below the current one; skills get it as a prefix or are limited to it. */
  readonly nested: string | null;
}

export type SightState = 'seen' | 'shadowed' | 'ignored';

export interface Sighting {
  readonly state: SightState;
  /** What the host calls it. */
  readonly name: string;
  /** The name of its folder, which is the same for all hosts. */
  readonly directory: string;
  /** Absolute. */
  readonly path: string;
  readonly folder: string;
  readonly digest: string | null;
  /** Why it is shadowed or ignored; empty for one that is simply seen. */
  readonly reason: string;
  /** Conditions and peculiarities. */
  readonly notes: readonly string[];
}

interface Candidate {
  readonly skill: DiskSkill;
  readonly place: ReadPlace;
  readonly name: string;
}

/** By name, then in the host's order. */
export function viewHost(
  rule: HostRule,
  places: readonly ReadPlace[],
  folders: ReadonlyMap<string, HostFolder>,
): readonly Sighting[] {
  const read = new Set(places.map(({ path }) => path));
  const sightings: Sighting[] = [];
  const candidates: Candidate[] = [];
  for (const place of places) {
    for (const skill of folders.get(place.path)?.skills ?? []) {
      const refusal = refusalOf(rule, place, skill);
      if (refusal === null) candidates.push({ skill, place, name: nameOf(rule, skill, place) });
      else sightings.push(ignored(skill, place.path, refusal));
    }
  }
  for (const folder of folders.values()) {
    if (read.has(folder.path)) continue;
    for (const skill of folder.skills) {
      if (!skill.isMarkdown)
        sightings.push(ignored(skill, folder.path, `${rule.name} does not read this folder`));
    }
  }
  sightings.push(...decide(rule, candidates));
  return sightings.sort(
    (a, b) => compare(a.name, b.name) || STATES.indexOf(a.state) - STATES.indexOf(b.state),
  );
}

const STATES: readonly SightState[] = ['seen', 'shadowed', 'ignored'];

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function ignored(skill: DiskSkill, folder: string, reason: string): Sighting {
  const { directory, path, digest } = skill;
  return { state: 'ignored', name: directory, directory, path, folder, digest, reason, notes: [] };
}

/** Why the host does not load what it finds there; null when it does. */
function refusalOf(rule: HostRule, { place }: ReadPlace, skill: DiskSkill): string | null {
  const { levels, naming, description, links, repairsColons } = rule;
  if (skill.isMarkdown) return place.markdown ? null : 'a Markdown file is no skill here';
  if (skill.level < levels.min) return `a SKILL.md right in the folder is none: ${levels.fact}`;
  if (skill.level > levels.max) return `it lies too deep: ${levels.fact}`;
  if (skill.isLink && !links.followed) return links.fact;
  const { frontmatter } = skill;
  if (frontmatter === null) return 'its frontmatter cannot be read';
  if (frontmatter.repaired && !repairsColons.does) return `its frontmatter is no YAML: ${repairsColons.fact}`;
  if (naming.required && frontmatter.name === null) return `it has no name: ${naming.fact}`;
  if (naming.by === 'equal' && !isEqualName(frontmatter.name, skill.directory)) return naming.fact;
  if (description.required && frontmatter.description === null)
    return `it has no description: ${description.fact}`;
  return null;
}

function isEqualName(name: string | null, directory: string): boolean {
  return name === directory && isStandardName(directory);
}

function nameOf(
  { id, naming }: HostRule,
  { directory, frontmatter }: DiskSkill,
  { nested }: ReadPlace,
): string {
  const own = naming.by === 'directory' ? directory : (frontmatter?.name ?? directory);
  return id === 'claude-code' && nested !== null ? `${nested}:${own}` : own;
}

function decide(rule: HostRule, candidates: readonly Candidate[]): readonly Sighting[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = rule.naming.ignoresCase ? candidate.name.toLowerCase() : candidate.name;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()].flatMap((group) => decideName(rule, group));
}

function decideName(rule: HostRule, group: readonly Candidate[]): readonly Sighting[] {
  const distinct = rule.links.sameOnce ? onceEach(group) : group;
  const repeats = group.filter((candidate) => !distinct.includes(candidate));
  const winner = rule.collisions.rule === 'last' ? distinct.at(-1) : distinct[0];
  const all = rule.collisions.rule === 'all' || rule.collisions.rule === 'undocumented';
  return [
    ...distinct.map((candidate): Sighting => {
      const won = candidate === winner || all;
      const notes = [...notesOf(rule, candidate), ...collisionNotes(rule, candidate, distinct)];
      const reason = won ? '' : `${winner?.skill.path ?? ''} wins: ${rule.collisions.fact}`;
      return sighting(won ? 'seen' : 'shadowed', candidate, { reason, notes });
    }),
    ...repeats.map((candidate) =>
      sighting('shadowed', candidate, { reason: `the same files: ${rule.links.fact}`, notes: [] }),
    ),
  ];
}

function onceEach(group: readonly Candidate[]): readonly Candidate[] {
  const seen = new Set<string>();
  return group.filter(({ skill }) => {
    if (seen.has(skill.real)) return false;
    seen.add(skill.real);
    return true;
  });
}

function sighting(
  state: SightState,
  { skill, place, name }: Candidate,
  { reason, notes }: Pick<Sighting, 'reason' | 'notes'>,
): Sighting {
  const { directory, path, digest } = skill;
  return { state, name, directory, path, folder: place.path, digest, reason, notes };
}

function notesOf(rule: HostRule, { skill, place }: Candidate): readonly string[] {
  const { frontmatter } = skill;
  const notes: string[] = [];
  if (place.place.needsTrust) notes.push('only once the folder is trusted');
  if (place.nested !== null) notes.push(`only for ${place.nested}`);
  if (frontmatter?.modelHidden)
    notes.push(
      rule.hidesFromModel ? 'for people alone' : 'shown to the model although it says for people alone',
    );
  if (frontmatter?.numbered && rule.firstArgument !== null)
    notes.push(rule.firstArgument === 0 ? '$1 is the second argument' : '$1 is the first argument');
  return notes;
}

function collisionNotes(
  { collisions }: HostRule,
  candidate: Candidate,
  group: readonly Candidate[],
): readonly string[] {
  if (group.length < 2) return [];
  if (collisions.rule === 'all') return ['offered beside the others of its name'];
  if (collisions.rule === 'undocumented') return ['which copy wins is not documented'];
  const rival = group.some(
    (other) => other !== candidate && other.place.place.scope === candidate.place.place.scope,
  );
  return collisions.racy && rival
    ? ['may lose to the other of its scope: folders are read at the same time']
    : [];
}

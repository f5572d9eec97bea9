/** What skills can reach now that they could not at the last round, graded by how much it grew. Pure. */
import { covers, parseToolPattern } from '../policy/patterns.ts';
import type { RoundSkill } from './round-facts.ts';

/** `critical`: reach without bounds. `warning`: more reach, or a change nobody vouches for. `info`: less, or harmless. */
export type Grade = 'critical' | 'warning' | 'info';

export type RoundChange =
  | 'added'
  | 'removed'
  | 'tools'
  | 'disallowed-tools'
  | 'required-tools'
  | 'capabilities'
  | 'reach'
  | 'scripts'
  | 'network'
  | 'text'
  | 'description'
  | 'files'
  | 'source';

export interface RoundFinding {
  readonly grade: Grade;
  readonly change: RoundChange;
  readonly skill: string;
  /** In words. */
  readonly message: string;
  /** What was gained, and what was given up. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

const GRADES: readonly Grade[] = ['critical', 'warning', 'info'];

/** Worst first, then by name. */
export function compareRounds(
  before: readonly RoundSkill[],
  after: readonly RoundSkill[],
): readonly RoundFinding[] {
  const then = new Map(before.map((skill) => [skill.name, skill]));
  const now = new Map(after.map((skill) => [skill.name, skill]));
  const names = [...new Set([...then.keys(), ...now.keys()])].sort();
  const found = names.flatMap((name) => {
    const [old, fresh] = [then.get(name), now.get(name)];
    if (old === undefined) return fresh === undefined ? [] : [added(fresh)];
    return fresh === undefined ? [removed(old)] : compareSkill(old, fresh);
  });
  return GRADES.flatMap((grade) => found.filter((finding) => finding.grade === grade));
}

type Draft = Omit<RoundFinding, 'skill' | 'gained' | 'lost'> & Partial<Pick<RoundFinding, 'gained' | 'lost'>>;

function finding(skill: string, { gained = [], lost = [], ...draft }: Draft): RoundFinding {
  return { ...draft, skill, gained, lost };
}

function compareSkill(old: RoundSkill, fresh: RoundSkill): readonly RoundFinding[] {
  const drafts = [
    ...compareTools(old, fresh),
    ...compareLists(old, fresh),
    ...compareReach(old, fresh),
    ...compareScripts(old, fresh),
    ...compareNetwork(old, fresh),
    ...compareText(old, fresh),
    ...compareSource(old, fresh),
  ];
  return drafts.map((draft) => finding(fresh.name, draft));
}

/** A new skill reaches what it brings. */
function added(skill: RoundSkill): RoundFinding {
  const unbounded = skill.allowed_tools.filter(isUnbounded);
  const brings = [
    ...(skill.scripts.length > 0
      ? [`${skill.scripts.length} script${skill.scripts.length === 1 ? '' : 's'}`]
      : []),
    ...(skill.network.scripts.length > 0 ? [`scripts that name ${skill.network.scripts.join(', ')}`] : []),
    ...(unbounded.length > 0 ? [`any call of ${unbounded.join(', ')}`] : []),
  ];
  const worst = unbounded.length > 0 || skill.network.scripts.length > 0;
  const grade = worst ? 'critical' : brings.length > 0 ? 'warning' : 'info';
  const message = brings.length === 0 ? 'new' : `new, with ${brings.join(' and ')}`;
  return finding(skill.name, { grade, change: 'added', message, gained: skill.allowed_tools });
}

function removed(skill: RoundSkill): RoundFinding {
  const message = `gone; it was signed off as version ${skill.version ?? skill.body_version}`;
  return finding(skill.name, { grade: 'warning', change: 'removed', message });
}

/**
 * The list is two things at once: hosts grant what it names, and Colibri refuses what it does not name. So both a new
 * list and a list that is gone let a skill do more, somewhere.
 */
function compareTools(old: RoundSkill, fresh: RoundSkill): readonly Draft[] {
  const [before, after] = [old.allowed_tools, fresh.allowed_tools];
  const gained = after.filter((pattern) => !isCovered(pattern, before));
  const lost = before.filter((pattern) => !isCovered(pattern, after));
  const found: Draft[] = [];
  if (gained.length > 0) {
    const grade = gained.some(isUnbounded) ? 'critical' : 'warning';
    found.push({ grade, change: 'tools', message: `may now use ${gained.join(' ')}`, gained, lost });
  } else if (after.length === 0 && lost.length > 0) {
    const message = `no longer limits its tools; before: ${before.join(' ')}`;
    found.push({ grade: 'warning', change: 'tools', message, lost });
  } else if (lost.length > 0) {
    found.push({ grade: 'info', change: 'tools', message: `may no longer use ${lost.join(' ')}`, lost });
  }
  const lifted = old.disallowed_tools.filter((pattern) => !isCovered(pattern, fresh.disallowed_tools));
  if (lifted.length > 0) {
    const message = `no longer forbids ${lifted.join(' ')}`;
    found.push({ grade: 'warning', change: 'disallowed-tools', message, gained: lifted });
  }
  return found;
}

function isCovered(written: string, by: readonly string[]): boolean {
  if (by.includes(written)) return true;
  const inner = parseToolPattern(written);
  if (!inner.ok) return false;
  return by.some((each) => {
    const outer = parseToolPattern(each);
    return outer.ok && covers(outer.pattern, inner.pattern);
  });
}

/** Tools that run whatever they are given. */
const RUNNERS = /^(?:bash|shell|sh|exec|execute|terminal|powershell|run(?:_\w+)?)$/i;

/** Any tool, or any command. A pattern that cannot be read bounds nothing. */
function isUnbounded(written: string): boolean {
  const parsed = parseToolPattern(written);
  if (!parsed.ok) return true;
  const { tool, argument } = parsed.pattern;
  return /^\*+$/.test(tool) || (argument.kind === 'any' && RUNNERS.test(tool));
}

function compareLists(old: RoundSkill, fresh: RoundSkill): readonly Draft[] {
  const lists = [
    ['capabilities', 'declares', old.capabilities, fresh.capabilities],
    ['required-tools', 'requires', old.required_tools, fresh.required_tools],
  ] as const;
  return lists.flatMap(([change, verb, before, after]): Draft[] => {
    const gained = after.filter((word) => !before.includes(word));
    const lost = before.filter((word) => !after.includes(word));
    if (gained.length > 0)
      return [{ grade: 'warning', change, message: `now ${verb} ${gained.join(', ')}`, gained, lost }];
    if (lost.length === 0) return [];
    return [{ grade: 'info', change, message: `no longer ${verb} ${lost.join(', ')}`, lost }];
  });
}

function compareReach(old: RoundSkill, fresh: RoundSkill): readonly Draft[] {
  const gained = fresh.invokable_by.filter((tier) => !old.invokable_by.includes(tier));
  const lost = old.invokable_by.filter((tier) => !fresh.invokable_by.includes(tier));
  const tiers = old.tier === fresh.tier ? '' : ` (tier ${old.tier} → ${fresh.tier})`;
  if (gained.length > 0) {
    // What was reserved for people and the orchestrator is open to a model alone.
    const grade = gained.includes('T4') && !old.invokable_by.includes('T3') ? 'critical' : 'warning';
    return [
      { grade, change: 'reach', message: `${gained.join(', ')} may now invoke it${tiers}`, gained, lost },
    ];
  }
  if (lost.length === 0) return [];
  return [
    { grade: 'info', change: 'reach', message: `${lost.join(', ')} may no longer invoke it${tiers}`, lost },
  ];
}

function compareScripts(old: RoundSkill, fresh: RoundSkill): readonly Draft[] {
  const before = new Map(old.scripts.map(({ path, digest }) => [path, digest]));
  const after = new Map(fresh.scripts.map(({ path, digest }) => [path, digest]));
  const gained = [...after.keys()].filter((path) => !before.has(path));
  const lost = [...before.keys()].filter((path) => !after.has(path));
  const changed = [...after].flatMap(([path, digest]) =>
    before.has(path) && before.get(path) !== digest ? [path] : [],
  );
  const found: Draft[] = [];
  if (gained.length > 0)
    found.push({ grade: 'warning', change: 'scripts', message: `new scripts: ${gained.join(', ')}`, gained });
  if (changed.length > 0)
    found.push({ grade: 'warning', change: 'scripts', message: `changed scripts: ${changed.join(', ')}` });
  if (lost.length > 0)
    found.push({ grade: 'info', change: 'scripts', message: `removed scripts: ${lost.join(', ')}`, lost });
  return found;
}

function compareNetwork(old: RoundSkill, fresh: RoundSkill): readonly Draft[] {
  const newIn = (part: 'scripts' | 'texts') =>
    fresh.network[part].filter((word) => !old.network[part].includes(word));
  const [scripts, texts] = [newIn('scripts'), newIn('texts')];
  const found: Draft[] = [];
  if (scripts.length > 0) {
    const message = `scripts now name ${scripts.join(', ')}`;
    found.push({ grade: 'critical', change: 'network', message, gained: scripts });
  }
  if (texts.length > 0) {
    const message = `the text now names ${texts.join(', ')}`;
    found.push({ grade: 'warning', change: 'network', message, gained: texts });
  }
  return found;
}

function compareText(old: RoundSkill, fresh: RoundSkill): readonly Draft[] {
  const versioned = old.version !== fresh.version;
  const step = `${old.version ?? 'no version'} → ${fresh.version ?? 'no version'}`;
  const found: Draft[] = [];
  if (old.body_version !== fresh.body_version) {
    const kept = fresh.version === null ? 'it has none' : `still ${fresh.version}`;
    const message = versioned ? `new text, ${step}` : `the text changed without its version (${kept})`;
    found.push({ grade: versioned ? 'info' : 'warning', change: 'text', message });
  }
  if (old.description !== fresh.description)
    found.push({
      grade: 'info',
      change: 'description',
      message: 'described anew, so it triggers on other tasks',
    });
  const sameScripts = JSON.stringify(old.scripts) === JSON.stringify(fresh.scripts);
  if (old.digest === fresh.digest && sameScripts && old.tree_digest !== fresh.tree_digest)
    found.push({ grade: 'info', change: 'files', message: 'other files beside SKILL.md' });
  return found;
}

function compareSource(old: RoundSkill, fresh: RoundSkill): readonly Draft[] {
  if (old.source === fresh.source && old.root === fresh.root) return [];
  const message = `comes from ${fresh.root} (${fresh.source}) instead of ${old.root} (${old.source})`;
  return [{ grade: 'warning', change: 'source', message }];
}

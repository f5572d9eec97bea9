/** Which skills a source offers, and which of them were meant. Pure but for the reader that is handed in. */
import { ColibriError } from '../../../lib/errors.ts';
import { nearest, printable } from '../../../lib/text.ts';
import { parseSkill } from '../../skills/parse.ts';
import { SKILL_BYTES_MAX } from '../../skills/skill-file.ts';
import { SKILLS_MAX } from './limits.ts';
import type { SourceEntry, SourceTree } from './source-tree.ts';

export interface Offer {
  /** Inside the source; empty when the source itself is the skill. */
  readonly folder: string;
  readonly name: string;
}

const SKILL_FILE = 'SKILL.md';
/** Dot-folders in which repositories keep skills; all others are left out, as a scan would. */
const SKILL_HOMES: ReadonlySet<string> = new Set(['.agents', '.claude']);

/** Every folder with a SKILL.md below `subpath`, by path. A skill is not searched for further skills. */
export function skillFolders(entries: readonly SourceEntry[], subpath: string): readonly string[] {
  const folders = entries
    .filter(({ path, kind }) => kind === 'file' && (path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`)))
    .map(({ path }) => path.slice(0, -SKILL_FILE.length - 1).replace(/\/$/, ''))
    .filter((folder) => isBelow(folder, subpath) && isSearched(folder.slice(subpath.length)))
    .sort();
  const found: string[] = [];
  for (const folder of folders) if (!found.some((outer) => isBelow(folder, outer))) found.push(folder);
  return found;
}

function isBelow(folder: string, outer: string): boolean {
  return outer === '' || folder === outer || folder.startsWith(`${outer}/`);
}

function isSearched(folder: string): boolean {
  return folder
    .split('/')
    .every((segment) => (!segment.startsWith('.') || SKILL_HOMES.has(segment)) && segment !== 'node_modules');
}

export async function listOffers(tree: SourceTree, subpath: string): Promise<readonly Offer[]> {
  const folders = skillFolders(tree.entries, subpath);
  if (folders.length > SKILLS_MAX)
    throw refused(`the source has more than ${SKILLS_MAX} skills; name a folder with --path`);
  const sizes = new Map(tree.entries.map(({ path, size }) => [path, size]));
  const readable = folders.filter((folder) => (sizes.get(fileIn(folder)) ?? 0) <= SKILL_BYTES_MAX);
  const texts = await tree.read(readable.map(fileIn));
  return readable.map((folder) => {
    const where = { file: fileIn(folder), directory: null };
    const { skill } = parseSkill(texts.get(fileIn(folder)) ?? Buffer.alloc(0), where, { profile: 'lenient' });
    // One that cannot be read is offered by the name of its folder, so that it can be refused by name.
    return { folder, name: skill?.name ?? folder.split('/').at(-1) ?? '' };
  });
}

function fileIn(folder: string): string {
  return folder === '' ? SKILL_FILE : `${folder}/${SKILL_FILE}`;
}

/** Those of these names; `*` means all, null the only one there is. */
export function chooseOffers(
  offers: readonly Offer[],
  wanted: readonly string[] | null,
  known: readonly string[] = offers.map(({ name }) => name),
): readonly Offer[] {
  const names = [...new Set(known)].sort();
  if (names.length === 0) throw refused('the source has no skill: no folder with a SKILL.md; check --path');
  if (wanted === null && names.length > 1) {
    const message = `the source has ${names.length} skills: ${printable(names.join(', '))}; choose with --skill name,name or take all with --skill '*'`;
    throw new ColibriError('USAGE', message, { skills: names });
  }
  const asked = wanted === null || wanted.includes('*') ? names : wanted;
  return asked.map(
    (name) => preferred(offers.filter((offer) => offer.name === name)) ?? missing(name, names),
  );
}

/** Canonical before mirror, as in a registry; two of one rank are for a person to choose from. */
function preferred(twins: readonly Offer[]): Offer | null {
  const ranked = [...twins].sort((a, b) => rankOf(a) - rankOf(b));
  const [first, second] = ranked;
  if (first === undefined) return null;
  if (second === undefined || rankOf(first) < rankOf(second)) return first;
  const folders = ranked.map(({ folder }) => folder).join(' and ');
  throw refused(
    `the source has ${printable(first.name)} twice, in ${printable(folders)}; choose one with --path`,
  );
}

function rankOf({ folder }: Offer): number {
  if (/(?:^|\/)\.claude\//.test(folder)) return 2;
  return /(?:^|\/)\.agents\//.test(folder) ? 1 : 0;
}

function missing(name: string, names: readonly string[]): never {
  const [near] = nearest(name, names);
  const hint =
    near === undefined ? `it has ${printable(names.join(', '))}` : `did you mean ${printable(near)}?`;
  throw new ColibriError('SKILL_NOT_FOUND', `the source has no skill ${printable(name)}; ${hint}`, {
    name,
    names,
  });
}

function refused(message: string): ColibriError {
  return new ColibriError('SKILL_REFUSED', message);
}

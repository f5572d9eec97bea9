/** Random changes of a few roots: everything that people, editors, git and accidents do to folders of skills. */
import {
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { skillText } from './skill-files.ts';

/** One change: which, where, and numbers that pick the rest. */
export interface Change {
  readonly kind: (typeof CHANGES)[number];
  readonly at: number;
  readonly to: number;
  readonly text: number;
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const GROUPS = ['', '', '', 'group', 'group/deep', '.store', 'node_modules'];

export const CHANGES = [
  'write',
  'write',
  'write',
  'write-by-rename',
  'write-bad',
  'write-lower-case',
  'edit-unseen',
  'touch',
  'remove',
  'remove-file',
  'rename',
  'rename',
  'copy',
  'link-directory',
  'link-directory',
  'link-file',
  'link-outside',
  'link-broken',
  'hard-link',
  'make-directory',
  'file-in-place',
  'directory-as-file',
  'mode',
  'remove-root',
  'move-root',
] as const;

/** Applies a change as far as the disk allows: what cannot be done is left out, as it would be in real life. */
export function applyChange(roots: readonly string[], change: Change): void {
  const place = placeAt(roots, change.at);
  const other = placeAt(roots, change.to);
  try {
    APPLY[change.kind](place, other, change.text);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

function placeAt(roots: readonly string[], number: number): string {
  const root = roots[number % roots.length] ?? '';
  const rest = Math.floor(number / roots.length);
  const group = GROUPS[rest % GROUPS.length] ?? '';
  return path.join(root, group, NAMES[Math.floor(rest / GROUPS.length) % NAMES.length] ?? 'a');
}

function textFor(place: string, number: number): string {
  // Mostly the directory's own name; now and then another one.
  const name = number % 5 === 0 ? (NAMES[number % NAMES.length] ?? 'a') : path.basename(place);
  const lines = number % 3 === 0 ? [`capabilities: [x${number % 4}, y]`] : [];
  return skillText(name, { description: `Text ${number % 7}.`, lines });
}

type Apply = (place: string, other: string, text: number) => void;

const APPLY: Readonly<Record<Change['kind'], Apply>> = {
  write(place, _, text) {
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'SKILL.md'), textFor(place, text));
  },
  'write-by-rename'(place, _, text) {
    mkdirSync(place, { recursive: true });
    const temporary = path.join(place, '.SKILL.md.tmp');
    writeFileSync(temporary, textFor(place, text));
    renameSync(temporary, path.join(place, 'SKILL.md'));
  },
  'write-bad'(place, _, text) {
    mkdirSync(place, { recursive: true });
    const bad = ['', 'no frontmatter', '---\nname: x\n---\n', '---\nname: a: b\n---\n', '---\nname: a'];
    writeFileSync(path.join(place, 'SKILL.md'), bad[text % bad.length] ?? '');
  },
  'write-lower-case'(place, _, text) {
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'skill.md'), textFor(place, text));
  },
  'edit-unseen'(place) {
    const file = path.join(place, 'SKILL.md');
    const { mtime } = statSync(file);
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace(/Text (\d)/, (_, digit) => `Text ${(Number(digit) + 1) % 7}`),
    );
    utimesSync(file, mtime, mtime);
  },
  touch(place, _, text) {
    utimesSync(path.join(place, 'SKILL.md'), text, text);
  },
  remove(place) {
    rmSync(place, { recursive: true });
  },
  'remove-file'(place) {
    rmSync(path.join(place, 'SKILL.md'), { recursive: true });
  },
  rename(place, other) {
    mkdirSync(path.dirname(other), { recursive: true });
    renameSync(place, other);
  },
  copy(place, other) {
    cpSync(place, other, { recursive: true, verbatimSymlinks: true });
  },
  'link-directory'(place, other) {
    replaceByLink(place, other);
  },
  'link-file'(place, other) {
    mkdirSync(place, { recursive: true });
    replaceByLink(path.join(place, 'SKILL.md'), path.join(other, 'SKILL.md'));
  },
  'link-outside'(place, other, text) {
    const outside = path.join(path.dirname(path.dirname(other)), 'outside');
    mkdirSync(outside, { recursive: true });
    writeFileSync(path.join(outside, 'SKILL.md'), textFor('a', text));
    if (text % 2 === 0) replaceByLink(place, outside);
    else APPLY['link-file'](place, outside, text);
  },
  'link-broken'(place, _, text) {
    if (text % 2 === 0) replaceByLink(place, `${place}-nowhere`);
    else APPLY['link-file'](place, place, text);
  },
  'hard-link'(place, other) {
    mkdirSync(other, { recursive: true });
    rmSync(path.join(other, 'SKILL.md'), { force: true });
    linkSync(path.join(place, 'SKILL.md'), path.join(other, 'SKILL.md'));
  },
  'make-directory'(place) {
    mkdirSync(place, { recursive: true });
  },
  'file-in-place'(place) {
    if (lstatSync(place).isDirectory()) rmSync(place, { recursive: true });
    writeFileSync(place, 'a file');
  },
  'directory-as-file'(place) {
    rmSync(path.join(place, 'SKILL.md'), { recursive: true, force: true });
    mkdirSync(path.join(place, 'SKILL.md'), { recursive: true });
  },
  mode(place, _, text) {
    chmodSync(path.join(place, 'SKILL.md'), text % 2 === 0 ? 0o644 : 0o755);
  },
  'remove-root'(place, _, text) {
    // Rarely, or nothing would ever be left.
    if (text % 4 === 0) rmSync(rootOf(place), { recursive: true });
  },
  'move-root'(place, _, text) {
    if (text % 4 !== 0) return;
    const root = rootOf(place);
    const aside = `${root}-aside`;
    if (readdirSync(path.dirname(root)).includes(path.basename(aside))) {
      rmSync(root, { recursive: true, force: true });
      renameSync(aside, root);
    } else {
      renameSync(root, aside);
    }
  },
};

function rootOf(place: string): string {
  return place.slice(0, place.indexOf('/skills') + '/skills'.length);
}

function replaceByLink(link: string, target: string): void {
  mkdirSync(path.dirname(link), { recursive: true });
  rmSync(link, { recursive: true, force: true });
  symlinkSync(target, link);
}

/** Files that no reader can judge. */
import type { Hit, ScanFile, ScannedSkill, ScanRule } from '../scan-rule.ts';

const PROGRAM =
  /\.(?:exe|dll|so|dylib|scr|msi|com|jar|class|pyc|pyo|node|wasm|o|bin|app|dmg|pkg|deb|rpm|appimage)$/i;
const ARCHIVE = /\.(?:zip|rar|7z|tar|tgz|gz|xz|bz2|iso|cab)$/i;
const MAGIC: readonly { readonly what: string; readonly bytes: readonly number[] }[] = [
  { what: 'a Linux program', bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { what: 'a Windows program', bytes: [0x4d, 0x5a, 0x90] },
  { what: 'a macOS program', bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { what: 'a macOS program', bytes: [0xca, 0xfe, 0xba, 0xbe] },
];

export const FILES: readonly ScanRule[] = [
  {
    kind: 'skill',
    id: 'ships-program',
    severity: 'high',
    title: 'ships a compiled program',
    why: 'nobody can read what it does',
    fix: 'ship the source, or name a package',
    find: (skill) => fileHits(skill, (file) => (PROGRAM.test(file.path) ? file.path : magicOf(file))),
    bad: [],
    good: ['Only text.'],
  },
  {
    kind: 'skill',
    id: 'ships-archive',
    severity: 'medium',
    title: 'ships an archive',
    why: 'its content is not looked at, and scripts are hidden in such',
    fix: 'unpack it into the skill',
    find: (skill) => fileHits(skill, (file) => (ARCHIVE.test(file.path) ? file.path : null)),
    bad: [],
    good: ['Only text.'],
  },
];

function magicOf({ bytes }: ScanFile): string | null {
  return MAGIC.find(({ bytes: magic }) => magic.every((byte, index) => bytes[index] === byte))?.what ?? null;
}

function fileHits({ files }: ScannedSkill, judge: (file: ScanFile) => string | null): readonly Hit[] {
  return files.flatMap((file) => {
    const quote = judge(file);
    return quote === null ? [] : [{ file: file.path, line: null, quote }];
  });
}

/** The part of the command table that is about skills from elsewhere. */
import type { Command, CommandOption } from './command.ts';

const GLOBAL: CommandOption = {
  flag: '--global',
  description: 'skills of the user (~/.agents/skills) instead of the workspace',
};
const DRY_RUN: CommandOption = { flag: '--dry-run', description: 'only say what would be done' };
const YES: CommandOption = {
  flag: '--yes',
  description: 'say yes to sources that have to be asked for',
};
const ACCEPT: CommandOption = {
  flag: '--accept',
  value: 'rules',
  description: 'let findings of these rules of the security scan through, parted by commas',
};

export const INSTALL_COMMANDS: readonly Command[] = [
  {
    name: 'add',
    summary: 'install skills from git, a folder, an archive or a site, pinned in colibri.lock.json',
    usage:
      'colibri add [source] [--skill <names>] [--ref <ref>] [--path <folder>] [--frozen] [--accept <rules>] [--dry-run] [--yes] [--global]',
    args: [{ name: 'source', optional: true, completes: 'path' }],
    options: [
      { flag: '--skill', value: 'names', description: "which skills, parted by commas; '*' takes all" },
      { flag: '--ref', value: 'ref', description: 'a branch, a tag or a whole commit id' },
      { flag: '--path', value: 'folder', description: 'the folder inside the source to look in' },
      { flag: '--frozen', description: 'only what the lock pins, byte for byte; without a source all of it' },
      ACCEPT,
      DRY_RUN,
      YES,
      GLOBAL,
    ],
    examples: [
      'colibri add anthropics/skills --skill pdf,docx',
      'colibri add https://github.com/our-team/skills/tree/main/release --yes',
      'colibri add ./vendor/skills.zip --dry-run',
      'colibri add https://skills.example.org --skill "*"',
      'colibri add --frozen --yes',
    ],
    load: () => import('./commands/add.ts'),
  },
  {
    name: 'remove',
    summary: 'remove installed skills',
    usage: 'colibri remove <name>... [--force] [--dry-run] [--global] [--json]',
    args: [{ name: 'name', many: true, completes: 'skill' }],
    options: [{ flag: '--force', description: 'also skills that were edited' }, DRY_RUN, GLOBAL],
    examples: ['colibri remove pdf-tools', 'colibri remove pdf-tools --force'],
    load: () => import('./commands/remove.ts'),
  },
  {
    name: 'update',
    summary: 'bring installed skills up to date, show what changes, and keep edits',
    usage:
      'colibri update [name...] [--ref <ref>] [--accept <rules>] [--dry-run] [--yes] [--global] [--json]',
    args: [{ name: 'name', optional: true, many: true, completes: 'skill' }],
    options: [
      { flag: '--ref', value: 'ref', description: 'follow this branch or tag from now on' },
      ACCEPT,
      DRY_RUN,
      YES,
      GLOBAL,
    ],
    examples: ['colibri update --dry-run', 'colibri update pdf-tools --ref v2'],
    load: () => import('./commands/update.ts'),
  },
  {
    name: 'verify',
    summary: 'compare every installed file with the lock',
    usage: 'colibri verify [--global] [--json]',
    args: [],
    options: [GLOBAL],
    examples: ['colibri verify', 'colibri verify --json | jq .ok'],
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'publish',
    summary: 'write the skills as a site that others can install from',
    usage: 'colibri publish --out <dir> [--skill <names>] [--base-url <url>] [--json]',
    args: [],
    options: [
      { flag: '--out', value: 'dir', description: 'the folder of the site' },
      {
        flag: '--skill',
        value: 'names',
        description: "which skills, parted by commas; '*' takes all (default: those of the workspace)",
      },
      {
        flag: '--base-url',
        value: 'url',
        description: 'where the site will be, when it is not at the root of its host',
      },
    ],
    examples: [
      'colibri publish --out site',
      'colibri publish --out site --base-url https://ada.example.org/skills',
    ],
    load: () => import('./commands/publish.ts'),
  },
];

import { describe, expect, it } from 'vitest';

import {
  commandDifferences,
  differences,
  environmentNames,
  environmentReads,
  localLinks,
  namesInHeadings,
  namesInTables,
} from './documentation.ts';

describe('comparing a list with its page', () => {
  it('tells what is missing on the page and what the page made up', () => {
    const documented = namesInTables(
      '| code | meaning |\n|---|---|\n| `A` | one |\n| `GONE` | two, like `A` |\n',
    );
    expect(differences({ what: 'error code', page: 'errors.md', real: ['A', 'NEW'], documented })).toEqual([
      'error code NEW is not in errors.md; describe it',
      'error code GONE is in errors.md but does not exist',
    ]);
  });

  it('finds tools in headings, and neither in prose nor in code', () => {
    const markdown =
      '# Tools\n## `skill_list`\nUse skill_get.\n### skill_get\n## How to call\n```sh\n## not_this\n```\n';
    expect(namesInHeadings(markdown)).toEqual(['skill_list', 'skill_get']);
  });

  it('knows environment variables from constants', () => {
    expect(environmentReads("env['COLIBRI_DB'] ?? COLIBRI_FIELDS")).toEqual(['COLIBRI_DB']);
    expect(environmentNames('`COLIBRI_DB`, COLIBRI_WORKSPACE=1 and COLIBRI_*')).toEqual([
      'COLIBRI_DB',
      'COLIBRI_WORKSPACE',
    ]);
  });

  it('looks at links within the repository only', () => {
    expect(localLinks('[a](b.md#c) [d](https://x.y) [e](#f)\n```\n[g](h.md)\n```\n')).toEqual(['b.md']);
  });
});

describe('comparing the command line with its page', () => {
  const offered = {
    commands: [
      { name: 'list', options: [{ flag: '--search' }] },
      { name: 'db recover', options: [{ flag: '--force' }] },
    ],
    globals: [{ flag: '--json' }],
  };
  const good =
    '# CLI\n## Global flags\n`--json`\n## colibri list\n`--search <text>`, `--json`\n```\na -- b\n```\n' +
    '## colibri db recover\n`--force`\n';

  it('is content when every command and flag stands in its place', () => {
    expect(commandDifferences('cli.md', good, offered)).toEqual([]);
  });

  it('takes no heading from the output of a command', () => {
    const page = good.replace('a -- b', '## colibri sync');
    expect(commandDifferences('cli.md', page, offered)).toEqual([]);
  });

  it('tells a command and its flags that are not described', () => {
    expect(commandDifferences('cli.md', good.replace(/## colibri db[\s\S]*/, ''), offered)).toEqual([
      'command db recover is not in cli.md; describe it',
      'flag of colibri db recover --force is not in cli.md; describe it',
    ]);
  });

  it('tells a command and a flag that are gone', () => {
    const page = `${good}\n\`--hard\`\n## colibri sync\n`;
    expect(commandDifferences('cli.md', page, offered)).toEqual([
      'command sync is in cli.md but does not exist',
      'flag of colibri db recover --hard is in cli.md but does not exist',
    ]);
  });

  it('tells a flag that is described under another command only', () => {
    const page = good.replace('`--force`', '`--search`');
    expect(commandDifferences('cli.md', page, offered)).toEqual([
      'flag of colibri db recover --force is not in cli.md; describe it',
      'flag of colibri db recover --search is in cli.md but does not exist',
    ]);
  });

  it('tells a global flag that is not described', () => {
    expect(commandDifferences('cli.md', good.replace('`--json`\n', ''), offered)).toEqual([
      'global flag --json is not in cli.md; describe it',
    ]);
  });
});

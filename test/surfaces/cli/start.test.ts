import path from 'node:path';

import { expect, test } from 'vitest';

import { readTree } from '../../architecture/check.ts';
import { parseSourceModule } from '../../architecture/source-module.ts';

/** Every module that is loaded before a command is chosen. */
function loadedAtStart(entry: string): { own: string[]; others: string[] } {
  const tree = readTree(path.resolve(import.meta.dirname, '../../..'));
  const own = new Set([entry]);
  const others = new Set<string>();
  for (const file of own) {
    for (const edge of parseSourceModule(file, tree.get(file) ?? '').imports) {
      if (edge.typeOnly || edge.lazy) continue;
      if (edge.kind === 'own') own.add(edge.target);
      else others.add(edge.target);
    }
  }
  return { own: [...own].sort(), others: [...others].sort() };
}

test('a start loads the table and the parser; commands, database and protocol come later or never', () => {
  expect(loadedAtStart('src/cli.ts')).toEqual({
    own: [
      'src/cli-whole.ts',
      'src/cli.ts',
      'src/domains/agents/pools.ts',
      'src/domains/tasks/schema.ts',
      'src/lib/errors.ts',
      'src/lib/text.ts',
      'src/lib/version.ts',
      'src/surfaces/cli/agent-commands.ts',
      'src/surfaces/cli/care-commands.ts',
      'src/surfaces/cli/command.ts',
      'src/surfaces/cli/commands.ts',
      'src/surfaces/cli/common-options.ts',
      'src/surfaces/cli/finish.ts',
      'src/surfaces/cli/install-commands.ts',
      'src/surfaces/cli/integrity-commands.ts',
      'src/surfaces/cli/options.ts',
      'src/surfaces/cli/output.ts',
      'src/surfaces/cli/quick-commands.ts',
      'src/surfaces/cli/run-parsed.ts',
      'src/surfaces/cli/run.ts',
      'src/surfaces/cli/session-commands.ts',
      'src/surfaces/cli/switch-commands.ts',
      'src/surfaces/cli/task-commands.ts',
    ],
    others: ['fs', 'util'],
  });
});

test('a list that was kept is found without the database, the parser and the commands', () => {
  const { own, others } = loadedAtStart('src/cli-kept.ts');
  expect(own.filter((file) => /repository|\/commands|options\.ts|db\//.test(file))).toEqual([
    'src/db/database-file.ts',
    'src/surfaces/cli/common-options.ts',
  ]);
  expect(others).toEqual(['fs', 'os', 'path']);
});

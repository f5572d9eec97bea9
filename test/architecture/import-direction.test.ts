import { describe } from 'vitest';

import { testPlanted } from './planted.ts';

const value = 'export const x = 1;\n';

describe('the foundation', () => {
  testPlanted([
    {
      says: 'breaks when lib imports the kernel, even a type of it',
      files: {
        'src/lib/text.ts': "import type { x } from '../server.ts';\nexport type X = typeof x;\n",
        'src/server.ts': value,
      },
      breaks: 'foundation',
    },
    {
      says: 'breaks when the kernel imports a domain',
      files: {
        'src/server.ts': "import { x } from './domains/skills/rank.ts';\nexport const y = x;\n",
        'src/domains/skills/rank.ts': value,
      },
      breaks: 'foundation',
    },
    {
      says: 'breaks when the database layer imports the kernel',
      files: {
        'src/db/open.ts': "import { x } from '../server.ts';\nexport const y = x;\n",
        'src/server.ts': value,
      },
      breaks: 'foundation',
    },
    {
      says: 'breaks when a type is fetched by an import inside a type',
      files: { 'src/lib/text.ts': "export type X = import('../server.ts').X;\n", 'src/server.ts': value },
      breaks: 'foundation',
    },
    {
      says: 'breaks when the configuration imports a domain',
      files: {
        'src/config.ts': "import { x } from './domains/skills/schema.ts';\nexport const y = x;\n",
        'src/domains/skills/schema.ts': value,
      },
      breaks: 'foundation',
    },
    {
      says: 'breaks when the database layer reads the configuration file',
      files: {
        'src/db/open.ts': "import { x } from '../config-file.ts';\nexport const y = x;\n",
        'src/config-file.ts': value,
      },
      breaks: 'foundation',
    },
    {
      says: 'holds when the configuration loads its file',
      files: {
        'src/config.ts': "export const f = () => import('./config-file.ts');\n",
        'src/config-file.ts': "import { x } from './lib/text.ts';\nexport const y = x;\n",
        'src/lib/text.ts': value,
      },
      breaks: null,
    },
    {
      says: 'holds when db, kernel and lib import lib',
      files: {
        'src/lib/ids.ts': "import { x } from './text.ts';\nexport const y = x;\n",
        'src/lib/text.ts': value,
        'src/db/open.ts': "import { x } from '../lib/text.ts';\nexport const y = x;\n",
        'src/db/migrate.ts': "import { y } from './open.ts';\nexport const z = y;\n",
        'src/server.ts': "import { x } from './lib/text.ts';\nexport const y = x;\n",
      },
      breaks: null,
    },
  ]);
});

describe('the order of domains', () => {
  testPlanted([
    {
      says: 'breaks when a domain imports a later one',
      files: {
        'src/domains/skills/service.ts': "import { x } from '../sessions/service.ts';\nexport const y = x;\n",
        'src/domains/sessions/service.ts': value,
      },
      breaks: 'domain-order',
    },
    {
      says: 'breaks when a domain reads the storage of an earlier one',
      files: {
        'src/domains/sessions/service.ts':
          "import { x } from '../skills/repository.ts';\nexport const y = x;\n",
        'src/domains/skills/repository.ts': value,
      },
      breaks: 'domain-order',
    },
    {
      says: 'breaks when a sub-folder of a domain imports a later one',
      files: {
        'src/domains/skills/scan/scan.ts':
          "import { statSync } from 'node:fs';\nimport { x } from '../../sessions/service.ts';\nexport const y = () => statSync(x);\n",
        'src/domains/sessions/service.ts': value,
      },
      breaks: 'domain-order',
    },
    {
      says: 'breaks when a sub-folder names a type of the storage of an earlier domain',
      files: {
        'src/domains/skills/scan/scan-service.ts':
          "import type { X } from '../../events/log-repository.ts';\nexport type Y = X;\n",
        'src/domains/events/log-repository.ts': 'export type X = 1;\n',
      },
      breaks: 'domain-order',
    },
    {
      says: 'breaks when a domain lazily imports a surface',
      files: {
        'src/domains/skills/service.ts': "export const f = () => import('../../surfaces/cli/run.ts');\n",
        'src/surfaces/cli/run.ts': value,
      },
      breaks: 'domain-order',
    },
    {
      says: 'holds when a domain imports the service of an earlier one and its own storage',
      files: {
        'src/domains/sessions/service.ts':
          "import { x } from '../skills/service.ts';\nimport { z } from './repository.ts';\nexport const y = [x, z];\n",
        'src/domains/sessions/repository.ts': 'export const z = 1;\n',
        'src/domains/skills/service.ts': value,
      },
      breaks: null,
    },
    {
      says: 'breaks when a domain has no place in it',
      files: { 'src/domains/payments/schema.ts': value },
      breaks: 'known-places',
    },
    {
      says: 'breaks when a file stands outside the tree',
      files: { 'src/stuff/thing.ts': value },
      breaks: 'known-places',
    },
    {
      says: 'breaks when an import path is computed, since nobody could check it',
      files: { 'src/domains/skills/service.ts': 'export const f = (name: string) => import(name);\n' },
      breaks: 'known-places',
    },
    {
      says: 'breaks when a file imports its own package',
      files: { 'src/domains/skills/service.ts': "import { x } from 'colibri';\nexport const y = x;\n" },
      breaks: 'known-places',
    },
  ]);
});

describe('surfaces', () => {
  testPlanted([
    {
      says: 'may not import a repository',
      files: {
        'src/surfaces/http/skills.ts':
          "import { x } from '../../domains/skills/search-repository.ts';\nexport const y = x;\n",
        'src/domains/skills/search-repository.ts': value,
      },
      breaks: 'surfaces-apart',
    },
    {
      says: 'may not import the database layer',
      files: {
        'src/surfaces/cli/run.ts': "import { x } from '../../db/open.ts';\nexport const y = x;\n",
        'src/db/open.ts': value,
      },
      breaks: 'surfaces-apart',
    },
    {
      says: 'may not import each other',
      files: {
        'src/surfaces/cli/run.ts': "import { x } from '../mcp/stdio.ts';\nexport const y = x;\n",
        'src/surfaces/mcp/stdio.ts': value,
      },
      breaks: 'surfaces-apart',
    },
    {
      says: 'may not import the composition root, not even its types',
      files: {
        'src/surfaces/cli/run.ts': "import type { X } from '../../startup.ts';\nexport type Y = X;\n",
        'src/startup.ts': 'export type X = 1;\n',
      },
      breaks: 'surfaces-apart',
    },
    {
      says: 'may not run code of the kernel',
      files: {
        'src/surfaces/cli/run.ts': "import { x } from '../../server.ts';\nexport const y = x;\n",
        'src/server.ts': value,
      },
      breaks: 'surfaces-apart',
    },
    {
      says: 'may import services, their own files, lib and types of the kernel',
      files: {
        'src/surfaces/cli/run.ts':
          "import { x } from '../../domains/skills/service.ts';\nimport { y } from '../../lib/text.ts';\n" +
          "import type { X } from '../../server.ts';\nimport { z } from './table.ts';\nexport const all: X = [x, y, z];\n",
        'src/surfaces/cli/table.ts': 'export const z = 1;\n',
        'src/domains/skills/service.ts': value,
        'src/lib/text.ts': 'export const y = 1;\n',
        'src/server.ts': 'export type X = number[];\n',
      },
      breaks: null,
    },
  ]);
});

describe('entry files', () => {
  testPlanted([
    {
      says: 'may not reach past the composition root',
      files: {
        'src/library.ts': "import { x } from './domains/skills/service.ts';\nexport const y = x;\n",
        'src/domains/skills/service.ts': value,
      },
      breaks: 'composition',
    },
    {
      says: 'may not be imported by the composition root',
      files: {
        'src/startup.ts': "import { x } from './library.ts';\nexport const y = x;\n",
        'src/library.ts': value,
      },
      breaks: 'composition',
    },
    {
      says: 'may start things through the composition root, and the command line may run its surface',
      files: {
        'src/cli.ts': "import { x } from './surfaces/cli/run.ts';\nx(() => import('./startup.ts'));\n",
        'src/library.ts':
          "import { y } from './startup.ts';\nimport type { X } from './domains/skills/schema.ts';\nexport const z: X = y;\n",
        'src/startup.ts': "import { x } from './domains/skills/repository.ts';\nexport const y = x;\n",
        'src/domains/skills/repository.ts': value,
        'src/domains/skills/schema.ts': 'export type X = number;\n',
        'src/surfaces/cli/run.ts': 'export const x = (boot: unknown) => boot;\n',
      },
      breaks: null,
    },
  ]);
});

describe('deciders', () => {
  testPlanted([
    {
      says: 'may not import a repository of their own domain',
      files: {
        'src/domains/skills/rank.ts': "import type { X } from './repository.ts';\nexport type Y = X;\n",
        'src/domains/skills/repository.ts': 'export type X = 1;\n',
      },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not read files',
      files: {
        'src/domains/skills/rank.ts': "import { statSync } from 'node:fs';\nexport const y = statSync;\n",
      },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not read files through the promises of fs, without the node: prefix',
      files: {
        'src/domains/skills/rank.ts': "import { stat } from 'fs/promises';\nexport const y = stat;\n",
      },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not read files through a helper of ours',
      files: {
        'src/domains/skills/rank.ts':
          "import { realPathOf } from '../../lib/real-path.ts';\nexport const y = realPathOf;\n",
        'src/lib/real-path.ts': 'export const realPathOf = 1;\n',
      },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not use the network',
      files: { 'src/domains/policy/evaluate.ts': "export const f = () => fetch('http://127.0.0.1');\n" },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not take a clock',
      files: {
        'src/domains/tasks/lifecycle.ts':
          "import type { Clock } from '../../lib/clock.ts';\nexport type Y = Clock;\n",
        'src/lib/clock.ts': 'export type Clock = 1;\n',
      },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not call a file that reads',
      files: {
        'src/domains/skills/rank.ts': "import { x } from './skill-file.ts';\nexport const y = x;\n",
        'src/domains/skills/skill-file.ts': value,
      },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not read files in a sub-folder either',
      files: {
        'src/domains/skills/scan/rank.ts':
          "import { statSync } from 'node:fs';\nexport const y = statSync;\n",
      },
      breaks: 'pure-deciders',
    },
    {
      says: 'may not stand on the list of files that touch the world',
      files: { 'src/domains/skills/scan/walk.ts': value },
      breaks: 'pure-deciders',
    },
    {
      says: 'are not the files of that list',
      files: {
        'src/domains/skills/scan/walk.ts':
          "import { statSync } from 'node:fs';\nexport const f = () => statSync('.');\n",
      },
      breaks: null,
    },
    {
      says: 'may import schemas, other deciders, paths and the types of a service',
      files: {
        'src/domains/skills/rank.ts':
          "import path from 'node:path';\nimport { x } from './schema.ts';\nimport { z } from './tiers.ts';\n" +
          "import type { S } from './service.ts';\nexport const y = (s: S) => [path.join(x, z), s];\n",
        'src/domains/skills/schema.ts': value,
        'src/domains/skills/tiers.ts': 'export const z = 1;\n',
        'src/domains/skills/service.ts': 'export type S = 1;\n',
      },
      breaks: null,
    },
    {
      says: 'are not the services, which may read files',
      files: {
        'src/domains/integrity/drift-service.ts':
          "import { statSync } from 'node:fs';\nexport const f = () => statSync('.');\n",
      },
      breaks: null,
    },
  ]);
});

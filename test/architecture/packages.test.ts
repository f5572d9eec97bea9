import { describe } from 'vitest';

import { testPlanted } from './planted.ts';

describe('the database driver', () => {
  testPlanted([
    {
      says: 'may not be imported by a service',
      files: {
        'src/domains/skills/service.ts':
          "import Database from 'better-sqlite3';\nexport const y = Database;\n",
      },
      breaks: 'database-at-home',
    },
    {
      says: 'may not be imported as a type by a tool',
      files: {
        'src/domains/skills/tools.ts': "import type { Kysely } from 'kysely';\nexport type Y = Kysely;\n",
      },
      breaks: 'database-at-home',
    },
    {
      says: 'may not be replaced by the one of Node',
      files: {
        'src/lib/text.ts': "import { DatabaseSync } from 'node:sqlite';\nexport const y = DatabaseSync;\n",
      },
      breaks: 'database-at-home',
    },
    {
      says: 'may be imported by repositories, the database layer and the composition root',
      files: {
        'src/domains/skills/repository.ts':
          "import type Database from 'better-sqlite3';\nexport type Y = Database;\n",
        'src/domains/skills/search-repository.ts': "import { sql } from 'kysely';\nexport const y = sql;\n",
        'src/db/dialects/sqlite.ts': "import Database from 'better-sqlite3';\nexport const y = Database;\n",
        'src/startup.ts': "import type Database from 'better-sqlite3';\nexport type Y = Database;\n",
      },
      breaks: null,
    },
    {
      says: 'is not a package whose name only begins like it',
      files: { 'src/lib/text.ts': "import { x } from 'kysely-like';\nexport const y = x;\n" },
      breaks: null,
    },
  ]);
});

describe('frameworks', () => {
  testPlanted([
    {
      says: 'break out when the kernel runs the MCP SDK',
      files: {
        'src/server.ts':
          "import { McpServer } from '@modelcontextprotocol/server';\nexport const y = McpServer;\n",
      },
      breaks: 'frameworks-at-home',
    },
    {
      says: 'break out when only the names are types, since the import itself stays',
      files: {
        'src/server.ts':
          "import { type ToolAnnotations } from '@modelcontextprotocol/server';\nexport type Y = ToolAnnotations;\n",
      },
      breaks: 'frameworks-at-home',
    },
    {
      says: 'break out when hono is imported outside http, even as a type',
      files: { 'src/startup.ts': "import type { Hono } from 'hono';\nexport type Y = Hono;\n" },
      breaks: 'frameworks-at-home',
    },
    {
      says: 'break out when arguments are parsed outside the command line',
      files: {
        'src/config.ts': "import { parseArgs } from 'node:util';\nexport const f = () => parseArgs();\n",
      },
      breaks: 'frameworks-at-home',
    },
    {
      says: 'break out when a whole module is taken to parse arguments',
      files: { 'src/config.ts': "import util from 'node:util';\nexport const f = () => util.parseArgs();\n" },
      breaks: 'frameworks-at-home',
    },
    {
      says: 'stay at home when each surface imports its own and others take types of the MCP SDK',
      files: {
        'src/server.ts':
          "import type { ToolAnnotations } from '@modelcontextprotocol/server';\nexport type Y = ToolAnnotations;\n",
        'src/surfaces/mcp/stdio.ts':
          "import { McpServer } from '@modelcontextprotocol/server';\nexport const y = McpServer;\n",
        'src/surfaces/http/app.ts':
          "import { Hono } from 'hono';\nimport { serve } from '@hono/node-server';\nexport const y = [Hono, serve];\n",
        'src/surfaces/cli/options.ts':
          "import { parseArgs } from 'node:util';\nexport const y = parseArgs;\n",
      },
      breaks: null,
    },
  ]);
});

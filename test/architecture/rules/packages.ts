import { isRepository, placeOf } from '../places.ts';
import { at, type Rule } from '../rule.ts';
import type { ImportEdge } from '../source-module.ts';

/** SQL has one home per domain; types of the driver count too, since they carry its API out of it. */
export const databaseAtHome: Rule = {
  name: 'database-at-home',
  *check({ modules }) {
    for (const module of modules) {
      const { layer } = placeOf(module.path);
      if (layer === 'db' || layer === 'startup' || isRepository(module.path)) continue;
      for (const edge of module.imports.filter(isDatabase)) {
        yield at(module, edge.line, `imports ${edge.specifier}; put the SQL into a repository`);
      }
    }
  },
};

const DATABASE_PACKAGES: ReadonlySet<string> = new Set(['better-sqlite3', 'kysely', 'pg']);

function isDatabase(edge: ImportEdge): boolean {
  if (edge.kind === 'node') return edge.target === 'sqlite';
  return edge.kind === 'package' && DATABASE_PACKAGES.has(edge.target);
}

interface Framework {
  readonly what: string;
  readonly home: string;
  readonly matches: (edge: ImportEdge) => boolean;
  readonly typesAnywhere: boolean;
}

const ARGUMENT_PARSERS: ReadonlySet<string> = new Set([
  'commander',
  'cac',
  'citty',
  'yargs',
  'minimist',
  'mri',
  'clipanion',
]);

const FRAMEWORKS: readonly Framework[] = [
  {
    what: 'the MCP SDK',
    home: 'src/surfaces/mcp/',
    matches: (edge) => edge.kind === 'package' && edge.target.startsWith('@modelcontextprotocol/'),
    typesAnywhere: true,
  },
  {
    what: 'hono',
    home: 'src/surfaces/http/',
    matches: (edge) => edge.kind === 'package' && /^(?:hono|@hono\/.+)$/.test(edge.target),
    typesAnywhere: false,
  },
  {
    what: 'an argument parser',
    home: 'src/surfaces/cli/',
    matches: (edge) => edge.kind === 'package' && ARGUMENT_PARSERS.has(edge.target),
    typesAnywhere: false,
  },
];

export const frameworksAtHome: Rule = {
  name: 'frameworks-at-home',
  *check({ modules }) {
    for (const module of modules) {
      for (const edge of module.imports) {
        for (const framework of FRAMEWORKS.filter(({ matches }) => matches(edge))) {
          if (module.path.startsWith(framework.home) || (framework.typesAnywhere && edge.typeOnly)) continue;
          const hint = framework.typesAnywhere ? ' or write `import type`' : '';
          yield at(
            module,
            edge.line,
            `imports ${framework.what}, which stays in ${framework.home};${hint} move the code there`,
          );
        }
      }
      if (module.path.startsWith('src/surfaces/cli/')) continue;
      // Node's own argument parser hides in node:util, so its name is looked for instead of the module.
      for (const { node } of module.visits) {
        if (node.type === 'Identifier' && node.name === 'parseArgs') {
          yield at(module, module.lineOf(node.start), 'parses arguments, which is done in src/surfaces/cli/');
          break;
        }
      }
    }
  },
};

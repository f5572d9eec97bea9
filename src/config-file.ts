/** `colibri.config.{json,yaml}`: its schema, and reading it. Loaded only when there is such a file. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { ColibriError, messageOf } from './lib/errors.ts';
import { nearest } from './lib/text.ts';
import { parseYaml } from './lib/yaml.ts';

export interface RootSettings {
  readonly path?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly profile?: 'strict' | 'lenient' | 'publish' | undefined;
  readonly depth?: number | undefined;
  readonly trust?: 'digest' | 'path' | undefined;
}

export interface ExtraRootSettings extends RootSettings {
  readonly path: string;
  readonly source?: 'workspace' | 'global' | 'mirror' | 'repo' | undefined;
}

export interface ConfigFile {
  readonly $schema?: string | undefined;
  readonly database?: string | undefined;
  readonly surface?: 'full' | 'phase-0' | undefined;
  readonly watch?: 'auto' | 'poll' | 'off' | undefined;
  readonly tiers?: 'advise' | 'enforce' | undefined;
  readonly untrusted?: 'marked' | 'hidden' | undefined;
  readonly catalog?:
    | { readonly fields?: readonly ('compatibility' | 'allowed-tools')[] | undefined }
    | undefined;
  readonly search?: { readonly usage?: boolean | undefined } | undefined;
  readonly command?: { readonly custom_dirs?: readonly string[] | undefined } | undefined;
  readonly http?:
    | {
        readonly host?: string | undefined;
        readonly port?: number | undefined;
        readonly token?: string | undefined;
      }
    | undefined;
  readonly roots?:
    | {
        readonly workspace?: RootSettings | undefined;
        readonly global?: RootSettings | undefined;
        readonly mirror?: RootSettings | undefined;
        readonly extra?: readonly ExtraRootSettings[] | undefined;
      }
    | undefined;
}

const root = z.strictObject({
  path: z.string().min(1).optional().describe('the folder, relative to the workspace or from ~/'),
  enabled: z.boolean().optional().describe('false leaves this root out'),
  profile: z.enum(['strict', 'lenient', 'publish']).optional().describe('how forgiving the validation is'),
  depth: z.int().min(1).max(8).optional().describe('levels below the root at which a skill may lie'),
  trust: z.enum(['digest', 'path']).optional().describe('path: its skills stay trusted when they change'),
});

const extraRoot = root.extend({
  path: z.string().min(1).describe('the folder, relative to the workspace or from ~/'),
  source: z.enum(['workspace', 'global', 'mirror', 'repo']).optional().describe('what kind of root it is'),
});

const catalog = z.strictObject({
  fields: z
    .array(z.enum(['compatibility', 'allowed-tools']))
    .optional()
    .describe('more facts for each line of a catalog'),
});

const search = z.strictObject({
  usage: z
    .boolean()
    .optional()
    .describe('whether skills that were used more often come first among those that fit equally well'),
});

const command = z.strictObject({
  custom_dirs: z
    .array(
      z
        .string()
        .min(1)
        .regex(/^[^,]*$/, 'a path with a comma cannot be named here'),
    )
    .optional()
    .describe('folders of Markdown files that work as commands, relative to the workspace or from ~/'),
});

const http = z.strictObject({
  host: z.string().min(1).optional().describe('the address that serve --http listens on'),
  port: z.int().min(0).max(65535).optional().describe('the port; 0 takes any free one'),
  token: z
    .string()
    .min(16)
    .regex(/^[\x21-\x7e]*$/, 'use ASCII letters, digits and signs, no blanks')
    .optional()
    .describe('the bearer token; needed beyond loopback'),
});

const roots = z.strictObject({
  workspace: root.optional().describe('the canonical root'),
  global: root.optional().describe("the user's own root"),
  mirror: root.optional().describe('the mirror for other hosts'),
  extra: z.array(extraRoot).optional().describe('more roots, lowest precedence, in this order'),
});

const wholeFile = z
  .strictObject({
    $schema: z.string().optional(),
    database: z.string().min(1).optional().describe('the database file, relative to the workspace'),
    surface: z.enum(['full', 'phase-0']).optional().describe('which MCP tools are offered'),
    watch: z.enum(['auto', 'poll', 'off']).optional().describe('how serve notices changes on disk'),
    tiers: z.enum(['advise', 'enforce']).optional().describe('whether tiers hide skills or only mark them'),
    untrusted: z
      .enum(['marked', 'hidden'])
      .optional()
      .describe('whether skills that nobody vouched for are marked or hidden from agents'),
    catalog: catalog.optional(),
    search: search.optional(),
    command: command.optional(),
    http: http.optional(),
    roots: roots.optional(),
  })
  .describe('Configuration of Colibri for one workspace');

export const configFileSchema: z.ZodType<ConfigFile> = wholeFile;

/** Far more than every setting together needs. */
const CONFIG_BYTES_MAX = 64 * 1024;

export function readConfigFile(file: string): ConfigFile {
  const parsed = configFileSchema.safeParse(parseFile(file));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(describeIssue);
  throw new ColibriError('CONFIG_INVALID', `${file}: ${problems.join('; ')}`, { file, problems });
}

function parseFile(file: string): unknown {
  const text = readText(file);
  return path.extname(file) === '.json' ? parseJson(file, text) : parseYamlFile(file, text);
}

function readText(file: string): string {
  try {
    const stats = statSync(file);
    // A pipe would be waited for, and a file of this size is a mistake.
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > CONFIG_BYTES_MAX) throw new Error(`it is larger than ${CONFIG_BYTES_MAX} bytes`);
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new ColibriError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(error)}`, { file });
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ColibriError('CONFIG_INVALID', `${file} is not valid JSON: ${messageOf(error)}`, { file });
  }
}

function parseYamlFile(file: string, text: string): unknown {
  const yaml = parseYaml(text.endsWith('\n') ? text : `${text}\n`);
  if (yaml.ok) return yaml.value ?? {};
  const { message, line } = yaml.problem;
  const where = line === null ? file : `${file}:${line}`;
  throw new ColibriError('CONFIG_INVALID', `${where} is not valid YAML: ${message}`, { file, line });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  if (issue.code !== 'unrecognized_keys') return `${where}${issue.message}`;
  const known = keysAt(issue.path);
  const unknown = issue.keys.map((key) => {
    const [near] = nearest(key, known);
    return near === undefined ? `${key} (known here: ${known.join(', ')})` : `${key} (did you mean ${near}?)`;
  });
  return `${where}unknown key ${unknown.join(', ')}`;
}

function keysAt([first, second]: readonly PropertyKey[]): readonly string[] {
  if (first === undefined) return Object.keys(wholeFile.shape);
  if (first === 'catalog') return Object.keys(catalog.shape);
  if (first === 'search') return Object.keys(search.shape);
  if (first === 'command') return Object.keys(command.shape);
  if (first === 'http') return Object.keys(http.shape);
  if (second === undefined) return Object.keys(roots.shape);
  return Object.keys((second === 'extra' ? extraRoot : root).shape);
}

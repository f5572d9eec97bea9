/** Every setting: its key, its variable, its default and what it may be. */
export interface Setting {
  readonly key: string;
  readonly env: string | null;
  readonly meaning: string;
  readonly fallback: string;
  /** What a text from a flag or the environment must look like; absent: any non-empty text. */
  readonly accepts?: readonly string[] | 'boolean' | { readonly min: number; readonly max: number };
  /** Holds any number of the accepted words, between commas. */
  readonly list?: boolean;
  /** Never shown, neither in reports nor in messages. */
  readonly secret?: { readonly charsMin: number };
}

/** Short enough to type, long enough not to be guessed over a network. */
const TOKEN_CHARS_MIN = 16;

const PROFILES = ['strict', 'lenient', 'publish'] as const;

function rootSettings(
  name: 'workspace' | 'global' | 'mirror',
  env: string,
  fallback: string,
): readonly Setting[] {
  const key = (field: string) => `roots.${name}.${field}`;
  return [
    { key: key('path'), env, meaning: `the ${name} root, relative to the workspace or from ~/`, fallback },
    {
      key: key('enabled'),
      env: null,
      meaning: `whether the ${name} root is scanned`,
      fallback: 'true',
      accepts: 'boolean',
    },
    {
      key: key('profile'),
      env: null,
      meaning: `how forgiving its validation is`,
      fallback: 'strict',
      accepts: PROFILES,
    },
    {
      key: key('depth'),
      env: null,
      meaning: `levels below it at which a skill may lie`,
      fallback: '1',
      accepts: { min: 1, max: 8 },
    },
    {
      key: key('trust'),
      env: null,
      meaning: `whether its skills stay trusted when they change`,
      fallback: 'digest',
      accepts: ['digest', 'path'],
    },
  ];
}

/** Every setting, its variable and its default. The file uses the same keys, nested. */
export const SETTINGS: readonly Setting[] = [
  { key: 'workspace', env: 'COLIBRI_WORKSPACE', meaning: 'the folder that Colibri works for', fallback: '.' },
  {
    key: 'config',
    env: 'COLIBRI_CONFIG',
    meaning: 'the configuration file, instead of colibri.config.{json,yaml,yml}',
    fallback: '',
  },
  {
    key: 'database',
    env: 'COLIBRI_DB',
    meaning: 'the database file, relative to the workspace, or :memory:',
    fallback: 'data/colibri.db',
  },
  {
    key: 'surface',
    env: 'COLIBRI_SURFACE',
    meaning: 'which MCP tools are offered',
    fallback: 'full',
    accepts: ['full', 'phase-0'],
  },
  {
    key: 'watch',
    env: 'COLIBRI_WATCH',
    meaning: 'how serve notices changes on disk',
    fallback: 'auto',
    accepts: ['auto', 'poll', 'off'],
  },
  {
    key: 'tiers',
    env: 'COLIBRI_TIERS',
    meaning: 'whether skill tiers hide skills from agents or only mark them',
    fallback: 'advise',
    accepts: ['advise', 'enforce'],
  },
  {
    key: 'untrusted',
    env: 'COLIBRI_UNTRUSTED',
    meaning: 'whether skills that nobody vouched for are marked or hidden from agents',
    fallback: 'marked',
    accepts: ['marked', 'hidden'],
  },
  {
    key: 'trust.workspace',
    env: 'COLIBRI_TRUST_WORKSPACE',
    meaning: 'trust all of the workspace: its skills, its policy, its configuration',
    fallback: '0',
    accepts: ['0', '1'],
  },
  {
    key: 'search.usage',
    env: 'COLIBRI_SEARCH_USAGE',
    meaning: 'whether skills that were used more often come first among those that fit equally well',
    fallback: 'false',
    accepts: ['true', 'false'],
  },
  {
    key: 'catalog.fields',
    env: 'COLIBRI_CATALOG_FIELDS',
    meaning: 'more facts for each line of a catalog: compatibility, allowed-tools',
    fallback: '',
    accepts: ['compatibility', 'allowed-tools'],
    list: true,
  },
  {
    key: 'command.custom_dirs',
    env: 'COLIBRI_COMMAND_DIRS',
    meaning: 'folders of Markdown files that work as commands, parted by commas',
    fallback: '',
  },
  {
    key: 'http.host',
    env: 'COLIBRI_HTTP_HOST',
    meaning: 'the address that serve --http listens on',
    fallback: '127.0.0.1',
  },
  {
    key: 'http.port',
    env: 'COLIBRI_HTTP_PORT',
    meaning: 'its port; 0 takes any free one',
    fallback: '4870',
    accepts: { min: 0, max: 65535 },
  },
  {
    key: 'http.token',
    env: 'COLIBRI_HTTP_TOKEN',
    meaning: 'the bearer token, needed beyond loopback',
    fallback: '',
    secret: { charsMin: TOKEN_CHARS_MIN },
  },
  ...rootSettings('workspace', 'COLIBRI_SKILLS_ROOT', '.agents/skills'),
  ...rootSettings('global', 'COLIBRI_GLOBAL_ROOT', '~/.agents/skills'),
  ...rootSettings('mirror', 'COLIBRI_MIRROR_ROOT', '.claude/skills'),
];

/**
 * How other hosts find skills, as far as their documentation or their code tells. Every row has the fact that it stands
 * for; what nobody documents is marked so instead of being guessed.
 */

export type HostId =
  | 'claude-code'
  | 'codex'
  | 'opencode'
  | 'gemini-cli'
  | 'cursor'
  | 'copilot'
  | 'goose'
  | 'amp'
  | 'pi';

export interface HostPlace {
  readonly scope: 'system' | 'user' | 'project';
  /** Absolute for the system, below the home or below the project else. */
  readonly path: string;
  /** `up`: in every folder from here up to the repository's root. `below`: in folders below this one, too. */
  readonly reach?: 'up' | 'below';
  /** Looked at only when the user trusts the folder. */
  readonly needsTrust?: boolean;
  /** Markdown files right in it are skills. */
  readonly markdown?: boolean;
  readonly fact: string;
}

export interface HostRule {
  readonly id: HostId;
  readonly name: string;
  /** What the rows were read from, and when. */
  readonly source: string;
  /** In the order in which they decide: see `collisions`. */
  readonly places: readonly HostPlace[];
  /** How many levels below a place a skill may lie; 0 is a SKILL.md right in it. */
  readonly levels: { readonly min: number; readonly max: number; readonly fact: string };
  /** Who has a name that two skills claim. */
  readonly collisions: {
    readonly rule: 'first' | 'last' | 'all' | 'undocumented';
    /** The order between places of one scope is not settled. */
    readonly racy?: boolean;
    readonly fact: string;
  };
  /** What a skill is called. */
  readonly naming: {
    readonly by: 'directory' | 'frontmatter' | 'equal';
    /** Whether the frontmatter must name it. */
    readonly required: boolean;
    /** Names that differ in case only are one. */
    readonly ignoresCase?: boolean;
    readonly fact: string;
  };
  readonly description: { readonly required: boolean; readonly fact: string };
  /** Frontmatter that is no YAML because of a colon in a value. */
  readonly repairsColons: { readonly does: boolean; readonly fact: string };
  readonly links: { readonly followed: boolean; readonly sameOnce: boolean; readonly fact: string };
  /** Whether `disable-model-invocation` keeps a skill from the model. */
  readonly hidesFromModel: boolean;
  /** What `$1` is; null where arguments are not put in, or nothing is documented. */
  readonly firstArgument: 0 | 1 | null;
}

const STANDARD_NAME = 'the standard wants a name; nothing else is documented';
const STANDARD_DESCRIPTION = 'the standard wants a description; nothing else is documented';
const STANDARD_YAML = 'the standard wants YAML; no repair is documented';
const LINKS_UNKNOWN = 'not documented; reading a linked folder is what the system does by itself';
const ONE_LEVEL = { min: 1, max: 1, fact: 'one folder for each skill below the place' } as const;

const CLAUDE_CODE: HostRule = {
  id: 'claude-code',
  name: 'Claude Code',
  source: 'claude-code-docs docs/skills.md, August 2026',
  places: [
    {
      scope: 'system',
      path: '/etc/claude-code/.claude/skills',
      fact: 'managed skills come before all others',
    },
    { scope: 'user', path: '.claude/skills', fact: 'personal skills come before those of a project' },
    {
      scope: 'project',
      path: '.claude/skills',
      reach: 'up',
      fact: 'from the current folder up to the root of the repository',
    },
    {
      scope: 'project',
      path: '.claude/skills',
      reach: 'below',
      fact: 'nested folders are loaded once a file beside them is touched',
    },
  ],
  levels: ONE_LEVEL,
  collisions: { rule: 'first', fact: 'enterprise before personal before project; nested ones get a prefix' },
  naming: {
    by: 'directory',
    required: false,
    fact: 'the folder is the command; the name in the frontmatter is only shown',
  },
  description: { required: false, fact: 'without one the first paragraph stands in' },
  repairsColons: { does: false, fact: STANDARD_YAML },
  links: { followed: true, sameOnce: true, fact: 'two links to one target are loaded once' },
  hidesFromModel: true,
  firstArgument: 0,
};

const CODEX: HostRule = {
  id: 'codex',
  name: 'Codex',
  source: 'openai/codex host_roots.rs, loader and parser, 2026',
  places: [
    { scope: 'project', path: '.codex/skills', fact: 'skills of a project layer of the configuration' },
    {
      scope: 'project',
      path: '.agents/skills',
      reach: 'up',
      fact: 'in every folder from the root of the project to the current one',
    },
    { scope: 'user', path: '.codex/skills', fact: 'CODEX_HOME, deprecated but read' },
    { scope: 'user', path: '.agents/skills', fact: 'skills of the user' },
    { scope: 'system', path: '/etc/codex/skills', fact: 'skills of the administrator' },
  ],
  levels: { min: 1, max: 6, fact: 'down to six levels, 2000 folders' },
  collisions: { rule: 'all', fact: 'nothing is shadowed; all skills of one name are offered' },
  naming: { by: 'frontmatter', required: false, fact: 'the folder stands in for a missing name' },
  description: { required: true, fact: 'a skill without a description is not loaded' },
  repairsColons: { does: true, fact: 'lines with colons are quoted and read again' },
  links: {
    followed: false,
    sameOnce: true,
    fact: 'linked skill folders are not seen (openai/codex 15756, open)',
  },
  hidesFromModel: false,
  firstArgument: null,
};

const OPENCODE: HostRule = {
  id: 'opencode',
  name: 'OpenCode',
  source: 'anomalyco/opencode skill/index.ts and skills.mdx, 2026',
  places: [
    { scope: 'user', path: '.claude/skills', fact: 'loaded first, so everything else overrides it' },
    { scope: 'user', path: '.agents/skills', fact: 'loaded with the user’s other folder' },
    {
      scope: 'project',
      path: '.claude/skills',
      reach: 'up',
      fact: 'from the current folder up to the worktree',
    },
    {
      scope: 'project',
      path: '.agents/skills',
      reach: 'up',
      fact: 'from the current folder up to the worktree',
    },
    { scope: 'project', path: '.opencode/skill', fact: 'its own folder of the project' },
    { scope: 'project', path: '.opencode/skills', fact: 'its own folder of the project' },
    {
      scope: 'user',
      path: '.config/opencode/skill',
      fact: 'its own folder of the user, loaded after the project',
    },
    {
      scope: 'user',
      path: '.config/opencode/skills',
      fact: 'its own folder of the user, loaded after the project',
    },
  ],
  levels: { min: 0, max: 8, fact: 'every SKILL.md below the place' },
  collisions: {
    rule: 'last',
    racy: true,
    fact: 'the last one loaded wins; folders are read at the same time, so that those of one scope may race',
  },
  naming: { by: 'frontmatter', required: true, fact: STANDARD_NAME },
  description: { required: false, fact: 'optional in its code' },
  repairsColons: { does: false, fact: STANDARD_YAML },
  links: { followed: true, sameOnce: false, fact: LINKS_UNKNOWN },
  hidesFromModel: false,
  firstArgument: 1,
};

const GEMINI_CLI: HostRule = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  source: 'gemini-cli packages/core/src/skills and docs/cli/skills.md, 2026',
  places: [
    {
      scope: 'user',
      path: '.gemini/skills',
      fact: 'the user comes before the workspace, hence is overridden',
    },
    { scope: 'user', path: '.agents/skills', fact: '.agents overrides .gemini of the same scope' },
    { scope: 'project', path: '.gemini/skills', needsTrust: true, fact: 'only in a trusted folder' },
    {
      scope: 'project',
      path: '.agents/skills',
      needsTrust: true,
      fact: 'overrides all others; only in a trusted folder',
    },
  ],
  levels: { min: 0, max: 1, fact: 'SKILL.md and */SKILL.md' },
  collisions: { rule: 'last', fact: 'built-in, extension, user, workspace: each overrides those before it' },
  naming: {
    by: 'frontmatter',
    required: true,
    ignoresCase: true,
    fact: 'loaded by its name alone, which is looked up without regard to case',
  },
  description: { required: true, fact: 'name and description are all that it reads' },
  repairsColons: { does: true, fact: 'falls back to reading line by line' },
  links: { followed: true, sameOnce: false, fact: 'two paths to one file are reported as a conflict' },
  hidesFromModel: false,
  firstArgument: null,
};

const CURSOR: HostRule = {
  id: 'cursor',
  name: 'Cursor',
  source: 'Cursor documentation on skills, 2026',
  places: [
    {
      scope: 'project',
      path: '.agents/skills',
      reach: 'below',
      fact: 'anywhere in the repository, for its folder',
    },
    {
      scope: 'project',
      path: '.cursor/skills',
      reach: 'below',
      fact: 'anywhere in the repository, for its folder',
    },
    { scope: 'user', path: '.agents/skills', fact: 'skills of the user' },
    { scope: 'user', path: '.cursor/skills', fact: 'skills of the user' },
    { scope: 'project', path: '.claude/skills', fact: 'read for compatibility' },
    { scope: 'project', path: '.codex/skills', fact: 'read for compatibility' },
    { scope: 'user', path: '.claude/skills', fact: 'read for compatibility' },
    { scope: 'user', path: '.codex/skills', fact: 'read for compatibility' },
  ],
  levels: ONE_LEVEL,
  collisions: { rule: 'undocumented', fact: 'which copy wins is not documented' },
  naming: { by: 'frontmatter', required: true, fact: STANDARD_NAME },
  description: { required: true, fact: STANDARD_DESCRIPTION },
  repairsColons: { does: false, fact: STANDARD_YAML },
  links: { followed: true, sameOnce: false, fact: LINKS_UNKNOWN },
  hidesFromModel: true,
  firstArgument: null,
};

const COPILOT: HostRule = {
  id: 'copilot',
  name: 'Copilot',
  source: 'vscode-docs agent-skills.md, August 2026',
  places: [
    { scope: 'project', path: '.github/skills', fact: 'skills of the project' },
    { scope: 'project', path: '.claude/skills', fact: 'skills of the project' },
    { scope: 'project', path: '.agents/skills', fact: 'skills of the project' },
    { scope: 'user', path: '.copilot/skills', fact: 'skills of the user' },
    { scope: 'user', path: '.claude/skills', fact: 'skills of the user' },
    { scope: 'user', path: '.agents/skills', fact: 'skills of the user' },
  ],
  levels: ONE_LEVEL,
  collisions: { rule: 'undocumented', fact: 'which copy wins is not documented' },
  naming: {
    by: 'equal',
    required: true,
    fact: 'a name that is not that of its folder, or has other characters, is not loaded, without a word',
  },
  description: { required: true, fact: STANDARD_DESCRIPTION },
  repairsColons: { does: false, fact: STANDARD_YAML },
  links: { followed: true, sameOnce: false, fact: LINKS_UNKNOWN },
  hidesFromModel: true,
  firstArgument: null,
};

const GOOSE: HostRule = {
  id: 'goose',
  name: 'Goose',
  source: 'goose crates/goose/src/skills/mod.rs, May 2026',
  places: [
    { scope: 'project', path: '.agents/skills', fact: 'the project comes before the user' },
    { scope: 'project', path: '.goose/skills', fact: 'second in the project' },
    { scope: 'project', path: '.claude/skills', fact: 'third in the project' },
    { scope: 'user', path: '.agents/skills', fact: 'first of the user' },
    { scope: 'user', path: '.config/goose/skills', fact: 'its own folder of configuration' },
    { scope: 'user', path: '.claude/skills', fact: 'third of the user' },
    { scope: 'user', path: '.config/agents/skills', fact: 'last of the user' },
  ],
  levels: ONE_LEVEL,
  collisions: { rule: 'first', fact: 'the first one found wins, the project before the user' },
  naming: { by: 'frontmatter', required: true, fact: STANDARD_NAME },
  description: { required: true, fact: STANDARD_DESCRIPTION },
  repairsColons: { does: false, fact: STANDARD_YAML },
  links: { followed: true, sameOnce: false, fact: LINKS_UNKNOWN },
  hidesFromModel: false,
  firstArgument: 1,
};

const AMP: HostRule = {
  id: 'amp',
  name: 'Amp',
  source: 'Amp manual, 2026',
  places: [
    { scope: 'user', path: '.config/agents/skills', fact: 'looked at first of all' },
    { scope: 'user', path: '.agents/skills', fact: 'the user comes before the project' },
    { scope: 'user', path: '.config/amp/skills', fact: 'its own folder of configuration' },
    { scope: 'project', path: '.agents/skills', fact: 'first in the project' },
    { scope: 'project', path: '.claude/skills', fact: 'second in the project' },
    { scope: 'user', path: '.claude/skills', fact: 'looked at last' },
  ],
  levels: ONE_LEVEL,
  collisions: { rule: 'first', fact: 'the first in this order wins: the user before the project' },
  naming: { by: 'frontmatter', required: true, fact: STANDARD_NAME },
  description: { required: true, fact: STANDARD_DESCRIPTION },
  repairsColons: { does: false, fact: STANDARD_YAML },
  links: { followed: true, sameOnce: false, fact: LINKS_UNKNOWN },
  hidesFromModel: false,
  firstArgument: null,
};

const PI: HostRule = {
  id: 'pi',
  name: 'pi',
  source: 'earendil-works/pi docs/skills.md and core/skills.ts, 2026',
  places: [
    { scope: 'user', path: '.pi/agent/skills', markdown: true, fact: 'its own folder of the user' },
    { scope: 'user', path: '.agents/skills', fact: 'skills of the user' },
    {
      scope: 'project',
      path: '.pi/skills',
      needsTrust: true,
      markdown: true,
      fact: 'only in a trusted project',
    },
    {
      scope: 'project',
      path: '.agents/skills',
      reach: 'up',
      needsTrust: true,
      fact: 'up to the root of the repository; only in a trusted project',
    },
  ],
  levels: { min: 1, max: 6, fact: 'searched down; a folder with a SKILL.md is not searched further' },
  collisions: { rule: 'first', fact: 'the first one found wins, and a diagnostic names the other' },
  naming: {
    by: 'frontmatter',
    required: false,
    fact: 'the folder stands in for a missing name; they may differ',
  },
  description: { required: true, fact: STANDARD_DESCRIPTION },
  repairsColons: { does: false, fact: STANDARD_YAML },
  links: { followed: true, sameOnce: true, fact: 'paths to one real file are one skill' },
  hidesFromModel: true,
  firstArgument: null,
};

export const HOSTS: readonly HostRule[] = [
  CLAUDE_CODE,
  CODEX,
  OPENCODE,
  GEMINI_CLI,
  CURSOR,
  COPILOT,
  GOOSE,
  AMP,
  PI,
];

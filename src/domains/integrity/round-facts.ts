/** What a skill could reach at one moment: the facts that a round keeps of it. Pure. */
import { sha256Hex } from '../../lib/digest.ts';
import { isExecutable, type SkillTree, syncedFiles, treeDigest } from './drift-manifest.ts';

export interface RoundScript {
  readonly path: string;
  readonly digest: string;
}

export interface RoundSkill {
  readonly name: string;
  readonly version: string | null;
  readonly description: string;
  readonly source: string;
  /** The root as displayed. */
  readonly root: string;
  /** sha256 of the SKILL.md. */
  readonly digest: string;
  readonly body_version: string;
  readonly tier: number;
  readonly invokable_by: readonly string[];
  readonly allowed_tools: readonly string[];
  readonly disallowed_tools: readonly string[];
  readonly required_tools: readonly string[];
  readonly capabilities: readonly string[];
  readonly scripts: readonly RoundScript[];
  /** Of all files; null when they could not be read as a whole. */
  readonly tree_digest: string | null;
  /** Hosts and programs of the network that scripts name, and those that texts name. */
  readonly network: { readonly scripts: readonly string[]; readonly texts: readonly string[] };
}

/** What the index knows of a skill, as far as a round keeps it. */
export type IndexedFacts = Omit<RoundSkill, 'scripts' | 'tree_digest' | 'network'>;

/** A file as far as its text tells of the network; null for what is no text. */
export interface RoundFile {
  readonly path: string;
  readonly text: string | null;
}

export function factsOf(
  skill: IndexedFacts,
  { tree, files }: { readonly tree: SkillTree | null; readonly files: readonly RoundFile[] },
): RoundSkill {
  const texts = new Map(files.map(({ path, text }) => [path, text ?? '']));
  const entries = tree?.entries.flatMap((entry) => (entry.kind === 'file' ? [entry] : [])) ?? [];
  const scripts = entries.filter(({ path, mode }) => isScript(path, mode, texts.get(path) ?? ''));
  const paths = new Set(scripts.map(({ path }) => path));
  const words = (wanted: boolean) =>
    networkWords(files.filter(({ path }) => paths.has(path) === wanted).map(({ text }) => text ?? ''));
  return {
    name: skill.name,
    version: skill.version,
    description: skill.description,
    source: skill.source,
    root: skill.root,
    digest: skill.digest,
    body_version: skill.body_version,
    tier: skill.tier,
    invokable_by: [...skill.invokable_by].sort(),
    allowed_tools: [...skill.allowed_tools].sort(),
    disallowed_tools: [...skill.disallowed_tools].sort(),
    required_tools: [...skill.required_tools].sort(),
    capabilities: [...skill.capabilities].sort(),
    scripts: scripts.map(({ path, digest }) => ({ path, digest })),
    tree_digest: tree === null ? null : treeDigest(syncedFiles(tree)),
    network: { scripts: words(true), texts: words(false) },
  };
}

/** One digest over everything that was signed off, whatever the order. */
export function roundDigest(skills: readonly RoundSkill[]): string {
  const sorted = [...skills].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sha256Hex(JSON.stringify(sorted));
}

const SCRIPT_ENDINGS = /\.(?:sh|bash|zsh|fish|py|js|mjs|cjs|ts|rb|pl|php|lua|ps1|bat|cmd|exe|jar)$/i;

function isScript(path: string, mode: number, text: string): boolean {
  return (
    path.startsWith('scripts/') || isExecutable(mode) || SCRIPT_ENDINGS.test(path) || text.startsWith('#!')
  );
}

const HOST = /\b(?:https?|wss?|ftp|ssh):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/gi;
/** Programs and calls that speak to a network; a name in a text is a hint, in a script it is more. */
const NETWORK_WORD =
  /(?<![\w.-])(curl|wget|ncat|netcat|nc|ssh|scp|sftp|rsync|telnet|Invoke-WebRequest|Invoke-RestMethod)(?![\w-])|(requests|urllib|aiohttp|httpx|socket|paramiko)\.\w|(fetch|axios|XMLHttpRequest|WebSocket)\s*\(/g;

/** Sorted, each once. */
export function networkWords(texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [, host = ''] of text.matchAll(HOST)) found.add(host.toLowerCase());
    for (const [, program, module, call] of text.matchAll(NETWORK_WORD)) {
      const word = program ?? module ?? call;
      if (word !== undefined) found.add(word);
    }
  }
  return [...found].sort();
}

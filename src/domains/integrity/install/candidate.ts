/** One skill of a source, judged before anything of it becomes visible. Pure but for the reader that is handed in. */
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import { parseSkill } from '../../skills/parse.ts';
import { TREE_BYTES_MAX, TREE_FILES_MAX } from '../../skills/skill-tree.ts';
import type { ScanFinding, SkillScan } from '../scan/scan-skill.ts';
import { type BundleFile, byPath, type PinnedFiles, pinFiles, treeDigest } from './bundle.ts';
import { createNameSet, nameProblem } from './entry-name.ts';
import type { Offer } from './offers.ts';
import type { SourceEntry, SourceTree } from './source-tree.ts';

/** What the security scan is handed, and what it says. */
export type Scan = (files: readonly BundleFile[]) => Pick<SkillScan, 'findings' | 'unread'>;

export interface Candidate {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly BundleFile[];
  readonly pinned: PinnedFiles;
  readonly digest: string;
  /** What the scan has found, worst first; what would block was accepted by rule. */
  readonly findings: readonly ScanFinding[];
  /** Files that the scan could not look into. */
  readonly unread: readonly string[];
  /** The rules of blocking findings that somebody let through. */
  readonly accepted: readonly string[];
}

export interface Judge {
  readonly scan: Scan;
  /** Rules whose findings do not block. */
  readonly accept: readonly string[];
}

export async function readCandidate(
  tree: SourceTree,
  { name, folder }: Offer,
  judge: Judge,
): Promise<Candidate> {
  const fail = (why: string): ColibriError => refusal(name, why);
  const prefix = folder === '' ? '' : `${folder}/`;
  const entries = tree.entries.filter(
    ({ path }) => path.startsWith(prefix) && !isVersionControl(path.slice(prefix.length)),
  );
  const problem = entriesProblem(entries, prefix.length);
  if (problem !== null) throw fail(problem);
  const contents = await tree.read(entries.map(({ path }) => path));
  const files = byPath(
    entries.map(({ path, executable }) => ({
      path: path.slice(prefix.length),
      bytes: contents.get(path) ?? Buffer.alloc(0),
      executable,
    })),
  );
  const pointer = files.find(({ bytes }) => isLargeFilePointer(bytes));
  if (pointer !== undefined)
    throw fail(`${pointer.path} is a pointer of Git LFS; its content lies elsewhere`);
  const unfit = skillProblem(name, files);
  if (unfit !== null) throw fail(unfit);
  const { findings, unread } = judge.scan(files);
  const blocking = findings.filter(({ severity }) => severity === 'critical' || severity === 'high');
  const open = blocking.filter(({ rule }) => !judge.accept.includes(rule));
  if (open.length > 0) throw dangerous(name, open);
  const pinned = pinFiles(files);
  const accepted = [...new Set(blocking.map(({ rule }) => rule))].sort();
  return { name, folder, files, pinned, digest: treeDigest(pinned), findings, unread, accepted };
}

/** Why these files are no valid skill of that name; null when they are. */
export function skillProblem(name: string, files: readonly BundleFile[]): string | null {
  const main = files.find(({ path }) => path === 'SKILL.md');
  if (main === undefined) return 'it has no SKILL.md';
  const where = { file: 'SKILL.md', directory: name };
  const { skill, diagnostics } = parseSkill(main.bytes, where, { profile: 'strict' });
  if (skill !== null) return skill.name === name ? null : `SKILL.md says ${skill.name}`;
  const error = diagnostics.find(({ severity }) => severity === 'error');
  return `SKILL.md is not valid: ${error?.message ?? 'it cannot be read'}`;
}

/** The version control of whoever wrote the skill; its hooks would be programs. */
function isVersionControl(path: string): boolean {
  return path.split('/').some((segment) => segment.toLowerCase() === '.git');
}

function entriesProblem(entries: readonly SourceEntry[], skip: number): string | null {
  if (entries.length > TREE_FILES_MAX) return `it has more than ${TREE_FILES_MAX} files`;
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (bytes > TREE_BYTES_MAX) return `it has more than ${TREE_BYTES_MAX} bytes`;
  const names = createNameSet();
  for (const { path, kind } of entries) {
    const name = path.slice(skip);
    if (kind !== 'file') return `${name} is a ${kind === 'link' ? 'link' : 'submodule or special file'}`;
    const problem = nameProblem(name) ?? names.add(name);
    if (problem !== null) return `${JSON.stringify(name)} ${problem}`;
  }
  return null;
}

function isLargeFilePointer(bytes: Buffer): boolean {
  return (
    bytes.length < 1024 && bytes.toString('latin1').startsWith('version https://git-lfs.github.com/spec/')
  );
}

function refusal(name: string, why: string): ColibriError {
  const message = `${printable(name)} is not installed: ${printable(why)}`;
  return new ColibriError('SKILL_REFUSED', message, { name, reason: why });
}

function dangerous(name: string, findings: readonly ScanFinding[]): ColibriError {
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const [first] = findings;
  const place =
    first === undefined ? '' : `${first.file}${first.line === null ? '' : `:${first.line}`} ${first.title}`;
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
  const message = `${name} is not installed: the security scan found ${place}${more}; look at it, and let it through with --accept ${rules.join(',')} if it is meant`;
  return new ColibriError('SKILL_REFUSED', printable(message), { name, findings });
}

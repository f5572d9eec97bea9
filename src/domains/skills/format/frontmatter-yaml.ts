import { parseYaml, type YamlProblem } from '../../../lib/yaml.ts';
import type { SkillFrontmatter } from '../skill.ts';
import { isJsonMap } from './field-values.ts';
import { type Findings, shown } from './findings.ts';

export interface FrontmatterRead {
  readonly frontmatter: SkillFrontmatter;
  /** What was parsed: the text of the file, or its repaired form. */
  readonly yaml: string;
}

/** The opening fence stands on line 1, so the YAML's first line is line 2 of the file. */
const LINES_BEFORE = 1;

/** Parses the text between the fences; null when it is no mapping, with the reason in the findings. */
export function readFrontmatter(findings: Findings, yaml: string): FrontmatterRead | null {
  const result = parseYaml(yaml);
  if (result.ok) {
    if (isJsonMap(result.value)) return { frontmatter: result.value, yaml };
    findings.add('error', 'frontmatter-shape', {
      message: `frontmatter must be a YAML mapping such as \`name: my-skill\`; found ${shown(result.value)}`,
      line: LINES_BEFORE + 1,
    });
    return null;
  }
  const repaired = result.problem.kind === 'invalid' ? repair(yaml) : null;
  if (repaired === null || findings.profile !== 'lenient') {
    reportProblem(findings, result.problem, repaired !== null);
    return null;
  }
  findings.add('warning', 'yaml-repaired', {
    message: 'field description holds an unquoted colon and was read as if quoted; put quotes around it',
    field: 'description',
  });
  return repaired;
}

function reportProblem(findings: Findings, problem: YamlProblem, colon: boolean): void {
  const line = problem.line === null ? null : problem.line + LINES_BEFORE;
  if (problem.kind === 'unsupported') {
    const message = `invalid YAML for a skill: ${problem.message}`;
    findings.add('error', 'yaml-unsupported', { message, line });
    return;
  }
  const fix = colon ? 'put quotes around the description, which holds a colon' : 'mend the frontmatter';
  const message = `invalid YAML: ${problem.message}; ${fix}`;
  findings.add('error', 'yaml-invalid', { message, line });
}

// A plain description and the indented lines that continue it.
const PLAIN_DESCRIPTION = /^description:[ \t]+([^\s"'|>[\]{}&*!#%@`].*(?:\r?\n[ \t]+\S.*)*)/m;

/** Quotes the description and tries again; null when that does not help. */
function repair(yaml: string): FrontmatterRead | null {
  const match = PLAIN_DESCRIPTION.exec(yaml);
  const plain = match?.[1]?.trimEnd();
  if (match === null || plain === undefined || !plain.includes(':')) return null;
  const start = match.index + match[0].indexOf(plain);
  const quoted = `${yaml.slice(0, start)}'${plain.replaceAll("'", "''")}'${yaml.slice(start + plain.length)}`;
  const result = parseYaml(quoted);
  return result.ok && isJsonMap(result.value) ? { frontmatter: result.value, yaml: quoted } : null;
}

/** The file's line where a field stands; `metadata.key` is looked for as `key`. */
export function fieldLine(yaml: string, field: string): number | null {
  const lines = yaml.split('\n');
  const top = findKey(lines, field, 0);
  if (top !== -1) return top + 1 + LINES_BEFORE;
  if (!field.startsWith('metadata.')) return null;
  const metadata = findKey(lines, 'metadata', 0);
  if (metadata === -1) return null;
  const nested = findKey(lines, field.slice('metadata.'.length), metadata + 1);
  return (nested === -1 ? metadata : nested) + 1 + LINES_BEFORE;
}

function findKey(lines: readonly string[], key: string, from: number): number {
  const forms = [`${key}:`, `"${key}":`, `'${key}':`];
  return lines.findIndex((line, index) => {
    if (index < from) return false;
    const text = from === 0 ? line : line.trimStart();
    return forms.some((form) => text.startsWith(form));
  });
}

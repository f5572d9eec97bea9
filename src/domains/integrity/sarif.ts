/** SARIF 2.1.0, which code hosts show beside the lines of a change. Pure. */

export interface SarifRule {
  readonly id: string;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

export interface SarifFinding {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly message: string;
  /** Relative to the workspace where it lies inside. */
  readonly file: string;
  readonly line: number | null;
  /** Why it does not count; null when it does. */
  readonly accepted?: string | null;
}

export interface SarifInput {
  readonly version: string;
  readonly rules: readonly SarifRule[];
  readonly findings: readonly SarifFinding[];
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

export function sarifOf({ version, rules, findings }: SarifInput): Readonly<Record<string, unknown>> {
  const used = rules.filter(({ id }) => findings.some(({ rule }) => rule === id));
  const index = new Map(used.map(({ id }, position) => [id, position]));
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'colibri', version, rules: used.map(ruleOf) } },
        columnKind: 'unicodeCodePoints',
        results: findings.map((finding) => resultOf(finding, index.get(finding.rule))),
      },
    ],
  };
}

function ruleOf({ id, title, why, fix }: SarifRule): unknown {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: `${title}: ${why}` },
    help: { text: fix },
  };
}

function resultOf(
  { rule, level, message, file, line, accepted }: SarifFinding,
  ruleIndex: number | undefined,
): unknown {
  const region = line === null ? {} : { region: { startLine: line } };
  return {
    ruleId: rule,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level,
    message: { text: message },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }],
    ...(accepted ? { suppressions: [{ kind: 'external', justification: accepted }] } : {}),
  };
}

/** A name with a space or a percent sign is no URI as it stands. */
function uriOf(file: string): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  return file.startsWith('/') ? `file://${path}` : path;
}

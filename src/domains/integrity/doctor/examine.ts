/** What can be said of one skill from its files, and of all skills from their names and texts. Pure. */
import { parseSkill } from '../../skills/parse.ts';
import type { ScanFile } from '../scan/scan-rule.ts';
import type { ScannedTarget } from '../scan/scan-service.ts';
import { findConfusable } from './confusable.ts';
import type { DoctorCode, DoctorFinding, DoctorGroup } from './diagnosis.ts';
import { deadLinks } from './links.ts';
import { findSimilar } from './similar.ts';

export interface ExaminedSkill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** The SKILL.md, as displayed. */
  readonly path: string;
}

const DESCRIPTIONS_ALIKE = { least: 0.7, shinglesMin: 8 };
const BODIES_ALIKE = { least: 0.85, shinglesMin: 40 };

interface Said {
  readonly skill: string | null;
  readonly file: string;
  readonly line?: number | null;
  readonly message: string;
  readonly why: string;
  readonly fix: string;
  readonly severity?: DoctorFinding['severity'];
  readonly fixable?: boolean;
}

export function doctorFinding(group: DoctorGroup, code: DoctorCode, said: Said): DoctorFinding {
  const { skill, file, line = null, why, fix, severity = 'warning', fixable = false } = said;
  const message = `${said.message}; ${fix}`;
  return { group, severity, code, skill, file, line, field: null, message, why, fix, fixable };
}

/** Of one skill: dead links, and what keeps it from being published. */
export function examineFiles(
  { name, path }: Pick<ExaminedSkill, 'name' | 'path'>,
  files: readonly ScanFile[],
): readonly DoctorFinding[] {
  const bytes = files.find((file) => file.path === 'SKILL.md')?.bytes;
  if (bytes === undefined) return [];
  const names = new Set(files.map((file) => file.path));
  const text = Buffer.from(bytes).toString('utf8');
  const links = deadLinks(text, names).map(({ target, line, why }) =>
    doctorFinding('links', why === 'missing' ? 'link-missing' : 'link-outside-skill', {
      skill: name,
      file: path,
      line,
      message: why === 'missing' ? `no file ${target} in the skill` : `${target} leads out of the skill`,
      why: 'an agent that follows the link finds nothing, and guesses',
      fix: why === 'missing' ? 'add the file or mend the link' : 'copy the file into the skill',
    }),
  );
  return [...links, ...publishMiss(name, path, bytes)];
}

function publishMiss(name: string, file: string, bytes: Uint8Array): readonly DoctorFinding[] {
  const { diagnostics } = parseSkill(bytes, { file, directory: name }, { profile: 'publish' });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return [];
  const ours = errors.some(
    ({ code, message }) => code === 'nonstandard-field' && message.includes('"colibri.'),
  );
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return [
    doctorFinding('publish', 'publish-miss', {
      skill: name,
      file,
      line: first.line ?? null,
      severity: 'info',
      message: `not served by the MCP skills extension: ${first.message}${more}`,
      why: 'clients that take skills over MCP do not see it, and uploads refuse it',
      fix: ours ? '`colibri doctor --fix` moves the fields' : '`colibri validate --publish` tells all of it',
      fixable: ours,
    }),
  ];
}

/** Of all skills together: names and texts that are taken for one another. */
export function examineTogether(skills: readonly ExaminedSkill[]): readonly DoctorFinding[] {
  const places = new Map(skills.map(({ name, path }) => [name, path]));
  const at = (name: string) => ({ skill: name, file: places.get(name) ?? name });
  const names = findConfusable(skills.map(({ name }) => name)).map(({ name, twin, how }) =>
    doctorFinding('lookalike', 'name-confusable', {
      ...at(name),
      message: `${name} ${how === 'look' ? 'looks like' : 'is one letter away from'} ${twin}`,
      why: 'an agent or a person picks the wrong one, and a hostile skill counts on it',
      fix: 'give one of them another name',
    }),
  );
  const described = findSimilar(
    skills.map(({ name, description }) => ({ name, text: description })),
    DESCRIPTIONS_ALIKE,
  ).map((similar) => alike('description-alike', 'the description', similar, at(similar.name)));
  const copied = findSimilar(
    skills.map(({ name, body }) => ({ name, text: body })),
    BODIES_ALIKE,
  ).map((similar) => alike('body-alike', 'the text', similar, at(similar.name)));
  return [...names, ...described, ...copied];
}

function alike(
  code: 'description-alike' | 'body-alike',
  what: string,
  { twin, share }: { readonly twin: string; readonly share: number },
  at: { readonly skill: string; readonly file: string },
): DoctorFinding {
  return doctorFinding('lookalike', code, {
    ...at,
    message: `${what} is ${Math.round(share * 100)} % the same as that of ${twin}`,
    why: 'an agent cannot tell which one is meant, and both cost tokens',
    fix: 'say what sets them apart, or keep one',
  });
}

/** The security findings of one skill, without those that are accepted or minor. */
export function fromScan({ skill, directory, findings, unread }: ScannedTarget): readonly DoctorFinding[] {
  const serious = findings.filter(({ accepted, severity }) => accepted === null && severity !== 'low');
  const found = serious.map(
    ({ rule, severity, title, why, fix, file, line }): DoctorFinding => ({
      group: 'security',
      severity: severity === 'medium' ? 'warning' : 'error',
      code: rule,
      skill,
      file: `${directory}/${file}`,
      line,
      field: null,
      message: `${title}; ${fix}`,
      why,
      fix,
      fixable: false,
    }),
  );
  const opaque = unread.map((file) =>
    doctorFinding('security', 'scan-incomplete', {
      skill,
      file: `${directory}/${file.replace(/ \([^)]*\)$/, '')}`,
      severity: 'info',
      message: `not looked into: ${file}`,
      why: 'what cannot be read cannot be judged',
      fix: 'keep it only if you know what it is',
    }),
  );
  return [...found, ...opaque];
}

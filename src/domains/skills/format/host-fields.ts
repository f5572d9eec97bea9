/** Fields that hosts have added. A wrong one is reported and treated as absent, because it is not ours to refuse. */

import type { SkillFields, SkillFrontmatter } from '../skill.ts';
import {
  type Field,
  isAbsent,
  isFilledText,
  isJsonList,
  readBoolean,
  readText,
  wrongType,
} from './field-values.ts';
import type { Findings } from './findings.ts';
import { splitTools } from './tool-list.ts';

/** Known to some host, so that strict does not call them unknown. */
export const HOST_FIELDS: ReadonlySet<string> = new Set([
  'disable-model-invocation',
  'user-invocable',
  'argument-hint',
  'arguments',
  'when_to_use',
  'disallowed-tools',
  'model',
  'effort',
  'context',
  'agent',
  'background',
  'hooks',
  'paths',
  'shell',
]);

export type HostFields = Pick<
  SkillFields,
  | 'disableModelInvocation'
  | 'userInvocable'
  | 'argumentHint'
  | 'arguments'
  | 'whenToUse'
  | 'disallowedTools'
  | 'model'
>;

/** What a skill without any of them has. Frozen, because skills hand it out as their own. */
export const NO_HOST_FIELDS: HostFields = Object.freeze({
  disableModelInvocation: false,
  userInvocable: true,
  argumentHint: null,
  arguments: Object.freeze([]),
  whenToUse: null,
  disallowedTools: Object.freeze([]),
  model: null,
});

export function readHostFields(findings: Findings, frontmatter: SkillFrontmatter): HostFields {
  const field = (name: string): Field => ({ name, value: frontmatter[name], severity: 'warning' });
  return {
    disableModelInvocation: readBoolean(findings, field('disable-model-invocation'), false),
    userInvocable: readBoolean(findings, field('user-invocable'), true),
    argumentHint: readText(findings, field('argument-hint')),
    arguments: readWords(findings, field('arguments')),
    whenToUse: readText(findings, field('when_to_use')),
    disallowedTools: readWords(findings, field('disallowed-tools')),
    model: readText(findings, field('model')),
  };
}

/** Hosts take these as one string or as a list. */
function readWords(findings: Findings, field: Field): readonly string[] {
  const { value } = field;
  if (isAbsent(findings, field)) return [];
  if (typeof value === 'string') return splitTools(value);
  if (isJsonList(value) && value.every(isFilledText)) return value;
  wrongType(findings, field, 'a string or a list of strings');
  return [];
}

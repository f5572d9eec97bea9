/** Colibri's own fields and the workflow fields, from the top level or from `metadata."colibri.<field>"`. */

import type { Json } from '../../../lib/json.ts';
import type { AgentTier, SkillFields, SkillFrontmatter, SkillTier, WorkflowStep } from '../skill.ts';
import {
  AGENT_TIERS,
  DEFAULT_TIER,
  INVOKABLE_BY_DEFAULT,
  isAgentTier,
  tiersAllowedBy,
  tiersWidened,
} from '../tiers.ts';
import {
  type Field,
  isAbsent,
  isFilledText,
  isJsonList,
  isJsonMap,
  readText,
  readTextList,
  wrongType,
} from './field-values.ts';
import { type Findings, reportInvalidText, shown } from './findings.ts';

export const SKILL_CATEGORIES: readonly string[] = [
  'pm-orchestration',
  'task-roadmap',
  'gsd-execution',
  'audit-proof',
  'infrastructure',
  'integration',
];

export const CARRIER_PREFIX = 'colibri.';

type Shape = 'text' | 'list' | 'number' | 'json';

/** How each field is written when it is carried as a string in the metadata. */
const SHAPES = {
  version: 'text',
  entrypoint: 'text',
  capabilities: 'list',
  greek_letter: 'text',
  tier: 'number',
  invokable_by: 'list',
  category: 'text',
  triggers: 'list',
  required_tools: 'list',
  workflow: 'json',
  verification: 'list',
} as const satisfies Record<string, Shape>;

type ColibriField = keyof typeof SHAPES;

export const COLIBRI_FIELDS: ReadonlySet<string> = new Set(Object.keys(SHAPES));

export type ColibriFields = Pick<
  SkillFields,
  | 'version'
  | 'entrypoint'
  | 'capabilities'
  | 'greekLetter'
  | 'tier'
  | 'invokableBy'
  | 'category'
  | 'triggers'
  | 'requiredTools'
  | 'workflow'
  | 'verification'
>;

const NOTHING: readonly never[] = Object.freeze([]);

/** What a skill without any of them has. Frozen, because skills hand it out as their own. */
export const NO_COLIBRI_FIELDS: ColibriFields = Object.freeze({
  version: null,
  entrypoint: null,
  capabilities: NOTHING,
  greekLetter: null,
  tier: DEFAULT_TIER,
  invokableBy: INVOKABLE_BY_DEFAULT,
  category: null,
  triggers: NOTHING,
  requiredTools: NOTHING,
  workflow: NOTHING,
  verification: NOTHING,
});

/** `metadata` is null when it carries none of them. */
export function readColibriFields(
  findings: Findings,
  frontmatter: SkillFrontmatter,
  metadata: Readonly<Record<string, string>> | null,
): ColibriFields {
  const field = (name: ColibriField): Field => locateField(findings, name, { frontmatter, metadata });
  const tier = readTier(findings, field('tier'));
  const texts = readEach(TEXT_FIELDS, (name) => readText(findings, field(name)));
  const lists = readEach(LIST_FIELDS, (name) => readTextList(findings, field(name)));
  return {
    version: texts.version,
    entrypoint: texts.entrypoint,
    capabilities: lists.capabilities,
    greekLetter: texts.greek_letter,
    tier,
    invokableBy: readInvokableBy(findings, field('invokable_by'), tier),
    category: readCategory(findings, field('category')),
    triggers: lists.triggers,
    requiredTools: lists.required_tools,
    workflow: readWorkflow(findings, field('workflow')),
    verification: lists.verification,
  };
}

const TEXT_FIELDS = ['version', 'entrypoint', 'greek_letter'] as const;
const LIST_FIELDS = ['capabilities', 'triggers', 'required_tools', 'verification'] as const;

/** A loop, because V8 would compile a dozen calls a dozen times. */
function readEach<Name extends ColibriField, Value>(
  names: readonly Name[],
  read: (name: Name) => Value,
): Readonly<Record<Name, Value>> {
  const values: Partial<Record<Name, Value>> = {};
  for (const name of names) values[name] = read(name);
  // Every name has its value now.
  return values as Record<Name, Value>;
}

interface Places {
  readonly frontmatter: SkillFrontmatter;
  readonly metadata: Readonly<Record<string, string>> | null;
}

function locateField(findings: Findings, name: ColibriField, places: Places): Field {
  const value = places.frontmatter[name];
  if (value !== undefined) return { name, value, severity: 'error' };
  const carried = places.metadata?.[CARRIER_PREFIX + name];
  if (carried === undefined) return { name, value: undefined, severity: 'error' };
  const carrier = `metadata.${CARRIER_PREFIX}${name}`;
  return { name: carrier, value: decode(findings, carrier, carried, SHAPES[name]), severity: 'error' };
}

function decode(findings: Findings, carrier: string, text: string, shape: Shape): Json | undefined {
  switch (shape) {
    case 'text':
      return text;
    case 'number':
      return /^[0-9]+$/.test(text) ? Number(text) : text;
    case 'list':
      return text.split(',').map((item) => item.trim());
    case 'json':
      return decodeJson(findings, carrier, text);
  }
}

function decodeJson(findings: Findings, carrier: string, text: string): Json | undefined {
  const value = parseJson(text);
  if (value === undefined) {
    const message = `field ${carrier} must be JSON text; found ${shown(text)}`;
    findings.add('error', 'field-value', { message, field: carrier });
    return undefined;
  }
  // JSON has escapes of its own, so that what the frontmatter's check let through can still turn bad here.
  reportInvalidText(findings, carrier, value);
  return value;
}

function parseJson(text: string): Json | undefined {
  // A `__proto__` key has a meaning of its own wherever the value is copied, as in the frontmatter.
  if (text.includes('__proto__')) return undefined;
  try {
    // JSON.parse gives JSON.
    return JSON.parse(text) as Json;
  } catch {
    // The caller reports it; the reason that V8 gives is no help to the author of a skill.
    return undefined;
  }
}

function readTier(findings: Findings, field: Field): SkillTier {
  if (isAbsent(findings, field)) return DEFAULT_TIER;
  const { value } = field;
  if (value === 1 || value === 2 || value === 3) return value;
  const message = `field ${field.name} must be 1, 2 or 3 (a number); found ${shown(value)}`;
  findings.add('error', typeof value === 'number' ? 'field-value' : 'field-type', {
    message,
    field: field.name,
  });
  return DEFAULT_TIER;
}

function readInvokableBy(findings: Findings, field: Field, tier: SkillTier): readonly AgentTier[] {
  const written = readTextList(findings, field);
  const unknown = written.filter((agent) => !isAgentTier(agent));
  if (unknown.length > 0) {
    const message = `field ${field.name} holds ${shown(unknown.join(', '))}; use only ${AGENT_TIERS.join(', ')}`;
    findings.add('error', 'field-value', { message, field: field.name });
  }
  // Nothing written, or nothing usable: the latter has been reported as an error already.
  const agents = [...new Set(written.filter(isAgentTier))];
  if (agents.length === 0) return emptyOrDerived(findings, field, tier);
  const widened = tiersWidened(tier, agents);
  if (widened.length > 0) {
    const message = `field ${field.name} allows ${widened.join(', ')}, which tier ${tier} does not; lower the tier or shorten the list`;
    findings.add('warning', 'tier-widened', { message, field: field.name });
  }
  return agents;
}

function emptyOrDerived(findings: Findings, field: Field, tier: SkillTier): readonly AgentTier[] {
  if (isJsonList(field.value) && field.value.length === 0) {
    const message = `field ${field.name} is an empty list, so that nobody could use the skill; name a tier or remove the field`;
    findings.add('error', 'field-blank', { message, field: field.name });
  }
  return tiersAllowedBy(tier);
}

function readCategory(findings: Findings, field: Field): string | null {
  const category = readText(findings, field);
  if (category === null || SKILL_CATEGORIES.includes(category)) return category;
  const message = `field ${field.name} must be one of ${SKILL_CATEGORIES.join(', ')}; found ${shown(category)}`;
  findings.add('error', 'field-value', { message, field: field.name });
  return null;
}

function readWorkflow(findings: Findings, field: Field): readonly WorkflowStep[] {
  if (isAbsent(findings, field)) return [];
  const steps = isJsonList(field.value) ? field.value.map(toStep) : [null];
  if (steps.every((step) => step !== null)) return steps;
  wrongType(findings, field, 'a list of steps, each with step: text and perhaps tool: text and params: map');
  return [];
}

function toStep(value: Json): WorkflowStep | null {
  if (!isJsonMap(value)) return null;
  const { step, tool = null, params } = value;
  if (!isFilledText(step)) return null;
  if (tool !== null && !isFilledText(tool)) return null;
  if (params === undefined || params === null) return { step, tool, params: {} };
  return isJsonMap(params) ? { step, tool, params } : null;
}

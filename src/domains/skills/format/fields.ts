import { parseYamlAsText } from '../../../lib/yaml.ts';
import type { SkillFrontmatter } from '../skill.ts';
import {
  CARRIER_PREFIX,
  COLIBRI_FIELDS,
  type ColibriFields,
  NO_COLIBRI_FIELDS,
  readColibriFields,
} from './colibri-fields.ts';
import { isJsonMap } from './field-values.ts';
import { type Findings, reportInvalidText, shown, unlessPublish } from './findings.ts';
import { HOST_FIELDS, type HostFields, NO_HOST_FIELDS, readHostFields } from './host-fields.ts';
import { readStandardFields, STANDARD_FIELDS, type StandardFields } from './standard-fields.ts';

export interface FieldSource {
  readonly frontmatter: SkillFrontmatter;
  /** The YAML that the frontmatter was read from, after any repair. */
  readonly yaml: string;
  /** The name of the directory around the skill; null compares the name with nothing. */
  readonly directory: string | null;
}

/** The fields of a skill by where they come from. Most skills have `NO_COLIBRI_FIELDS` and `NO_HOST_FIELDS`. */
export interface FieldGroups {
  readonly standard: StandardFields;
  readonly colibri: ColibriFields;
  readonly host: HostFields;
}

/** Reads every field that Colibri understands. What does not fit is reported and read as absent. */
export function readFields(findings: Findings, { frontmatter, yaml, directory }: FieldSource): FieldGroups {
  // Without an escape sequence, well-formed text cannot turn into anything else.
  if (yaml.includes('\\')) {
    for (const [field, value] of Object.entries(frontmatter)) reportInvalidText(findings, field, value);
  }
  const there = reportNonstandard(findings, frontmatter);
  const standard = readStandardFields(findings, {
    frontmatter,
    directory,
    metadataAsText: () => {
      const texts = parseYamlAsText(yaml);
      return texts.ok && isJsonMap(texts.value) ? texts.value['metadata'] : undefined;
    },
  });
  const carriers = hasCarrier(standard.metadata) ? standard.metadata : null;
  const carried = there.colibri || carriers !== null;
  return {
    standard,
    colibri: carried ? readColibriFields(findings, frontmatter, carriers) : NO_COLIBRI_FIELDS,
    host: there.host ? readHostFields(findings, frontmatter) : NO_HOST_FIELDS,
  };
}

function hasCarrier(metadata: Readonly<Record<string, string>>): boolean {
  for (const key in metadata) if (key.startsWith(CARRIER_PREFIX)) return true;
  return false;
}

/** Which groups of fields are there at all: most skills have the standard ones alone. */
interface GroupsThere {
  readonly colibri: boolean;
  readonly host: boolean;
}

function reportNonstandard(findings: Findings, frontmatter: SkillFrontmatter): GroupsThere {
  const publish = findings.profile === 'publish';
  const groups = { colibri: false, host: false };
  for (const field of Object.keys(frontmatter)) {
    if (STANDARD_FIELDS.has(field)) continue;
    const ours = COLIBRI_FIELDS.has(field);
    if (ours) groups.colibri = true;
    const hosts = HOST_FIELDS.has(field);
    if (hosts) groups.host = true;
    if (!publish && (ours || hosts)) continue;
    const fix = ours
      ? `move it to metadata as "colibri.${field}"`
      : 'move it under metadata, or check the spelling';
    findings.add(unlessPublish(findings), 'nonstandard-field', {
      message: `unexpected field ${shown(field)} at top level, which is not part of the standard; ${fix}`,
      field,
    });
  }
  return groups;
}

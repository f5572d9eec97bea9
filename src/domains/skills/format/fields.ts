import { parseYamlAsText } from '../../../lib/yaml.ts';
import type { SkillFields, SkillFrontmatter } from '../skill.ts';
import { COLIBRI_FIELDS, readColibriFields } from './colibri-fields.ts';
import { isJsonMap } from './field-values.ts';
import { type Findings, reportInvalidText, shown, unlessPublish } from './findings.ts';
import { HOST_FIELDS, readHostFields } from './host-fields.ts';
import { readStandardFields, STANDARD_FIELDS } from './standard-fields.ts';

export interface FieldSource {
  readonly frontmatter: SkillFrontmatter;
  /** The YAML that the frontmatter was read from, after any repair. */
  readonly yaml: string;
  /** The name of the directory around the skill; null compares the name with nothing. */
  readonly directory: string | null;
}

/** Reads every field that Colibri understands. What does not fit is reported and read as absent. */
export function readFields(findings: Findings, { frontmatter, yaml, directory }: FieldSource): SkillFields {
  // Without an escape sequence, well-formed text cannot turn into anything else.
  if (yaml.includes('\\')) {
    for (const [field, value] of Object.entries(frontmatter)) reportInvalidText(findings, field, value);
  }
  reportNonstandard(findings, frontmatter);
  const standard = readStandardFields(findings, {
    frontmatter,
    directory,
    metadataAsText: () => {
      const texts = parseYamlAsText(yaml);
      return texts.ok && isJsonMap(texts.value) ? texts.value['metadata'] : undefined;
    },
  });
  // Not a literal with three spreads: that takes as long as parsing the YAML.
  return Object.assign(
    standard,
    readColibriFields(findings, frontmatter, standard.metadata),
    readHostFields(findings, frontmatter),
  );
}

function reportNonstandard(findings: Findings, frontmatter: SkillFrontmatter): void {
  const publish = findings.profile === 'publish';
  for (const field of Object.keys(frontmatter)) {
    if (STANDARD_FIELDS.has(field)) continue;
    const ours = COLIBRI_FIELDS.has(field);
    if (!publish && (ours || HOST_FIELDS.has(field))) continue;
    const fix = ours
      ? `move it to metadata as "colibri.${field}"`
      : 'move it under metadata, or check the spelling';
    findings.add(unlessPublish(findings), 'nonstandard-field', {
      message: `unexpected field ${shown(field)} at top level, which is not part of the standard; ${fix}`,
      field,
    });
  }
}

import { type Field, isAbsent, isFilledText, isJsonList, wrongType } from './field-values.ts';
import { type Findings, unlessPublish } from './findings.ts';

/** Reads `allowed-tools` and its kin: one string by the standard, a YAML list as many write it. */
export function readTools(findings: Findings, field: Field): readonly string[] {
  const { name, value } = field;
  if (isAbsent(findings, field)) return [];
  if (typeof value === 'string') return splitTools(value);
  if (isJsonList(value) && value.every(isFilledText)) {
    findings.add(unlessPublish(findings), 'tools-list', {
      message: `field ${name} is a list; the standard wants one string with spaces between the tools`,
      field: name,
    });
    return value.map((tool) => tool.trim());
  }
  wrongType(findings, field, 'a string with spaces between the tools');
  return [];
}

/** Splits at white space and commas, but not inside parentheses: `Bash(git add:*) Read` is two tools. */
export function splitTools(text: string): readonly string[] {
  const tools: string[] = [];
  let tool = '';
  let depth = 0;
  for (const character of text) {
    if (depth === 0 && (character === ',' || character.trim() === '')) {
      if (tool !== '') tools.push(tool);
      tool = '';
      continue;
    }
    if (character === '(') depth++;
    if (character === ')' && depth > 0) depth--;
    tool += character;
  }
  if (tool !== '') tools.push(tool.trimEnd());
  return tools;
}

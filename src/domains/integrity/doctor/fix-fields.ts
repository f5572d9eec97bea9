/** Moves Colibri's fields from the top level of the frontmatter under `metadata`, leaving every other line as it is. Pure. */
import { dump } from 'js-yaml';

import type { Json } from '../../../lib/json.ts';
import { parseYaml } from '../../../lib/yaml.ts';
import { CARRIER_PREFIX, COLIBRI_FIELDS } from '../../skills/format/colibri-fields.ts';
import { splitFrontmatter } from '../../skills/format/frontmatter.ts';

export interface MovedFields {
  readonly text: string;
  readonly fields: readonly string[];
}

/** A top-level key and the lines that belong to it. */
interface Block {
  readonly key: string | null;
  readonly lines: readonly string[];
}

/** Null when there is nothing to move, or when it cannot be done line by line. The text has no BOM and ends lines with LF. */
export function moveFields(text: string): MovedFields | null {
  const fences = splitFrontmatter(text);
  if (fences.kind !== 'found') return null;
  const yaml = parseYaml(fences.yaml);
  if (!yaml.ok || typeof yaml.value !== 'object' || yaml.value === null || Array.isArray(yaml.value))
    return null;
  const values = new Map(Object.entries(yaml.value));
  const fields = [...values.keys()].filter((key) => COLIBRI_FIELDS.has(key));
  const blocks = blocksOf(fences.yaml);
  const keys = new Set(blocks.map(({ key }) => key));
  if (fields.length === 0 || !fields.every((field) => keys.has(field))) return null;
  const carried = fields.map((field) => carrier(field, values.get(field) ?? null));
  if (carried.includes(null)) return null;
  const kept = blocks.filter(({ key }) => key === null || !fields.includes(key));
  const lines = intoMetadata(kept, carried.join('\n').split('\n'), values.get('metadata'));
  if (lines === null) return null;
  const start = text.indexOf('\n') + 1;
  return {
    text: `${text.slice(0, start)}${lines.join('\n')}\n${text.slice(start + fences.yaml.length)}`,
    fields,
  };
}

function blocksOf(yaml: string): readonly Block[] {
  const blocks: { key: string | null; lines: string[] }[] = [];
  for (const line of yaml.replace(/\n$/, '').split('\n')) {
    const key = /^(?:([A-Za-z_][\w.-]*)|"([^"]+)"|'([^']+)'):(?:\s|$)/.exec(line);
    const continues = /^(?:\s|-|$)/.test(line);
    if (key !== null) blocks.push({ key: key[1] ?? key[2] ?? key[3] ?? '', lines: [line] });
    else if (continues && blocks.length > 0) blocks.at(-1)?.lines.push(line);
    // A comment at the left belongs to what follows; it stays where it is.
    else blocks.push({ key: null, lines: [line] });
  }
  return blocks;
}

/** `  "colibri.tier": "1"`; null for what has no string form. */
function carrier(field: string, value: Json): string | null {
  const text = asText(field, value);
  if (text === null || text === '') return null;
  const line = dump(
    { [CARRIER_PREFIX + field]: text },
    { lineWidth: -1, forceQuotes: true, quotingType: '"' },
  );
  return line.trimEnd().replace(/^/gm, '  ');
}

function asText(field: string, value: Json): string | null {
  if (field === 'workflow') return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  // An item with a comma would become two.
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes(',')))
    return value.join(', ');
  return null;
}

function intoMetadata(
  blocks: readonly Block[],
  carried: readonly string[],
  metadata: Json | undefined,
): readonly string[] | null {
  if (metadata === undefined || metadata === null)
    return [
      ...blocks.filter(({ key }) => key !== 'metadata').flatMap(({ lines }) => lines),
      'metadata:',
      ...carried,
    ];
  const block = blocks.find(({ key }) => key === 'metadata');
  // A map on one line, or one with another indentation, is not taken apart.
  const ownLines = block?.lines.slice(1).filter((line) => line.trim() !== '') ?? [];
  if (block?.lines[0]?.trimEnd() !== 'metadata:' || !ownLines.every((line) => /^ {2}\S|^ {3,}/.test(line)))
    return null;
  return blocks.flatMap((each) => (each === block ? [...trimmedEnd(each.lines), ...carried] : each.lines));
}

function trimmedEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1);
}

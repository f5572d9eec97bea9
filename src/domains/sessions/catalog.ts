/** The text that tells an agent which skills there are. Pure: the same skills and options give the same bytes. */
import { printable } from '../../lib/text.ts';

export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
  /** Position of the skill's root; 0 has the highest precedence and is dropped last. */
  readonly precedence: number;
  /** More facts for the line, for example compatibility; empty for none. */
  readonly facts?: readonly string[];
  readonly preloaded?: boolean;
}

export interface CatalogOptions {
  readonly tokens: number;
}

export interface Catalog {
  readonly text: string;
  readonly shown: number;
  /** Skills that did not fit and are reachable by search only. */
  readonly dropped: number;
  /** Longest description in characters, null when none was cut. */
  readonly cutTo: number | null;
}

/** Descriptions are never cut below this; rather a skill is left out. */
export const DESCRIPTION_CHARS_MIN = 60;
const CHARS_PER_TOKEN = 4;

/** An estimate: a quarter of the characters. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** One line a skill, by name. Without skills the block is empty. */
export function renderCatalog(entries: readonly CatalogEntry[], options: CatalogOptions): Catalog {
  if (entries.length === 0) return { text: '', shown: 0, dropped: 0, cutTo: null };
  const lines = entries.map(({ description, ...entry }) => ({ ...entry, description: oneLine(description) }));
  const fits = (cut: number | null, shown: readonly Line[]) =>
    estimateTokens(block(shown, { cut, dropped: lines.length - shown.length })) <= options.tokens;
  if (fits(null, lines)) return result(lines, { cut: null, dropped: 0 });
  const cut = longestCut(lines, (length) => fits(length, lines));
  if (cut !== null) return result(lines, { cut, dropped: 0 });
  const shown = mostThatFit(lines, (some) => fits(DESCRIPTION_CHARS_MIN, some));
  return result(shown, { cut: DESCRIPTION_CHARS_MIN, dropped: lines.length - shown.length });
}

type Line = CatalogEntry;

interface Cuts {
  readonly cut: number | null;
  readonly dropped: number;
}

function result(shown: readonly Line[], { cut, dropped }: Cuts): Catalog {
  return { text: block(shown, { cut, dropped }), shown: shown.length, dropped, cutTo: cut };
}

const HEADING = `## Available skills

Use \`skill_search(query)\` to filter and \`skill_load(name)\` to read a body.
`;

function block(shown: readonly Line[], { cut, dropped }: Cuts): string {
  const lines = shown.map((line) => catalogLine(line, cut));
  if (dropped > 0) lines.push(`\n${dropped} more skills are reachable with \`skill_search\`.`);
  return `${HEADING}\n${lines.join('\n')}\n`;
}

function catalogLine({ name, description, facts = [], preloaded }: Line, cut: number | null): string {
  const more = facts.map((fact) => ` (${oneLine(fact)})`).join('');
  return `- ${name}${preloaded ? ' [preloaded]' : ''}: ${cutAt(description, cut)}${more}`;
}

/** Line breaks would end the item and start a block of the skill's own making, so there are none. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/gu, ' ').trim());
}

function cutAt(text: string, length: number | null): string {
  if (length === null || text.length <= length) return text;
  // Not between the halves of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 2)) ? length - 2 : length - 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The longest common length of descriptions that fits, or null when even the shortest does not. */
function longestCut(lines: readonly Line[], fits: (length: number) => boolean): number | null {
  let low = DESCRIPTION_CHARS_MIN;
  let high = Math.max(low, ...lines.map(({ description }) => description.length));
  if (!fits(low)) return null;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Drops from the end of (precedence, name); what is left stays in name order. */
function mostThatFit(lines: readonly Line[], fits: (some: readonly Line[]) => boolean): readonly Line[] {
  const byWorth = [...lines].sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  const best = (count: number): readonly Line[] => {
    const kept = new Set(byWorth.slice(0, count));
    return lines.filter((line) => kept.has(line));
  };
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(best(middle))) low = middle;
    else high = middle - 1;
  }
  return best(low);
}

export interface LocatedSkill {
  readonly name: string;
  readonly description: string;
  readonly location: string;
}

/** The `<available_skills>` block of the Agent Skills standard. */
export function availableSkillsXml(skills: readonly LocatedSkill[]): string {
  const items = skills.map(({ name, description, location }) =>
    [
      '<skill>',
      `<name>\n${escapeXml(name)}\n</name>`,
      `<description>\n${escapeXml(oneLine(description))}\n</description>`,
      `<location>\n${escapeXml(oneLine(location))}\n</location>`,
      '</skill>',
    ].join('\n'),
  );
  return ['<available_skills>', ...items, '</available_skills>'].join('\n');
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => XML_ESCAPES[character] ?? character);
}

/** The text that tells an agent which skills there are. Pure: the same skills and options give the same bytes. */
import { printable } from '../../lib/text.ts';

export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
  /** Where its SKILL.md lies; the XML form names it. */
  readonly location?: string;
  /** Position of the skill's root; 0 has the highest precedence and is dropped last. */
  readonly precedence: number;
  /** More facts for the line, for example compatibility; empty for none. */
  readonly facts?: readonly string[];
  readonly preloaded?: boolean;
  /** Nobody has vouched for it. */
  readonly untrusted?: boolean;
  /** Place by what the session is for; those without one come last. */
  readonly rank?: number;
}

export type CatalogFormat = 'markdown' | 'xml';

export interface CatalogOptions {
  readonly tokens: number;
  readonly format?: CatalogFormat;
}

export interface Catalog {
  readonly text: string;
  readonly shown: number;
  /** Skills that did not fit and are reachable by search only. */
  readonly dropped: number;
  /** Their names. */
  readonly leftOut: readonly string[];
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
  if (entries.length === 0) return { text: '', shown: 0, dropped: 0, leftOut: [], cutTo: null };
  const lines = entries.map(({ description, ...entry }) => ({ ...entry, description: oneLine(description) }));
  const block = options.format === 'xml' ? xmlBlock : markdownBlock;
  const catalogOf = (shown: readonly Line[], cut: number | null): Catalog => {
    const kept = new Set(shown);
    const leftOut = lines.filter((line) => !kept.has(line)).map(({ name }) => name);
    const dropped = leftOut.length;
    return { text: block(shown, { cut, dropped }), shown: shown.length, dropped, leftOut, cutTo: cut };
  };
  const fits = (shown: readonly Line[], cut: number | null) =>
    estimateTokens(catalogOf(shown, cut).text) <= options.tokens;
  if (fits(lines, null)) return catalogOf(lines, null);
  const cut = longestCut(lines, (length) => fits(lines, length));
  if (cut !== null) return catalogOf(lines, cut);
  const shown = mostThatFit(lines, (some) => fits(some, DESCRIPTION_CHARS_MIN));
  return catalogOf(shown, DESCRIPTION_CHARS_MIN);
}

type Line = CatalogEntry;

interface Cuts {
  readonly cut: number | null;
  readonly dropped: number;
}

/** Behind everything that the skill says of itself. */
export const UNTRUSTED_MARK = ' [untrusted]';

const HEADING = `## Available skills

Use \`skill_search(query)\` to filter and \`skill_load(name)\` to read a body.
`;

function markdownBlock(shown: readonly Line[], { cut, dropped }: Cuts): string {
  const lines = shown.map(
    (line) => `- ${oneLine(line.name)}${line.preloaded ? ' [preloaded]' : ''}: ${summaryOf(line, cut)}`,
  );
  if (dropped > 0) lines.push(`\n${reachable(dropped)}`);
  return `${HEADING}\n${lines.join('\n')}\n`;
}

function xmlBlock(shown: readonly Line[], { cut, dropped }: Cuts): string {
  const skills = shown.map((line) => ({
    name: line.name,
    description: `${line.preloaded ? '[preloaded] ' : ''}${summaryOf(line, cut)}`,
    location: line.location ?? '',
  }));
  return `${availableSkillsXml(skills)}\n${dropped > 0 ? `\n${reachable(dropped)}\n` : ''}`;
}

function summaryOf({ description, facts = [], untrusted = false }: Line, cut: number | null): string {
  const said = facts.map((fact) => ` (${oneLine(fact)})`).join('');
  return `${cutAt(description, cut)}${said}${untrusted ? UNTRUSTED_MARK : ''}`;
}

function reachable(count: number): string {
  return `${count} more ${count === 1 ? 'skill is' : 'skills are'} reachable with \`skill_search\`.`;
}

/** Line breaks would end the item and start a block of the skill's own making, so there are none. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/gu, ' ').trim());
}

export function cutAt(text: string, length: number | null): string {
  if (length === null || text.length <= length) return text;
  if (length < 2) return '';
  // Not between the halves of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 2)) ? length - 2 : length - 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The longest common length of descriptions that fits, or null when even the shortest does not. */
function longestCut(lines: readonly Line[], fits: (length: number) => boolean): number | null {
  let low = DESCRIPTION_CHARS_MIN;
  let high = lines.reduce((longest, { description }) => Math.max(longest, description.length), low);
  if (!fits(low)) return null;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Drops from the end of (rank, precedence, name); what is left stays in name order. */
function mostThatFit(lines: readonly Line[], fits: (some: readonly Line[]) => boolean): readonly Line[] {
  const byWorth = [...lines].sort(
    (a, b) =>
      (a.rank ?? lines.length) - (b.rank ?? lines.length) ||
      a.precedence - b.precedence ||
      (a.name < b.name ? -1 : 1),
  );
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
      `<name>\n${escapeXml(oneLine(name))}\n</name>`,
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
  // Brackets of other widths, which become the plain ones wherever text is normalised.
  '＜': '&#xff1c;',
  '＞': '&#xff1e;',
  '﹤': '&#xfe64;',
  '﹥': '&#xfe65;',
};

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"'＜＞﹤﹥]/g, (character) => XML_ESCAPES[character] ?? character);
}

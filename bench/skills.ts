/** Writes folders of skills that look like real ones: the same number gives the same bytes on every machine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Mean size of a public SKILL.md. */
const BODY_BYTES_MEAN = 3_900;

/** Fills a folder with `count` skills and gives their names in order. */
export function writeSkills(folder: string, count: number): readonly string[] {
  const names: string[] = [];
  for (let number = 0; number < count; number++) {
    const name = skillName(number);
    mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, name, 'SKILL.md'), skillText(number));
    names.push(name);
  }
  return names;
}

function skillName(number: number): string {
  const random = createRandom(number);
  return `${pick(random, VERBS)}-${pick(random, THINGS)}-${String(number).padStart(6, '0')}`;
}

function skillText(number: number): string {
  const random = createRandom(number);
  const [verb, thing] = [pick(random, VERBS), pick(random, THINGS)];
  const frontmatter = [
    '---',
    `name: ${skillName(number)}`,
    descriptionLine(random, describe(random, verb, thing)),
    ...optionalFields(random, thing),
    '---',
  ];
  return `${frontmatter.join('\n')}\n\n# ${verb} ${thing}\n\n${body(random)}`;
}

type Random = () => number;

/** mulberry32: small, seeded, and good enough to pick words. */
function createRandom(seed: number): Random {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick(random: Random, words: readonly string[]): string {
  return words[Math.floor(random() * words.length)] ?? '';
}

function describe(random: Random, verb: string, thing: string): string {
  const extras = Array.from({ length: 4 + Math.floor(random() * 12) }, () => pick(random, THINGS));
  return `Helps to ${verb} ${thing} data with ${extras.join(' and ')}. Use when the user asks about ${pick(random, THINGS)} or ${pick(random, THINGS)} files.`;
}

/** Seven of ten descriptions are plain, the others quoted or folded over several lines. */
function descriptionLine(random: Random, text: string): string {
  const form = random();
  if (form < 0.7) return `description: ${text}`;
  if (form < 0.85) return `description: "${text}"`;
  return `description: >-\n  ${text.replaceAll('. ', '.\n  ')}`;
}

function optionalFields(random: Random, thing: string): readonly string[] {
  const fields: string[] = [];
  if (random() < 0.4) fields.push('license: MIT');
  if (random() < 0.3) fields.push('metadata:', '  author: bench', '  version: "1.0"');
  if (random() < 0.25) fields.push('allowed-tools: Read Grep Bash(git status:*)');
  if (random() < 0.2) fields.push(`capabilities: [${thing}, ${pick(random, THINGS)}]`);
  return fields;
}

function body(random: Random): string {
  const target = BODY_BYTES_MEAN * (0.4 + 1.2 * random());
  const lines: string[] = [];
  for (let size = 0; size < target; ) {
    const words = Array.from({ length: 8 + Math.floor(random() * 10) }, () => pick(random, PROSE));
    const line = random() < 0.15 ? `\n## ${words.slice(0, 3).join(' ')}\n` : `${words.join(' ')}.`;
    lines.push(line);
    size += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

const VERBS =
  'review write plan test deploy migrate audit profile translate summarise refactor schedule'.split(' ');
const THINGS =
  'invoices contracts kubernetes postgres spreadsheets slides pipelines tickets logs metrics calendars emails recipes maps budgets datasets notebooks dashboards schemas queues caches forms receipts passwords certificates containers images videos podcasts surveys roadmaps releases changelogs incidents backups queries indexes branches commits reviews'.split(
    ' ',
  );
const PROSE =
  'the a of to and in for with check file run read then step user data when if not before after each value table list name output input error first second next result section command folder test build report field line change version keep remove add open close find show print start end'.split(
    ' ',
  );

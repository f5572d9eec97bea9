/** Queries that somebody might type to break a search: operators, quotes, control characters, SQL, other scripts. */

const PIECES: readonly string[] = [
  'AND',
  'OR',
  'NOT',
  'NEAR(',
  'NEAR/2',
  '"',
  "'",
  '""',
  '*',
  '^',
  ':',
  '-',
  '+',
  '(',
  ')',
  '{',
  '}',
  '\\',
  '%',
  '_',
  '\0',
  '\u001f',
  '\n',
  '\u202e',
  '\ud83d',
  '💥',
  '👩‍👩‍👧',
  'é',
  'e\u0301',
  'ﬃ',
  'ß',
  'ſ',
  'İ',
  '处理',
  'ไทย',
  '한국어',
  'עברית',
  "'; DROP TABLE skills; --",
  'SELECT * FROM skills',
  'name:deploy',
  '{name description}: x',
  'deploy',
  'pdf form',
  'kuberentes',
  'a',
  'the',
  'constructor',
  '__proto__',
  'toString',
  '$1',
  '../..',
  '<script>',
  '0',
  '-1',
  '1e309',
  'NULL',
];

const PIECES_MAX = 12;
const CODE_UNITS = 0x10000;

/** `random` gives numbers from 0 up to 1. */
export function hostileQuery(random: () => number): string {
  const parts: string[] = [];
  const count = Math.floor(random() * PIECES_MAX);
  for (let part = 0; part < count; part++) {
    const piece = PIECES[Math.floor(random() * PIECES.length)] ?? '';
    parts.push(random() < 0.2 ? String.fromCharCode(Math.floor(random() * CODE_UNITS)) : piece);
  }
  return parts.join(random() < 0.5 ? ' ' : '');
}

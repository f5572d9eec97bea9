/** Makes YAML texts, most of them odd, from a seed: the same seed gives the same texts. */

export type Random = (below: number) => number;

/** mulberry32: small, fast, and repeatable. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function generateYaml(random: Random): string {
  const make = pick(random, [
    tokenSoup,
    tokenSoup,
    mapping,
    mapping,
    mutatedSample,
    mutatedSample,
    mutatedMapping,
  ]);
  // Frontmatter always ends with a line break: the closing fence starts a line.
  const text = `${make(random)}\n`;
  return random(8) === 0 ? text.replaceAll('\n', '\r\n') : text;
}

const TOKENS: readonly string[] = [
  ...[
    'a',
    'b',
    'key',
    'x y',
    'é',
    '😀',
    'name',
    'description',
    '1',
    '0',
    '-1',
    '+1',
    '.5',
    '1.',
    '1e3',
    '1E+2',
    '0x1F',
  ],
  ...[
    '0o17',
    '0b11',
    '010',
    '1_000',
    '.inf',
    '-.INF',
    '.nan',
    '~',
    'null',
    'Null',
    'nULL',
    'true',
    'TRUE',
    'tRUE',
  ],
  ...[
    'False',
    'yes',
    'on',
    '2024-01-01',
    '12:30:45',
    '1.10',
    '-0',
    '0.0',
    '9007199254740993',
    '1e400',
    '<<',
    '=',
  ],
  ...[
    ':',
    ': ',
    ':  ',
    ' :',
    '::',
    '-',
    '- ',
    '--',
    '---',
    '...',
    '?',
    '? ',
    '|',
    '>',
    '|-',
    '|+',
    '>-',
    '>+',
    '|2',
    '>1-',
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    ',',
    ', ',
    '[]',
    '{}',
    '[a, b]',
    '{a: b}',
    '[a: b]',
    '{a}',
    '{a:b}',
    '{"a":b}',
    '[,]',
    '[a,]',
  ],
  ...[
    '"',
    "'",
    '""',
    "''",
    '"a"',
    "'b'",
    '"a\\nb"',
    '"\\x41"',
    '"\\u00e9"',
    '"\\ud800"',
    '"\\U00110000"',
    '"\\0"',
    '"\\/"',
  ],
  ...[
    '"\\ "',
    '"a\\',
    "'it''s'",
    '\\',
    '#',
    ' #',
    '# c',
    ' # c',
    '&a ',
    '*a',
    '! ',
    '!t ',
    '!!str ',
    '%',
    '%YAML 1.2',
  ],
  ...[
    '@',
    '`',
    '\t',
    '\t',
    ' ',
    ' ',
    '  ',
    '   ',
    '\n',
    '\n',
    '\n',
    '\n  ',
    '\n    ',
    '\n\n',
    '\n ',
    '\n- ',
    '\n  - ',
  ],
  ...[
    '\u0085',
    '\u2028',
    '\u00a0',
    '\ufeff',
    '\u007f',
    '\r',
    '__proto__',
    'constructor',
    'toString',
    '(',
    ')',
    '$',
    '/',
  ],
];

function tokenSoup(random: Random): string {
  let text = random(3) === 0 ? '' : 'key: ';
  for (let count = 1 + random(14); count > 0; count--) text += pick(random, TOKENS);
  return text;
}

function mapping(random: Random): string {
  return block(random, 0, 2);
}

function block(random: Random, indent: number, depth: number): string {
  const pad = ' '.repeat(indent);
  let text = '';
  for (let index = 0, count = 1 + random(4); index < count; index++) {
    const key =
      random(6) === 0
        ? pick(random, ['"q"', "'s'", '1', 'true', 'a b', 'x:y', '~', '[k]', '? k'])
        : `k${index}`;
    text += `${pad}${key}:${value(random, indent, depth)}\n`;
    if (random(8) === 0)
      text += pick(random, ['\n', '# note\n', `${pad}  # note\n`, ' \n', '\t\n', `${pad}\t\n`]);
  }
  return text;
}

function value(random: Random, indent: number, depth: number): string {
  const next = indent + 1 + random(3);
  switch (random(depth > 0 ? 11 : 8)) {
    case 0:
      return pick(random, ['', ' ', ' # c', '\t']);
    case 1:
      return ` ${flow(random, 2)}`;
    case 2:
      return quoted(random, next);
    case 3:
      return blockScalar(random, next);
    case 4:
      return ` ${words(random)}\n${' '.repeat(random(4) === 0 ? indent : next)}${words(random)}`;
    case 8:
      return `\n${block(random, next, depth - 1).trimEnd()}`;
    case 9:
      return sequence(random, random(2) === 0 ? indent : next, depth - 1);
    default:
      return `${pick(random, [' ', ' ', ' ', '  ', '\t', ' \t'])}${random(2) === 0 ? pick(random, TOKENS) : words(random)}`;
  }
}

function sequence(random: Random, indent: number, depth: number): string {
  let text = '';
  for (let count = 1 + random(3); count > 0; count--) {
    const item =
      random(4) === 0 ? block(random, indent + 2, depth - 1).trim() : value(random, indent, 0).trimStart();
    text += `\n${' '.repeat(indent)}-${pick(random, [' ', ' ', '  ', '\t', ''])}${item}`;
  }
  return text;
}

function quoted(random: Random, indent: number): string {
  const mark = pick(random, ['"', "'"]);
  const lineBreak = `\n${' '.repeat(random(3) === 0 ? 0 : indent)}`;
  const inner = [
    words(random),
    pick(random, ['', lineBreak, `\\${lineBreak}`, '\n\n  ', '#', ': ', ' \t']),
    words(random),
  ];
  return ` ${mark}${inner.join('')}${mark}${pick(random, ['', '', ' # c', '#c', ' x'])}`;
}

function blockScalar(random: Random, indent: number): string {
  const header = pick(random, [
    '|',
    '>',
    '|-',
    '>-',
    '|+',
    '>+',
    '|2',
    '>1',
    '|-1',
    '> # c',
    '|#c',
    '| ',
    '>\t',
  ]);
  let text = ` ${header}`;
  for (let count = random(5); count > 0; count--) {
    const pad = ' '.repeat(Math.max(0, indent + pick(random, [0, 0, 0, 0, 1, 2, -1])));
    text += `\n${pick(random, [pad + words(random), pad + words(random), '', ' ', pad, `${pad}\t${words(random)}`, `${pad}# c`])}`;
  }
  return text;
}

function flow(random: Random, depth: number): string {
  const [open, close] = pick(random, [
    ['[', ']'],
    ['{', '}'],
  ] as const);
  const items: string[] = [];
  for (let count = random(4); count > 0; count--) items.push(flowItem(random, depth));
  const gap = pick(random, [', ', ', ', ',', ',\n  ', ' , ', ',\n', ', # c\n  ']);
  return (
    open +
    pick(random, ['', '', ' ', '\n  ', '\n']) +
    items.join(gap) +
    pick(random, ['', '', ',', ' ', '\n']) +
    close
  );
}

function flowItem(random: Random, depth: number): string {
  const item =
    depth > 0 && random(4) === 0
      ? flow(random, depth - 1)
      : pick(random, [words(random), pick(random, TOKENS)]);
  return random(3) === 0
    ? `${pick(random, ['k', '"k"', "'k'", '1', '', '?k', '? k'])}${pick(random, [': ', ':', ' : ', ':\n '])}${item}`
    : item;
}

function words(random: Random): string {
  let text = pick(random, WORDS);
  for (let count = random(4); count > 0; count--)
    text += pick(random, [' ', ' ', ' ', '-', ', ', ':', "'", '/']) + pick(random, WORDS);
  return text;
}

const WORDS: readonly string[] = [
  'use',
  'when',
  'the',
  'user',
  'asks',
  'for',
  '1',
  '2.0',
  'PDF',
  'e.g.',
  '(x)',
  'née',
  '#1',
  '"q"',
  'a&b',
  '<b>',
  '50%',
];

const SAMPLES: readonly string[] = [
  'name: pdf-tools\ndescription: Reads PDF files. Use when the user mentions a form.\nlicense: MIT\n',
  'name: review\ndescription: >-\n  Reviews code,\n  line by line.\n\n  Then reports.\nmetadata:\n  author: "someone"\n  version: 1.0\n',
  "name: 'deploy'\ndescription: \"Ships: it's live\"\nallowed-tools: Bash(git add:*) Read\ntier: 2\ninvokable_by: [T0, T1]\n",
  'name: flow\ndescription: |\n  One\n    two\ntriggers:\n  - a\n  - "b: c"\nworkflow:\n  - step: build\n    tool: make\n    params: {target: all, n: 3}\n',
  'name: notes # a comment\ndescription: takes notes\n  over two lines\nmetadata: {tags: "a,b", year: 2024}\n# end\n',
  'name: deep\ndescription: x\nmetadata:\n  a:\n    b:\n      - c: d\n        e: f\n      -\n        - 1\n        - 2\n',
];

function mutatedSample(random: Random): string {
  return mutate(random, pick(random, SAMPLES));
}

function mutatedMapping(random: Random): string {
  return mutate(random, mapping(random));
}

function mutate(random: Random, sample: string): string {
  let text = sample;
  for (let count = 1 + random(4); count > 0; count--) {
    const at = random(text.length + 1);
    const length = random(4);
    const inserted = pick(random, [
      '',
      pick(random, TOKENS),
      text.slice(at, at + random(12)),
      pick(random, [' ', '\n', ':', '"', '\t']),
    ]);
    text = text.slice(0, at) + inserted + text.slice(at + length);
  }
  return text;
}

function pick<T>(random: Random, choices: readonly T[]): T {
  const choice = choices[random(choices.length)];
  if (choice === undefined) throw new Error('nothing to pick from');
  return choice;
}

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { parseYaml, parseYamlAsText } from '../../src/lib/yaml.ts';

describe('core scalars', () => {
  const scalars = [
    ...[
      '0b11',
      '0o17',
      '017',
      '010',
      '0x1F',
      '-0x1',
      '0X1F',
      '+1',
      '-1',
      '-0',
      '.5',
      '5.',
      '-.5',
      '1e3',
      '1E-2',
      '1.10',
    ],
    ...[
      '1_000',
      '~',
      'null',
      'Null',
      'NULL',
      'nULL',
      'true',
      'True',
      'TRUE',
      'tRUE',
      'false',
      'yes',
      'no',
      'on',
      'Off',
    ],
    ...[
      '2024-01-01',
      '12:30:45',
      '9007199254740993',
      '123456789012345678901234567890',
      '=',
      'n',
      '-',
      '+',
      '.',
      'e3',
    ],
  ];

  it.each(scalars)('reads %s like the yaml package', (scalar) => {
    const source = `key: ${scalar === '-' ? '"-"' : scalar}\n`;
    expect(parseYaml(source)).toEqual({ ok: true, value: parse(source) });
  });

  it.each(['.inf', '-.INF', '+.Inf', '.nan', '.NaN', '1e400'])(
    'refuses %s, which JSON cannot hold',
    (scalar) => {
      expect(parseYaml(`key: ${scalar}\n`)).toMatchObject({ ok: false, problem: { kind: 'unsupported' } });
    },
  );

  it('reads scalars as their text when asked to', () => {
    const source = 'a: 1.0\nb: 0x1F\nc: true\nd: ~\ne:\nf: "x"\n';
    expect(parseYamlAsText(source)).toEqual({
      ok: true,
      value: { a: '1.0', b: '0x1F', c: 'true', d: '~', e: null, f: 'x' },
    });
  });
});

describe('what skills may not use', () => {
  const refused: readonly (readonly [name: string, source: string, notion: string, line: number | null])[] = [
    ['an anchor', 'a: 1\nb: &x 2\n', 'anchor', 2],
    ['an anchor on the line below its key', 'b:\n  &x 2\n', 'anchor', 2],
    ['an alias', 'a: *x\n', 'alias', 1],
    ['an alias bomb', 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n', 'anchor', 1],
    ['an alias cycle', 'a: &a [*a]\n', 'anchor', 1],
    ['a tag', 'a: !!str 1\n', 'tag', 1],
    ['a code tag', 'a: !!js/function "x"\n', 'tag', 1],
    ['a tag inside a list', 'a: [b, !c d]\n', 'tag', 1],
    ['a merge key', 'a: {b: c}\n<<: {d: e}\n', 'merge key', null],
    ['a map as a key', '{a: b}: c\n', 'a list or map as a key', 1],
    ['a list as a key', '[a]: c\n', 'a list or map as a key', 1],
    ['a map alone in a flow map', 'a: {{b: c}}\n', 'a list or map as a key', 1],
    ['an explicit key', '? a\n: b\n', '? key', 1],
    ['an explicit key in a flow map', 'a: {? b : c}\n', '? key', 1],
    ['a null key', '~: a\n', 'empty key', 1],
    ['a null key in a flow map', 'a: {~}\n', 'empty key', 1],
    ['__proto__', '__proto__: {a: b}\n', '__proto__', null],
    ['__proto__ inside metadata', 'metadata:\n  __proto__: a\n', '__proto__', null],
    ['a directive', '%YAML 1.1\na: yes\n', 'directive', 1],
    ['several documents', 'a: b\n--- \nc: d\n', 'several YAML documents', 2],
    ['a document end', 'a: b\n...\n', 'several YAML documents', 2],
    ['a carriage return alone', 'a: b\rc: d\n', 'carriage return', 1],
    ['a tab in the indentation', 'a:\n\tb: c\n', 'tab', 2],
    ['an escape beyond Unicode', 'a: "\\U00110000"\n', 'U+10FFFF', 1],
    ['an indentation number', 'a: |2\n    b\n', 'indentation number', 1],
    ['a comment without space', 'a: "b"#c\n', 'comment', 1],
    ['a comment between a field and its text', 'a:\n# c\n  b\nd: e\n', 'comment', 3],
    ['a blank line after an escaped line break', 'a: "b\\\n\n  c"\n', 'blank line', 1],
    ['an item after an empty one, less indented', 'a:\n    -\n  - b\n', 'empty list item', 2],
    ['a key too long for other readers', `${'k'.repeat(1100)}: v\n`, 'over 1000 characters', 1],
  ];

  it.each(refused)('refuses %s', (_name, source, notion, line) => {
    expect(parseYaml(source)).toEqual({
      ok: false,
      problem: { kind: 'unsupported', message: expect.stringContaining(notion), line },
    });
  });

  it.each([
    ['duplicate keys', 'a: 1\na: 2\n', 'duplicated mapping key', 2],
    ['nesting without end', `a: ${'['.repeat(5000)}\n`, 'nesting', 1],
    ['a badly indented quoted text', 'a:\n  b: "c\n d"\n', 'bad indentation', 3],
    ['an unclosed list', 'name: [invalid\n', 'not closed', 2],
  ])('calls %s invalid', (_name, source, notion, line) => {
    expect(parseYaml(source)).toEqual({
      ok: false,
      problem: { kind: 'invalid', message: expect.stringContaining(notion), line },
    });
  });

  it('leaves no trace of a refused __proto__', () => {
    parseYaml('__proto__: {polluted: true}\n');
    expect({}).not.toHaveProperty('polluted');
  });

  it('gives the same error twice', () => {
    expect(parseYaml('a: [\n')).toEqual(parseYaml('a: [\n'));
  });
});

it('takes the marks of the refused features as text where YAML does', () => {
  const source =
    'a: "&x *y !z"\nb: R&D *really* well!\nc: >-\n  &x\n  ---y\nd: what? yes\ne: "%"\nconstructor: f\n';
  expect(parseYaml(source)).toEqual({ ok: true, value: parse(source) });
});

it('takes comments where every reader does', () => {
  const source =
    '# first\na: # beside\n# below an empty field\nb:\n  # above a nested one\n  c: d\n# above a list\ne:\n# inside\n- f\n# last\n';
  expect(parseYaml(source)).toEqual({ ok: true, value: { a: null, b: { c: 'd' }, e: ['f'] } });
});

it('ends quickly on 16 KiB made to be slow', () => {
  const size = 16 * 1024;
  const hostile = ['-#', '- ', '-\n', '[', '{a: ', '"\\n', 'a: b\n ', '#\n', '? ', '\t', ' - -\n'].map(
    (part) => `k: v\nx:\n  ${part.repeat(size / part.length)}\n`,
  );
  hostile.push(Array.from({ length: 2000 }, (_, index) => `k${index}:`).join('\n'));
  const started = performance.now();
  for (const source of hostile) parseYaml(source);
  expect(performance.now() - started).toBeLessThan(2000);
});

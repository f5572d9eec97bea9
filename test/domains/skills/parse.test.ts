import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { parseSkill } from '../../../src/domains/skills/parse.ts';
import type { Profile } from '../../../src/domains/skills/schema.ts';

const PROFILES: readonly Profile[] = ['strict', 'lenient', 'publish'];

function parse(content: string | Uint8Array, options: { profile?: Profile; directory?: string | null } = {}) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { directory = 'my-skill', ...rest } = options;
  return parseSkill(bytes, { file: 'SKILL.md', directory }, rest);
}

function skill(fields: string): string {
  return `---\nname: my-skill\ndescription: Does a thing.\n${fields}---\nbody\n`;
}

/** Each finding as `severity code field`, the shortest form that a table can hold. */
function findings(content: string | Uint8Array, profile: Profile = 'strict'): string[] {
  const { diagnostics } = parse(content, { profile });
  return diagnostics.map(({ code, field, severity }) => [severity, code, field].filter(Boolean).join(' '));
}

describe('a whole skill', () => {
  it('gives every field, the body and the digests', () => {
    const content = [
      '---',
      'name: my-skill',
      'description: Does a thing.',
      'license: MIT',
      'compatibility: Needs git',
      'metadata: {author: me}',
      'allowed-tools: Bash(git add:*) Read, Write',
      'version: 1.2.0',
      'entrypoint: run.sh',
      'capabilities: [read, write]',
      'greek_letter: ε',
      'tier: 3',
      'invokable_by: [T0]',
      'category: audit-proof',
      'triggers: [audit]',
      'required_tools: [skill_list]',
      'workflow: [{step: look, tool: skill_list, params: {search: x}}, {step: think}]',
      'verification: [it ran]',
      'disable-model-invocation: yes',
      'user-invocable: off',
      'argument-hint: "[file]"',
      'arguments: from to',
      'when_to_use: now',
      'disallowed-tools: [Bash]',
      'model: small',
      'paths: ["*.ts"]',
      '---',
      '',
      '# Title 😀',
      '',
    ].join('\n');
    const { skill: parsed, diagnostics } = parse(content);
    const body = '# Title 😀\n';
    expect(diagnostics).toEqual([]);
    expect(parsed).toEqual({
      name: 'my-skill',
      description: 'Does a thing.',
      license: 'MIT',
      compatibility: 'Needs git',
      metadata: { author: 'me' },
      allowedTools: ['Bash(git add:*)', 'Read', 'Write'],
      version: '1.2.0',
      entrypoint: 'run.sh',
      capabilities: ['read', 'write'],
      greekLetter: 'ε',
      tier: 3,
      invokableBy: ['T0'],
      category: 'audit-proof',
      triggers: ['audit'],
      requiredTools: ['skill_list'],
      workflow: [
        { step: 'look', tool: 'skill_list', params: { search: 'x' } },
        { step: 'think', tool: null, params: {} },
      ],
      verification: ['it ran'],
      disableModelInvocation: true,
      userInvocable: false,
      argumentHint: '[file]',
      arguments: ['from', 'to'],
      whenToUse: 'now',
      disallowedTools: ['Bash'],
      model: 'small',
      frontmatter: expect.objectContaining({ paths: ['*.ts'], 'disable-model-invocation': 'yes', tier: 3 }),
      body,
      digest: createHash('sha256').update(content).digest('hex'),
      bodyVersion: createHash('sha256').update(body).digest('hex').slice(0, 16),
      bodyTokens: 2,
    });
  });

  it('has defaults for what is not written', () => {
    expect(parse(skill('')).skill).toMatchObject({
      license: null,
      metadata: {},
      allowedTools: [],
      tier: 2,
      invokableBy: ['T0', 'T1', 'T2', 'T3'],
      workflow: [],
      disableModelInvocation: false,
      userInvocable: true,
    });
  });

  it.each([
    [1, ['T0', 'T1', 'T2', 'T3', 'T4']],
    [2, ['T0', 'T1', 'T2', 'T3']],
    [3, ['T0', 'T1']],
  ])('is for the agents of tier %i unless it says otherwise', (tier, agents) => {
    expect(parse(skill(`tier: ${tier}\n`)).skill).toMatchObject({ tier, invokableBy: agents });
  });

  it('keeps unknown fields in the order and form of the file', () => {
    const { skill: parsed } = parse(skill('z: 1\na: [x, {y: null}]\n'));
    expect(JSON.stringify(parsed?.frontmatter)).toBe(
      '{"name":"my-skill","description":"Does a thing.","z":1,"a":["x",{"y":null}]}',
    );
  });

  it('shares nothing with another parse and cannot be changed', () => {
    const [first, second] = [
      parse(skill('tier: 1\na: {b: c}\n')).skill,
      parse(skill('tier: 1\na: {b: c}\n')).skill,
    ];
    expect(first).toEqual(second);
    expect(first?.frontmatter['a']).not.toBe(second?.frontmatter['a']);
    expect(() => Object.assign(first?.frontmatter ?? {}, { a: 1 })).toThrow(TypeError);
    expect(() => Object.assign(first?.invokableBy ?? [], { 0: 'T4' })).toThrow(TypeError);
    expect(second).toEqual(parse(skill('tier: 1\na: {b: c}\n')).skill);
  });

  it.each(['a', 'é', '→', '😀', '𠀀'])('counts tokens by code points of %s', (character) => {
    const { skill: parsed } = parse(
      `---\nname: my-skill\ndescription: ${character}\n---\n${character.repeat(403)}`,
    );
    expect(parsed?.bodyTokens).toBe(100);
  });
});

describe('encoding', () => {
  it.each(['x', 'é'])('reads the same wherever the frontmatter ends, beside %s', (character) => {
    const body = `# Title\n\n${character.repeat(2000)}\n`;
    for (let length = 960; length <= 1020; length++) {
      const frontmatter = `---\nname: my-skill\ndescription: ${'d'.repeat(length)}\n---\n`;
      const { skill: parsed } = parse(`${frontmatter}\n\n${body}`);
      expect(parsed).toMatchObject({ description: 'd'.repeat(length), body, bodyTokens: 502 });
    }
  });

  it('takes a byte order mark and CRLF', () => {
    const { skill: parsed } = parse(
      '\ufeff---\r\nname: my-skill\r\ndescription: >\r\n  a\r\n  b\r\n---\r\n\r\nx\r\n',
    );
    expect(parsed).toMatchObject({ description: 'a b\n', body: 'x\r\n', frontmatter: { name: 'my-skill' } });
    const version = createHash('sha256').update('x\r\n').digest('hex').slice(0, 16);
    expect(parsed?.bodyVersion).toBe(version);
  });

  it.each([
    ['UTF-16 with its mark', Buffer.from('\ufeff---\n', 'utf16le'), 'encoding-invalid'],
    ['overlong UTF-8', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xc0, 0xaf]), 'encoding-invalid'],
    ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80]), 'encoding-invalid'],
    ['no bytes', Buffer.alloc(0), 'file-empty'],
    ['NUL in the frontmatter', Buffer.from(skill('a: \0\n')), 'yaml-invalid'],
    ['NUL in the body', Buffer.from(`${skill('')}\0`), 'text-invalid'],
    ['NUL by an escape', Buffer.from(skill('a: {b: ["\\0"]}\n')), 'text-invalid'],
    ['half a surrogate pair by an escape', Buffer.from(skill('a: "\\ud800"\n')), 'text-invalid'],
  ])('refuses %s', (_name, bytes, code) => {
    for (const profile of PROFILES) {
      expect(parse(bytes, { profile }).skill).toBeNull();
      expect(findings(bytes, profile).join()).toContain(`error ${code}`);
    }
  });

  it('takes a surrogate pair that is written as two escapes', () => {
    expect(parse(skill('a: "\\ud83d\\ude00"\n')).skill?.frontmatter['a']).toBe('😀');
  });
});

describe('findings by profile', () => {
  // [what, fields, strict, lenient, publish]; a name or description in the fields stands in for the usual one.
  const E = 'error';
  const W = 'warning';
  const rows: readonly (readonly [string, string, readonly (string | null)[]])[] = [
    ['field-blank license', 'license:\n', [W, W, E]],
    ['field-type license', 'license: {a: b}\n', [E, E, E]],
    ['field-blank compatibility', 'compatibility: ""\n', [E, W, E]],
    ['field-type compatibility', 'compatibility: [a]\n', [E, E, E]],
    ['field-type metadata', 'metadata: x\n', [E, E, E]],
    ['field-blank metadata', 'metadata:\n', [W, W, E]],
    ['metadata-coerced metadata.a', 'metadata: {a: 1.0}\n', [W, W, E]],
    ['field-type metadata.a', 'metadata: {a: [b]}\n', [E, null, E]],
    ['metadata-coerced metadata.a', 'metadata: {a: [b]}\n', [null, W, null]],
    ['tools-list allowed-tools', 'allowed-tools: [Read]\n', [W, W, E]],
    ['field-type allowed-tools', 'allowed-tools: {Read: true}\n', [E, E, E]],
    ['field-type allowed-tools', 'allowed-tools: [1]\n', [E, E, E]],
    ['nonstandard-field author', 'author: me\n', [W, W, E]],
    ['nonstandard-field tier', 'tier: 1\n', [null, null, E]],
    ['nonstandard-field triggers', 'triggers: [a]\n', [null, null, E]],
    ['nonstandard-field model', 'model: a\n', [null, null, E]],
    ['field-type version', 'version: 1.0\n', [E, E, E]],
    ['field-type capabilities', 'capabilities: read\n', [E, E, E]],
    ['field-value tier', 'tier: 4\n', [E, E, E]],
    ['field-type tier', 'tier: "1"\n', [E, E, E]],
    ['field-value invokable_by', 'invokable_by: [T5]\n', [E, E, E]],
    ['field-blank invokable_by', 'invokable_by: []\n', [E, E, E]],
    ['tier-widened invokable_by', 'tier: 3\ninvokable_by: [T0, T3]\n', [W, W, W]],
    ['field-value category', 'category: other\n', [E, E, E]],
    ['field-type workflow', 'workflow: [{tool: a}]\n', [E, E, E]],
    ['field-type workflow', 'workflow: [{step: a, params: [b]}]\n', [E, E, E]],
    ['field-value metadata.colibri.tier', 'metadata: {colibri.tier: "9"}\n', [E, E, E]],
    ['field-type metadata.colibri.tier', 'metadata: {colibri.tier: high}\n', [E, E, E]],
    ['field-value metadata.colibri.workflow', 'metadata: {colibri.workflow: "[{"}\n', [E, E, E]],
    [
      'text-invalid metadata.colibri.workflow',
      `metadata: {colibri.workflow: '[{"step":"\\u0000"}]'}\n`,
      [E, E, E],
    ],
    ['field-value metadata.colibri.category', 'metadata: {colibri.category: other}\n', [E, E, E]],
    ['field-type user-invocable', 'user-invocable: maybe\n', [W, W, W]],
    ['field-type argument-hint', 'argument-hint: [file]\n', [W, W, W]],
    ['field-type arguments', 'arguments: {a: b}\n', [W, W, W]],
    ['hidden-text description', 'description: "a\\u200bb"\n', [W, W, E]],
    ['angle-brackets description', 'description: Use <b>\n', [null, null, W]],
    ['field-length description', `description: ${'😀'.repeat(1025)}\n`, [E, E, E]],
    ['field-blank description', 'description: " "\n', [E, E, E]],
    ['field-type description', 'description: [a]\n', [E, E, E]],
    ['field-missing description', 'description:\n', [E, E, E]],
    ['field-type name', 'name: 123\n', [E, E, E]],
    ['name-directory name', 'name: other\n', [E, W, E]],
    ['field-length name', `name: ${'a'.repeat(65)}\n`, [E, W, E]],
    ['name-unicode name', 'name: café\n', [E, W, E]],
    ['name-case name', 'name: My-Skill\n', [E, E, E]],
    ['name-hyphen-edge name', 'name: my-skill-\n', [E, E, E]],
    ['name-hyphen-double name', 'name: my--skill\n', [E, E, E]],
    ['name-characters name', 'name: my/skill\n', [E, E, E]],
  ];

  it.each(rows)('%s: %j', (finding, fields, severities) => {
    const defaults = ['name: my-skill\n', 'description: Does a thing.\n'];
    const kept = defaults.filter((line) => !new RegExp(`^${line.split(':')[0]}:`, 'm').test(fields));
    const content = `---\n${kept.join('')}${fields}---\nbody\n`;
    for (const [index, severity] of severities.entries()) {
      const profile = PROFILES[index] ?? 'strict';
      const found = findings(content, profile).filter((line) => line.endsWith(` ${finding}`));
      expect([profile, ...found]).toEqual(
        severity === null ? [profile] : [profile, `${severity} ${finding}`],
      );
    }
  });

  it('warns of a body that is long', () => {
    expect(findings(`${skill('')}${'x'.repeat(20_000)}`)).toEqual(['warning body-long']);
  });

  it('takes 1024 characters that UTF-16 counts twice', () => {
    expect(findings(`---\nname: my-skill\ndescription: ${'😀'.repeat(1024)}\n---\n`)).toEqual([]);
  });
});

describe('an unquoted colon in the description', () => {
  const content =
    "---\nname: my-skill\ndescription: Use when: it's $& late\n  or: early\nlicense: MIT\n---\nbody";

  it('is repaired and marked under lenient', () => {
    const { skill: parsed, diagnostics } = parse(content, { profile: 'lenient' });
    expect(parsed).toMatchObject({ description: "Use when: it's $& late or: early", license: 'MIT' });
    expect(diagnostics).toMatchObject([{ code: 'yaml-repaired', severity: 'warning', line: 3 }]);
  });

  it.each(['strict', 'publish'] as const)('is an error under %s that says the fix', (profile) => {
    const { skill: parsed, diagnostics } = parse(content, { profile });
    expect(parsed).toBeNull();
    expect(diagnostics).toMatchObject([
      {
        code: 'yaml-invalid',
        line: 3,
        message: expect.stringContaining('put quotes around the description'),
      },
    ]);
  });

  it('is quoted where it stands, not where the same text stands before', () => {
    const twice = '---\nname: my-skill\nnote: "a: b"\n# a: b\ndescription: a: b\n---\n';
    const { skill: parsed } = parse(twice, { profile: 'lenient' });
    expect(parsed).toMatchObject({ description: 'a: b', frontmatter: { note: 'a: b' } });
  });

  it('does not excuse bad YAML elsewhere', () => {
    expect(findings('---\nname: [x\ndescription: a: b\n---\n', 'lenient')).toEqual(['error yaml-invalid']);
  });
});

describe('carriers in the metadata', () => {
  const carried = [
    'metadata:',
    '  colibri.version: "2.0"',
    '  colibri.tier: "1"',
    '  colibri.invokable_by: T0, T4',
    '  colibri.capabilities: read,write',
    '  colibri.category: integration',
    `  colibri.workflow: '[{"step":"go","params":{"n":1}}]'`,
    '',
  ].join('\n');

  it('give the same skill as the fields themselves, and pass publish', () => {
    expect(findings(skill(carried), 'publish')).toEqual([]);
    expect(parse(skill(carried)).skill).toMatchObject({
      version: '2.0',
      tier: 1,
      invokableBy: ['T0', 'T4'],
      capabilities: ['read', 'write'],
      category: 'integration',
      workflow: [{ step: 'go', tool: null, params: { n: 1 } }],
    });
  });

  it('give way to a field at top level', () => {
    expect(parse(skill(`tier: 3\n${carried}`)).skill).toMatchObject({ tier: 3, version: '2.0' });
  });
});

it('reads metadata scalars from the text of the file', () => {
  const { skill: parsed } = parse(
    skill('metadata: {a: 1.0, b: 0x1F, c: yes, d: true, e: 2024-01-01, f: , g: "1.0"}\n'),
  );
  expect(parsed?.metadata).toEqual({
    a: '1.0',
    b: '0x1F',
    c: 'yes',
    d: 'true',
    e: '2024-01-01',
    f: '',
    g: '1.0',
  });
  expect(parsed?.frontmatter['metadata']).toMatchObject({ a: 1, b: 31, d: true });
});

it('names the line of a field', () => {
  const { diagnostics } = parse(skill('license: MIT\nmetadata:\n  author: me\n  year: 2024\ntier: 7\n'));
  expect(diagnostics.map(({ field, line }) => [field, line])).toEqual([
    ['metadata.year', 7],
    ['tier', 8],
  ]);
});

it('compares names in their composed form under lenient', () => {
  const content = '---\nname: cafe\u0301\ndescription: x\n---\n';
  const { skill: parsed, diagnostics } = parse(content, { profile: 'lenient', directory: 'caf\u00e9' });
  expect(parsed?.name).toBe('caf\u00e9');
  expect(diagnostics.map(({ code }) => code)).toEqual(['name-unicode']);
  const decomposed = parse(content, { profile: 'lenient', directory: 'cafe\u0301' });
  expect(decomposed.diagnostics).toEqual(diagnostics);
});

it('compares the name with nothing when there is no directory', () => {
  expect(parse('---\nname: some-name\ndescription: x\n---\n', { directory: null }).diagnostics).toEqual([]);
});

it.each([
  ['Bash(git add:*) Read', ['Bash(git add:*)', 'Read']],
  ['Bash(git add:*),Read , Write', ['Bash(git add:*)', 'Read', 'Write']],
  ['Bash(f(a, b) c) D', ['Bash(f(a, b) c)', 'D']],
  ['Bash(never closed Read', ['Bash(never closed Read']],
  ['A)B C', ['A)B', 'C']],
  ['  ', []],
])('splits the tools %j', (text, tools) => {
  expect(parse(skill(`allowed-tools: "${text}"\n`)).skill?.allowedTools ?? []).toEqual(tools);
});

it('never throws, whatever the bytes', () => {
  let state = 7;
  const next = () => (state = (state * 48_271) % 0x7fffffff);
  const base = Buffer.from(skill('metadata: {a: 1}\ntier: 2\nworkflow: [{step: a}]\n'));
  for (let run = 0; run < 3000; run++) {
    const bytes = Buffer.from(base);
    for (let change = next() % 6; change >= 0; change--) bytes[next() % bytes.length] = next() % 256;
    const { skill: parsed, diagnostics } = parse(bytes.subarray(0, 1 + (next() % bytes.length)));
    expect(parsed === null).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  }
});

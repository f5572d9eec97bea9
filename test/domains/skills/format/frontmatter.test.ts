import { describe, expect, it } from 'vitest';

import {
  FRONTMATTER_BYTES_MAX,
  splitFrontmatter,
} from '../../../../src/domains/skills/format/frontmatter.ts';

describe('fences', () => {
  it.each([
    ['line feeds', '---\na: b\n---\nbody\n', 'a: b\n', 'body\n'],
    ['carriage returns with line feeds', '---\r\na: b\r\n---\r\nbody\r\n', 'a: b\r\n', 'body\r\n'],
    ['blanks and tabs after the dashes', '--- \t\na: b\n---\t \nbody', 'a: b\n', 'body'],
    ['a closing line at the end of the file', '---\na: b\n---', 'a: b\n', ''],
    ['nothing between the fences', '---\n---\nbody', '', 'body'],
    ['blank lines before the body', '---\na: b\n---\n\n\r\n\n  body\n\n', 'a: b\n', '  body\n\n'],
    ['dashes inside a value', '---\na: b --- c\n----\nd: e\n---\nbody', 'a: b --- c\n----\nd: e\n', 'body'],
    ['a second fence in the body', '---\na: b\n---\n---js\nevil()\n---\n', 'a: b\n', '---js\nevil()\n---\n'],
  ])('are found with %s', (_name, text, yaml, body) => {
    expect(splitFrontmatter(text)).toEqual({
      kind: 'found',
      yaml,
      body,
      bodyStart: text.length - body.length,
    });
  });

  it.each([
    ['an empty text', ''],
    ['a blank line first', '\n---\na: b\n---\n'],
    ['a space first', ' ---\na: b\n---\n'],
    ['four dashes', '----\na: b\n----\n'],
    ['a language after the dashes', '---js\nmodule.exports = {}\n---\n'],
    ['a field after the dashes', '---name: x\n---\n'],
    ['a lone carriage return', '---\ra: b\r---\r'],
    ['dashes only', '---'],
  ])('are missing with %s', (_name, text) => {
    expect(splitFrontmatter(text)).toEqual({ kind: 'missing' });
  });

  it.each([
    ['no closing line', '---\na: b\n'],
    ['an indented closing line', '---\na: b\n ---\n'],
    ['text after the closing dashes', '---\na: b\n--- x\n'],
    ['a next-line character for a line break', '---\na: b\u0085---\n'],
  ])('are unclosed with %s', (_name, text) => {
    expect(splitFrontmatter(text)).toEqual({ kind: 'unclosed' });
  });

  it('may hold 16 KiB and not one byte more', () => {
    const yaml = (bytes: number) => `a: ${'é'.repeat((bytes - 4) / 2)}\n`;
    expect(splitFrontmatter(`---\n${yaml(FRONTMATTER_BYTES_MAX)}---\n`).kind).toBe('found');
    expect(splitFrontmatter(`---\n${yaml(FRONTMATTER_BYTES_MAX)} ---\n`).kind).toBe('unclosed');
    expect(splitFrontmatter(`---\n${yaml(FRONTMATTER_BYTES_MAX + 2)}---\n`).kind).toBe('unclosed');
  });
});

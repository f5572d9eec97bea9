import { describe, expect, test } from 'vitest';

import { createOutput, jsonText } from '../../../src/surfaces/cli/output.ts';
import { recordedStream } from './harness.ts';

function output(options: { terminal?: number; env?: Record<string, string>; noColor?: boolean } = {}) {
  const stdout = recordedStream(options.terminal);
  const stderr = recordedStream(options.terminal);
  const { env = {}, noColor = false } = options;
  return { out: createOutput({ streams: { stdout, stderr }, env, noColor, quiet: false }), stdout, stderr };
}

describe('colour', () => {
  test.each([
    ['on a terminal', { terminal: 80 }, '\u001b[31mx\u001b[0m'],
    ['in a pipe', {}, 'x'],
    ['with NO_COLOR', { terminal: 80, env: { NO_COLOR: '1' } }, 'x'],
    ['with an empty NO_COLOR', { terminal: 80, env: { NO_COLOR: '' } }, '\u001b[31mx\u001b[0m'],
    ['with TERM=dumb', { terminal: 80, env: { TERM: 'dumb' } }, 'x'],
    ['with --no-color', { terminal: 80, noColor: true }, 'x'],
  ])('%s', (_where, options, painted) => {
    expect(output(options).out.paint('red', 'x')).toBe(painted);
  });
});

describe('json', () => {
  const hostile = 'a\u001b[31m\u202eb\u2066\u0085\u009b\u007f\u{e0041}\u200b漢😀\n';

  test('holds no character that could steer a terminal, and means the same', () => {
    const text = jsonText({ hostile }, { pretty: false });
    expect(text).toMatch(/^[\x20-\x7e漢😀]*$/u);
    expect(JSON.parse(text)).toEqual({ hostile });
  });

  test('is pretty on a terminal and one line in a pipe', () => {
    const terminal = output({ terminal: 80 });
    terminal.out.json({ a: [1] });
    expect(terminal.stdout.text()).toBe('{\n  "a": [\n    1\n  ]\n}\n');
    const pipe = output();
    pipe.out.json({ a: [1] });
    expect(pipe.stdout.text()).toBe('{"a":[1]}\n');
  });
});

describe('a stream that breaks', () => {
  test('a reader that left is noticed and is no failure', async () => {
    const { out, stdout } = output();
    let left = false;
    out.onceClosed(() => {
      left = true;
    });
    stdout.break(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    out.lines(['x']);
    expect(await out.flush()).toEqual({ closed: true, failure: null });
    expect(left).toBe(true);
  });

  test('a full disk is a failure', async () => {
    const { out, stdout } = output();
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    stdout.break(full);
    out.lines(['x']);
    expect(await out.flush()).toEqual({ closed: false, failure: full });
  });
});

import { expect, test } from 'vitest';

import { sha256Hex } from '../../src/lib/digest.ts';

test('sha256Hex gives the published digests of the empty text and of abc', () => {
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a text and its UTF-8 bytes have the same digest', () => {
  expect(sha256Hex('ß€😀')).toBe(sha256Hex(Buffer.from('ß€😀', 'utf8')));
});

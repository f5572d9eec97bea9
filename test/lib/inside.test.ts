import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { isInside, leadsOut, requireInside } from '../../src/lib/inside.ts';
import { temporaryDirectory } from '../support/temporary.ts';

function folders(): {
  readonly base: string;
  readonly whole: string;
  link(name: string, to: string): string;
} {
  const base = realpathSync(temporaryDirectory());
  const whole = path.join(base, 'work');
  mkdirSync(path.join(whole, 'inner'), { recursive: true });
  mkdirSync(path.join(base, 'work-evil'));
  return {
    base,
    whole,
    link(name, to) {
      const place = path.join(whole, name);
      symlinkSync(to, place);
      return place;
    },
  };
}

describe('what is inside by its name', () => {
  it.each([
    ['/a/b', true],
    ['/a/b/c', true],
    ['/a/b/..c', true],
    ['/a/b-evil', false],
    ['/a/b/../c', false],
    ['/', false],
  ])('%s in /a/b: %s', (place, inside) => {
    expect(isInside(place, '/a/b')).toBe(inside);
  });
});

describe('what leads out of a folder', () => {
  it('a link to somewhere else, and whatever is below it', () => {
    const { base, whole, link } = folders();
    for (const [index, to] of [path.join(base, 'work-evil'), '../work-evil', '..', '/'].entries()) {
      const place = link(`out-${index}`, to);
      expect(leadsOut(place, whole)).toBe(true);
      expect(leadsOut(path.join(place, 'not/there/yet'), whole)).toBe(true);
    }
  });

  it('a link to nothing, to itself, and one over a file', () => {
    const { base, whole, link } = folders();
    writeFileSync(path.join(base, 'file'), '');
    expect(leadsOut(link('dangling', '../nothing'), whole)).toBe(true);
    expect(leadsOut(link('loop', 'loop'), whole)).toBe(true);
    expect(leadsOut(path.join(whole, 'loop/below'), whole)).toBe(true);
    expect(leadsOut(link('file', '../file'), whole)).toBe(true);
  });

  it('not a link that stays, nor a path that was never inside', () => {
    const { base, whole, link } = folders();
    expect(leadsOut(path.join(link('stays', 'inner'), 'new'), whole)).toBe(false);
    expect(leadsOut(path.join(whole, 'inner/new/newer'), whole)).toBe(false);
    expect(leadsOut(whole, whole)).toBe(false);
    expect(leadsOut(path.join(base, 'elsewhere'), whole)).toBe(false);
  });

  it('not the folder itself, when it was reached through a link', () => {
    const { base, whole } = folders();
    const alias = path.join(base, 'alias');
    symlinkSync(whole, alias);
    expect(leadsOut(path.join(alias, 'inner/new'), alias)).toBe(false);
  });

  it('is refused with the place and the way out', () => {
    const { whole, link } = folders();
    const place = link('out', '..');
    expect(() => requireInside(place, whole)).toThrow(
      expect.objectContaining({
        code: 'LINK_OUTSIDE',
        message: expect.stringContaining(`${place} leads out of ${whole}`),
      }),
    );
  });
});

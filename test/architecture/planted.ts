import { expect, it } from 'vitest';

import { check } from './check.ts';

/** A tree given as text, the rule it must break, or none. */
export interface Planted {
  readonly says: string;
  readonly files: Readonly<Record<string, string>>;
  readonly breaks: string | null;
}

/** A planted fault breaks exactly its rule, a near miss breaks none; all rules look at every tree. */
export function testPlanted(cases: readonly Planted[]): void {
  for (const { says, files, breaks } of cases) {
    it(says, () => {
      const violations = check(new Map(Object.entries(files)));
      const broken = [...new Set(violations.map(({ rule }) => rule))];
      expect(broken, JSON.stringify(violations)).toEqual(breaks === null ? [] : [breaks]);
    });
  }
}

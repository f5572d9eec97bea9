/** Who has which name, while a scan gives one directory after the other its role. */
import type { SkillRoot } from './roots.ts';

export interface TakenNames {
  /** Names whose winner is another or has changed; records of the copies in its shadow are renewed. */
  readonly fresh: ReadonlyMap<string, SkillRoot>;
  /** The winner is new, or has changed. */
  take(name: string, root: SkillRoot): void;
  /** The winner is that of the last scan. */
  keep(name: string, root: SkillRoot): void;
  isKept(name: string): boolean;
  /** The root of the winner so far. */
  holder(name: string): SkillRoot | undefined;
  count(): number;
  all(): readonly string[];
}

export function createTakenNames(): TakenNames {
  const fresh = new Map<string, SkillRoot>();
  const kept: { readonly name: string; readonly root: SkillRoot }[] = [];
  // Made when somebody asks. Most scans find edits of skills that keep their names, and nobody asks for 100 000 others.
  const byName = new Map<string, SkillRoot>();
  let indexed = 0;
  const keeper = (name: string): SkillRoot | undefined => {
    if (indexed < kept.length) {
      for (const one of kept.slice(indexed)) byName.set(one.name, one.root);
      indexed = kept.length;
    }
    return byName.get(name);
  };
  return {
    fresh,
    take: (name, root) => void fresh.set(name, root),
    keep: (name, root) => void kept.push({ name, root }),
    isKept: (name) => keeper(name) !== undefined,
    holder: (name) => fresh.get(name) ?? keeper(name),
    count: () => fresh.size + kept.length,
    all: () => [...fresh.keys(), ...kept.map(({ name }) => name)],
  };
}

import { useEffect, useState } from 'preact/hooks';

import { ApiFailure, getJson } from '../../api/client.ts';
import type { SkillLine, SkillPage } from '../../api/contract.ts';
import { type Loaded, useRevision } from '../../api/use-data.ts';

const PAGE = 5_000;

let known: readonly SkillLine[] | null = null;

/** All skills, page by page; asked for again when the catalog changes. */
export function useSkills(): Loaded<readonly SkillLine[]> {
  const revision = useRevision();
  const [loaded, setLoaded] = useState<Loaded<readonly SkillLine[]>>(() =>
    known === null ? { state: 'loading' } : { state: 'ready', value: known, fresh: false },
  );
  useEffect(() => {
    const giveUp = new AbortController();
    readAll(giveUp.signal).then(
      (value) => {
        known = value;
        setLoaded({ state: 'ready', value, fresh: true });
      },
      (error: unknown) => {
        if (!giveUp.signal.aborted && error instanceof ApiFailure)
          setLoaded({ state: 'failed', failure: error });
      },
    );
    return () => giveUp.abort();
  }, [revision]);
  return loaded;
}

async function readAll(signal: AbortSignal): Promise<readonly SkillLine[]> {
  const all: SkillLine[] = [];
  for (let cursor = ''; ; ) {
    const page: SkillPage = await getJson(`/v1/skills?limit=${PAGE}${cursor}`, signal);
    all.push(...page.items);
    if (page.next === null) return all;
    cursor = `&cursor=${page.next}`;
  }
}

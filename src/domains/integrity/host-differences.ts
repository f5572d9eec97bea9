/** Where hosts disagree about the skills of one place. Pure. */
import type { HostId } from './host-rules.ts';
import type { Sighting } from './host-view.ts';

export interface HostSight {
  readonly id: HostId;
  readonly skills: readonly Sighting[];
}

/** The same content, wherever it lies, and who sees it. */
export interface SeenContent {
  /** Every place of it that some host takes it from. */
  readonly paths: readonly string[];
  readonly hosts: readonly HostId[];
}

export interface HostDifference {
  /** The name of the skill's folder. */
  readonly skill: string;
  /** `content`: two hosts see different texts under the name. `sight`: some do not see it. */
  readonly kinds: readonly ('content' | 'sight')[];
  readonly seen: readonly SeenContent[];
  readonly unseen: readonly HostId[];
}

/** By name. A skill that all hosts see with the same text is no difference. */
export function hostDifferences(hosts: readonly HostSight[]): readonly HostDifference[] {
  const names = new Set(hosts.flatMap(({ skills }) => skills.map(({ directory }) => directory)));
  return [...names].sort().flatMap((skill) => {
    const seen = contentsOf(hosts, skill);
    const sighted = new Set(seen.flatMap((content) => content.hosts));
    const unseen = hosts.flatMap(({ id }) => (sighted.has(id) ? [] : [id]));
    const kinds: HostDifference['kinds'][number][] = [];
    if (seen.length > 1) kinds.push('content');
    if (unseen.length > 0 && sighted.size > 0) kinds.push('sight');
    return kinds.length === 0 ? [] : [{ skill, kinds, seen, unseen }];
  });
}

function contentsOf(hosts: readonly HostSight[], skill: string): readonly SeenContent[] {
  const contents = new Map<string, { paths: Set<string>; hosts: Set<HostId> }>();
  for (const { id, skills } of hosts) {
    for (const { directory, state, path, digest } of skills) {
      if (directory !== skill || state !== 'seen') continue;
      const key = digest ?? path;
      const content = contents.get(key) ?? { paths: new Set(), hosts: new Set() };
      content.paths.add(path);
      content.hosts.add(id);
      contents.set(key, content);
    }
  }
  return [...contents.values()].map(({ paths, hosts: seers }) => ({
    paths: [...paths].sort(),
    hosts: [...seers],
  }));
}

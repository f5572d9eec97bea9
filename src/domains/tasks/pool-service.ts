/** Asks the registry and the agents who could do a task. */
import type { ProfileState } from '../agents/profiles-service.ts';
import type { AgentProfile } from '../agents/schema.ts';
import type { AgentsService } from '../agents/service.ts';
import type { SkillsService } from '../skills/service.ts';
import { type PoolReport, type PoolSkill, reportPool, skillsFor } from './dispatch.ts';
import type { Task } from './schema.ts';

export interface PoolParts {
  readonly skills: Pick<SkillsService, 'get' | 'snapshot' | 'generation'>;
  readonly agents: Pick<AgentsService, 'profileReport' | 'active'>;
  /** Text that nobody has vouched for is not put before an agent on its own accord. */
  readonly isTrusted: (name: string) => Promise<boolean>;
}

export interface Pool {
  readonly report: PoolReport;
  /** The profile that was chosen. */
  readonly profile: AgentProfile | null;
}

export type AskPool = (task: Task) => Promise<Pool>;

export function createPool({ skills, agents, isTrusted }: PoolParts): AskPool {
  return async (task) => {
    const find = (name: string): PoolSkill | null => skills.get(name);
    const offered = skills.snapshot(skills.generation()).filter(({ triggers }) => triggers.length > 0);
    const found = skillsFor(task, { find, offered });
    const triggered = [];
    for (const skill of found.triggered) if (await isTrusted(skill.name)) triggered.push(skill);
    const states = await agents.profileReport();
    const [profiles, untrusted] = [inState(states, 'usable'), inState(states, 'untrusted')];
    const active = await agents.active();
    const report = reportPool(task, { ...found, triggered }, { profiles, untrusted, active });
    return { report, profile: profiles.find(({ agent_type }) => agent_type === report.chosen) ?? null };
  };
}

function inState(states: readonly ProfileState[], wanted: 'usable' | 'untrusted'): readonly AgentProfile[] {
  return states
    .flatMap((entry) => (entry.state === wanted ? [entry.profile] : []))
    .sort((a, b) => (a.agent_type < b.agent_type ? -1 : 1));
}

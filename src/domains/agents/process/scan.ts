/** Finds every process that belongs to an agent, however far it went away. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

import { systemCodeOf } from '../../../lib/errors.ts';
import {
  descendantsOf,
  findProcess,
  isRunning,
  listProcesses,
  type ProcessIdentity,
  type ProcessRow,
  processesMarked,
} from '../../sessions/run/processes.ts';

/** Variables are inherited across `setsid` and double forks, where groups and parents are lost. */
export const MARKER = 'COLIBRI_AGENT_ID';

/** What is remembered of a run's processes while they can still be seen. */
export interface Family {
  /** Notes the descendants of the first process; one that drops its environment later is known already. */
  look(): void;
  alive(): readonly ProcessRow[];
}

export function createFamily(agentId: string, leader: number | null): Family {
  const seen = new Map<string, ProcessIdentity>();
  let groupIsOurs = leader !== null;
  const note = (row: ProcessIdentity): void => void seen.set(`${row.pid} ${row.startTime}`, row);
  return {
    look() {
      if (leader !== null) for (const row of descendantsOf(leader, listProcesses())) note(row);
    },
    alive() {
      const rows = listProcesses();
      const found = new Map<number, ProcessRow>();
      const add = (row: ProcessRow): void => {
        if (!row.ended && row.pid !== process.pid) found.set(row.pid, row);
      };
      processesMarked(`${MARKER}=${agentId}`).forEach(add);
      // The group's number is the leader's. Once nobody is left in it, the system may give it to others.
      const group = groupIsOurs ? rows.filter((row) => row.group === leader) : [];
      groupIsOurs = group.length > 0;
      group.forEach(add);
      for (const identity of seen.values()) {
        if (isRunning(identity)) descendantsOf(identity.pid, rows).forEach(add);
      }
      for (const row of [...found.values()]) descendantsOf(row.pid, rows).forEach(add);
      return [...found.values()];
    },
  };
}

/** Agents that have left processes, by their ids. */
export function markedAgents(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { pid, ended } of listProcesses()) {
    if (ended || pid === process.pid) continue;
    const id = agentOf(pid);
    if (id !== null) found.add(id);
  }
  return found;
}

function agentOf(pid: number): string | null {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    return new RegExp(`\\0${MARKER}=([^\\0]+)\\0`).exec(environment)?.[1] ?? null;
  } catch (error) {
    // Gone meanwhile, or somebody else's.
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}

/** Processes whose working folder is there or below. */
export function processesIn(folder: string): readonly number[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const place = workingFolder(pid);
      return place !== null && (place === folder || place.startsWith(`${folder}/`));
    });
}

function workingFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return null;
  }
}

/** This very process, so that a later one can tell whether it is still there. */
export function ownIdentity(): { readonly pid: number; readonly startTime: string; readonly bootId: string } {
  const { pid } = process;
  return { pid, startTime: findProcess(pid)?.startTime ?? '', bootId: bootId() };
}

export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return '';
  }
}

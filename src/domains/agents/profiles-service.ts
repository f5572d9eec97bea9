/** The profiles of a workspace, with what is known of their work so far. */
import type { ColibriDatabase, RecordTransaction } from '../../db/database.ts';
import { ColibriError } from '../../lib/errors.ts';
import { nearest } from '../../lib/text.ts';
import { historyAfter } from './lifecycle.ts';
import { listProfileFiles, type ProfileFile, readProfileFile, writeProfileFile } from './profile-files.ts';
import { type AgentSchema, putHistory, readHistories } from './repository.ts';
import { type AgentProfile, type FailCode, type ProfileDefinition, profileSchema } from './schema.ts';

export interface ProfilesParts {
  readonly db: ColibriDatabase;
  readonly workspace: string;
  readonly home: string;
  /** Whether the user vouched for these very bytes of a file of the workspace. */
  readonly isTrusted: (file: string, digest: string) => Promise<boolean>;
}

/** A file of a profile, whatever became of it. */
export type ProfileState = {
  readonly path: string;
  readonly source: 'workspace' | 'global';
} & (
  | { readonly state: 'usable' | 'untrusted' | 'shadowed'; readonly profile: AgentProfile }
  | { readonly state: 'invalid'; readonly problem: string }
);

export interface Profiles {
  /** Those that can be used, by name. */
  profiles(): Promise<readonly AgentProfile[]>;
  profile(name: string): Promise<AgentProfile>;
  /** Every file, with why a profile cannot be used. */
  profileReport(): Promise<readonly ProfileState[]>;
  /** Adds a profile to the workspace, or replaces all of it but its history. */
  saveProfile(definition: ProfileDefinition): Promise<{ readonly path: string }>;
  noteAssigned(transaction: RecordTransaction, name: string, at: string): Promise<void>;
  noteRun(
    transaction: RecordTransaction,
    name: string,
    run: { readonly code: FailCode | 'ok'; readonly durationMs: number },
  ): Promise<void>;
}

const NO_HISTORY = { success_rate: 0, avg_duration_ms: 0, total_runs: 0 } as const;

export function createProfiles(parts: ProfilesParts): Profiles {
  const report = async (): Promise<readonly ProfileState[]> => {
    const histories = await readHistories(await parts.db.records<AgentSchema>());
    const states: ProfileState[] = [];
    const taken = new Set<string>();
    for (const { source, file } of filesOf(parts)) {
      const state = await judge(parts, file, { source, taken, histories });
      // A name stays taken by a profile that may not run: another must not slip into its place unseen.
      if (state.state !== 'invalid') taken.add(state.profile.agent_type);
      states.push(state);
    }
    return states;
  };
  const startOf = async (transaction: RecordTransaction, name: string) => {
    const known = (await readHistories(transaction)).get(name);
    return known ?? { agent_type: name, last_assigned_at: null, ...writtenHistory(parts, name) };
  };

  return {
    profileReport: report,
    async profiles() {
      const usable = (await report()).flatMap((entry) => (entry.state === 'usable' ? [entry.profile] : []));
      return usable.sort((a, b) => (a.agent_type < b.agent_type ? -1 : 1));
    },
    profile: async (name) => requireProfile(await report(), name),
    async saveProfile(definition) {
      const parsed = profileSchema.safeParse(definition);
      if (!parsed.success) {
        const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
        throw new ColibriError('PROFILE_INVALID', `the profile cannot be saved: ${problems.join('; ')}`);
      }
      // JSON is YAML, and needs no second way of writing.
      const text = `${JSON.stringify(parsed.data, null, 2)}\n`;
      return { path: writeProfileFile(parts.workspace, parsed.data.agent_type, text) };
    },
    async noteAssigned(transaction, name, at) {
      await putHistory(transaction, { ...(await startOf(transaction, name)), last_assigned_at: at });
    },
    async noteRun(transaction, name, run) {
      const before = await startOf(transaction, name);
      await putHistory(transaction, { ...before, ...historyAfter(before, run) });
    },
  };
}

function filesOf({ workspace, home }: ProfilesParts): readonly Placed[] {
  const inWorkspace = listProfileFiles(workspace).map((file) => ({ source: 'workspace', file }) as const);
  // Somebody may work in the home itself.
  if (workspace === home) return inWorkspace;
  return [...inWorkspace, ...listProfileFiles(home).map((file) => ({ source: 'global', file }) as const)];
}

interface Placed {
  readonly source: 'workspace' | 'global';
  readonly file: string;
}

async function judge(
  { isTrusted }: ProfilesParts,
  path: string,
  {
    source,
    taken,
    histories,
  }: {
    readonly source: 'workspace' | 'global';
    readonly taken: ReadonlySet<string>;
    readonly histories: Awaited<ReturnType<typeof readHistories>>;
  },
): Promise<ProfileState> {
  const { parsed, digest }: ProfileFile = readProfileFile(path);
  if (!parsed.ok) return { path, source, state: 'invalid', problem: parsed.problem };
  const { history, ...definition } = parsed.profile;
  const known = histories.get(definition.agent_type);
  const { success_rate, avg_duration_ms, total_runs } = known ?? history ?? NO_HISTORY;
  const profile: AgentProfile = {
    ...definition,
    history: { success_rate, avg_duration_ms, total_runs },
    path,
    source,
    last_assigned_at: known?.last_assigned_at ?? null,
  };
  if (taken.has(definition.agent_type)) return { path, source, state: 'shadowed', profile };
  const trusted = source === 'global' || (digest !== null && (await isTrusted(path, digest)));
  return { path, source, state: trusted ? 'usable' : 'untrusted', profile };
}

function requireProfile(states: readonly ProfileState[], name: string): AgentProfile {
  const named = states.find((entry) => entry.path.endsWith(`/${name}.yaml`) && entry.state !== 'shadowed');
  if (named?.state === 'usable') return named.profile;
  if (named?.state === 'untrusted') {
    const message = `nobody has vouched for ${named.path}, and it says what is run; read it, then \`colibri trust ${name}.yaml\``;
    throw new ColibriError('PROFILE_UNTRUSTED', message, { profile: name, path: named.path });
  }
  if (named?.state === 'invalid') {
    throw new ColibriError('PROFILE_INVALID', `${named.path} ${named.problem}`, { path: named.path });
  }
  const names = states.flatMap((entry) => (entry.state === 'usable' ? [entry.profile.agent_type] : []));
  const near = nearest(name, names);
  const hint =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `write .colibri/agents/${name}.yaml first`;
  throw new ColibriError('PROFILE_NOT_FOUND', `no profile is named ${name}; ${hint}`, {
    profile: name,
    nearest: near,
  });
}

function writtenHistory(parts: ProfilesParts, name: string): AgentProfile['history'] {
  for (const { file } of filesOf(parts)) {
    const { parsed } = readProfileFile(file);
    if (parsed.ok && parsed.profile.agent_type === name) return parsed.profile.history ?? NO_HISTORY;
  }
  return NO_HISTORY;
}

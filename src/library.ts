/** Colibri as a library: everything the command line does, in process. */
import type { EventFilter } from './domains/events/repository.ts';
import type { EventRow } from './domains/events/schema.ts';
import type { Ask } from './domains/sessions/asking.ts';
import type { SessionCall } from './domains/sessions/calls.ts';
import type { SessionRequest } from './domains/sessions/schema.ts';
import type { SearchHit } from './domains/sessions/search.ts';
import type { SkillDetail } from './domains/skills/registry-repository.ts';
import type { SkillFilters, SkillSummary } from './domains/skills/summary-repository.ts';
import type { ColibriTool, Envelope } from './server.ts';
import { type Runtime, type StartupOptions, startup } from './startup.ts';

export interface OpenOptions {
  /** The folder to work for. Default: the current directory. */
  readonly workspace?: string;
  /** The database file, relative to the workspace, or `:memory:`. Default: `data/colibri.db`. */
  readonly dbPath?: string;
  /** Index this one folder instead of the configured roots. */
  readonly skillsRoot?: string;
  /** Where log lines go. Default: nowhere. */
  readonly logger?: NonNullable<StartupOptions['logger']>;
  /** The user's home folder, where the global root lies. */
  readonly home?: string;
  /** Puts a question of the policy to a person. Without it everything that has to be asked is refused. */
  readonly ask?: Ask;
}

export interface Colibri {
  readonly skills: {
    list(filters?: SkillFilters): readonly SkillSummary[];
    get(name: string): SkillDetail | null;
    /** What an agent's `skill_search` finds, best first. */
    search(query: string, options?: FindOptions): Promise<readonly SearchHit[]>;
    /** The skills that a task clearly calls for, best first; none when nothing does. */
    match(task: string, options?: FindOptions): Promise<readonly SearchHit[]>;
    /** Compares the disk with the index now. */
    reload(): Promise<unknown>;
  };
  readonly sessions: {
    open(request?: SessionRequest): Promise<Session>;
    /** Goes on with a session that is still open. */
    resume(id: string): Promise<Session>;
    /** Runs a recorded session again and compares. */
    replay: Runtime['replay'];
    /** How skills were used, counted from the log. */
    stats: Runtime['sessions']['stats'];
  };
  /** Skills from elsewhere, pinned in `colibri.lock.json`. */
  readonly install: Runtime['install'];
  /** The skills as a site that others can install from. */
  readonly publish: Runtime['publish'];
  readonly events: {
    read(filter?: EventFilter): Promise<readonly EventRow[]>;
    follow(filter: EventFilter, listener: (rows: readonly EventRow[]) => void): () => void;
    verify(): ReturnType<Runtime['events']['verify']>;
  };
  /** The security scan of indexed skills or of folders. */
  readonly scan: Runtime['scan'];
  /** Copies of skills in mirrors. */
  readonly mirrors: {
    /** Where they differ from the canonical skills; with `diff`, by lines. */
    check: Runtime['drift']['check'];
    /** Brings them in line, keeping what was edited there. */
    sync: Runtime['sync']['sync'];
  };
  /** Everything that is wrong, in one report, and what can be mended. */
  readonly doctor: Runtime['doctor'];
  /** Signed-off states of the registry: start, list, get, compare. */
  readonly rounds: Runtime['rounds'];
  /** Which skills other hosts would see from the workspace. */
  readonly hosts: Runtime['hosts'];
  /** New skills, and those that agents propose. */
  readonly proposals: Runtime['proposals'];
  /** Tasks: made, dispatched, worked off; opened at the first call. */
  readonly tasks: Runtime['tasks'];
  /** Agents and their profiles; opened at the first call. */
  readonly agents: Runtime['agents'];
  /** Skills that are switched off, and profiles. */
  readonly switches: Runtime['switches'];
  close(): Promise<void>;
}

export interface FindOptions {
  /** At most so many. Default: 10 for a search, 5 for a match. */
  readonly limit?: number;
}

/** One agent's conversation. */
export interface Session {
  readonly id: string;
  /** The text for the stable part of the system prompt; empty when there are no skills. */
  catalog(format?: 'markdown' | 'xml'): Promise<string>;
  /** Definitions for any model's tool interface: name, description, JSON Schema of the input. */
  readonly tools: readonly ToolDefinition[];
  /** Runs a tool call that the model made. Never throws for what the model did wrong. */
  handleToolCall(call: {
    readonly name: string;
    readonly input: unknown;
    readonly id?: string;
  }): Promise<ToolOutcome>;
  /** Gives a command for the person: `/skill:name arguments`. Its text is what the model is to read. */
  command(text: string): Promise<ToolOutcome>;
  /** Takes the skills as they are now instead of as they were at the start; the catalog text changes with them. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ToolOutcome {
  /** What the model gets to read. */
  readonly text: string;
  readonly isError: boolean;
  readonly envelope: Envelope;
}

/** Opens the registry: migrates the database, scans the skills. Failures are thrown, never fatal to the process. */
export async function openColibri(options: OpenOptions = {}): Promise<Colibri> {
  const { ask, ...places } = options;
  const runtime = await startup({ logger: () => undefined, ...places, trace: true, exit: () => undefined });
  const { skills, sessions, events } = runtime;
  const following = new Set<() => void>();
  return {
    skills: {
      list: skills.list,
      get: skills.get,
      reload: skills.reload,
      search: (query, options) => find(runtime, { tool: 'skill_search', input: { query, ...options } }),
      match: (task, options) => find(runtime, { tool: 'skill_match', input: { task, ...options } }),
    },
    sessions: {
      // Whoever opens the library is no connection that could be raised: it says who is asking.
      open: async (request) =>
        sessionOf(runtime, (await sessions.open(request, request?.agent_tier)).id, { ask }),
      resume: async (id) => sessionOf(runtime, (await sessions.resume(id)).id, { ask }),
      replay: runtime.replay,
      stats: sessions.stats,
    },
    install: runtime.install,
    publish: runtime.publish,
    events: {
      read: events.read,
      verify: events.verify,
      follow(filter, listener) {
        const end = events.follow(filter, listener);
        following.add(end);
        return () => {
          following.delete(end);
          end();
        };
      },
    },
    scan: runtime.scan,
    mirrors: { check: runtime.drift.check, sync: runtime.sync.sync },
    doctor: runtime.doctor,
    rounds: runtime.rounds,
    hosts: runtime.hosts,
    proposals: runtime.proposals,
    tasks: runtime.tasks,
    agents: runtime.agents,
    switches: runtime.switches,
    async close() {
      // A follower that was left behind would keep the process from ending.
      for (const end of following) end();
      await runtime.close();
    },
  };
}

async function find({ ctx, sessions }: Runtime, call: SessionCall): Promise<readonly SearchHit[]> {
  const { data } = await sessions.call(call, { session: null, callId: ctx.ids.ulid(), actor: 'library' });
  // Put there by the engine, from the same type.
  return data['results'] as readonly SearchHit[];
}

const SESSION_TOOLS = ['skill_search', 'skill_match', 'skill_load', 'skill_read', 'skill_get', 'skill_run'];

function sessionOf({ ctx, sessions }: Runtime, id: string, { ask }: Asking): Session {
  const tools = SESSION_TOOLS.map((name) => ctx.tools.get(name)).filter((tool) => tool !== undefined);
  return {
    id,
    catalog: async (format) => (await sessions.catalog(id, format)).text,
    tools: tools.map(definitionOf),
    async handleToolCall({ name, input, id: toolUseId }) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) return outcomeOf(unknownTool(name));
      const withSession = { ...(typeof input === 'object' ? input : {}), session_id: id };
      const request = { door: 'library', ...(toolUseId === undefined ? {} : { toolUseId }) } as const;
      return outcomeOf(await sessions.callAsking(tool, withSession, { request, ask }));
    },
    async command(text) {
      const parsed = sessions.parseCommand(text);
      const tool = ctx.tools.get('skill_invoke');
      if (parsed === null || tool === undefined) return outcomeOf(noCommand(text));
      return outcomeOf(await tool.call({ ...parsed, session_id: id }, { door: 'library' }));
    },
    async refresh() {
      await sessions.refresh(id);
    },
    close: () => sessions.close(id),
  };
}

interface Asking {
  readonly ask: OpenOptions['ask'];
}

/** The session is fixed here, so the model is not asked for it. */
function definitionOf({ name, description, inputJsonSchema }: ColibriTool): ToolDefinition {
  const { $schema: _, ...schema } = inputJsonSchema();
  const { session_id: __, ...properties } = schema['properties'] as Record<string, unknown>;
  return { name, description, inputSchema: { ...schema, properties } };
}

function outcomeOf(envelope: Envelope): ToolOutcome {
  if (!envelope.ok) {
    const { code, message } = envelope.error;
    return { text: `${code}: ${message}`, isError: true, envelope };
  }
  return { text: envelope.text ?? JSON.stringify(envelope.data), isError: false, envelope };
}

function noCommand(text: string): Envelope {
  const shown = JSON.stringify(text.slice(0, 80));
  const message = `${shown} is no command; write /skill:<name> and then the arguments`;
  return { ok: false, error: { code: 'INVALID_PARAMS', message } };
}

function unknownTool(name: string): Envelope {
  const message = `no tool named ${JSON.stringify(name)}; use one of ${SESSION_TOOLS.join(', ')}`;
  return { ok: false, error: { code: 'TOOL_UNKNOWN', message } };
}

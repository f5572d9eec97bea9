/** Who is calling: finds the session that a request belongs to, for the kernel. */
import { oncePerTurn } from '../../lib/per-turn.ts';
import type { Caller, ToolRequest } from '../../server.ts';
import type { SessionsService } from './service.ts';

export interface Callers {
  identify(request: ToolRequest, rawInput: unknown): Promise<Caller>;
  /** Calls without a session of their own belong to this one from now on: the connection's. */
  useSession(id: string): void;
}

export function createCallers(sessions: SessionsService): Callers {
  let own: string | null = null;
  // Requests that a client sends together cannot build on each other's answers. Those of a program in this process can.
  const together = oncePerTurn(sessions.resume);
  const find = ({ door }: ToolRequest) => (door === 'stdio' || door === 'http' ? together : sessions.resume);
  return {
    useSession: (id) => {
      own = id;
    },
    async identify(request, rawInput) {
      const id = sessionIdOf(rawInput) ?? own;
      if (id === null) return { id: request.door, sessionId: null, agentTier: null };
      const session = await find(request)(id);
      return {
        id: session.options.agent_id ?? request.door,
        sessionId: id,
        agentTier: session.options.agent_tier,
      };
    },
  };
}

function sessionIdOf(rawInput: unknown): string | null {
  if (typeof rawInput !== 'object' || rawInput === null || !('session_id' in rawInput)) return null;
  return typeof rawInput.session_id === 'string' ? rawInput.session_id : null;
}

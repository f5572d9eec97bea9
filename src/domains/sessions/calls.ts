/** The calls that a session takes, and the one way from each of them to the engine. Pure. */
import { get, type LoadCall, load, read, type Step, type World } from './engine.ts';
import { invoke } from './invoke.ts';
import type { SessionState } from './schema.ts';
import { match, search } from './search.ts';

export type SessionCall =
  | {
      readonly tool: 'skill_search';
      readonly input: { readonly query: string; readonly limit?: number | undefined };
    }
  | {
      readonly tool: 'skill_match';
      readonly input: { readonly task: string; readonly limit?: number | undefined };
    }
  | { readonly tool: 'skill_load'; readonly input: { readonly name: string } }
  | { readonly tool: 'skill_read'; readonly input: { readonly name: string; readonly path: string } }
  | { readonly tool: 'skill_get'; readonly input: { readonly name: string } }
  | {
      readonly tool: 'skill_invoke';
      readonly input: {
        readonly name: string;
        readonly args?: string | undefined;
        readonly named?: Readonly<Record<string, string>> | undefined;
      };
    };

export interface CallFacts extends Pick<LoadCall, 'lost'> {
  readonly callId: string;
  /** The model's own id of the call, where it is known. */
  readonly toolUseId?: string | undefined;
}

/** The same live and in replay. */
export function runCall(
  call: SessionCall,
  world: World,
  state: SessionState | null,
  { callId, toolUseId, lost }: CallFacts,
): Step {
  switch (call.tool) {
    case 'skill_search':
      return search(world, call.input);
    case 'skill_match':
      return match(world, state, { ...call.input, toolUseId: toolUseId ?? callId });
    case 'skill_load':
      return load(world, state, {
        name: call.input.name,
        reason: 'on_demand',
        toolUseId: toolUseId ?? callId,
        lost,
      });
    case 'skill_read':
      return read(world, state, call.input);
    case 'skill_get':
      return get(world, call.input);
    case 'skill_invoke': {
      const { name, args = '', named } = call.input;
      return invoke(world, state, { name, args, named, toolUseId: toolUseId ?? callId });
    }
  }
}

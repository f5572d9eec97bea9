/** What becomes of a command that a person gives: `/skill:name arguments`. Pure, like the rest of the engine. */
import { ColibriError } from '../../lib/errors.ts';
import { substituteArguments } from '../skills/arguments.ts';
import type { SnapshotDetail } from '../skills/snapshot.ts';
import type { CustomCommand } from './command-file.ts';
import {
  effectsOf,
  firstLoad,
  isGiven,
  loadMetadata,
  policyData,
  refuseHidden,
  type SessionDraft,
  type Step,
  skillNotFound,
  type World,
} from './engine.ts';
import type { SessionState } from './schema.ts';

export interface InvokeCall {
  readonly name: string;
  /** The text after the name. */
  readonly args: string;
  /** Values by the names that the skill declares, where the caller has them apart. */
  readonly named?: Readonly<Record<string, string>> | undefined;
  readonly toolUseId: string | null;
}

/** Always gives the whole text. What a person asks for uses no budget, and may be a skill that is hidden from agents. */
export function invoke(world: World, state: SessionState | null, call: InvokeCall): Step {
  const skill = world.command(call.name);
  if (skill !== null) return invokeSkill(world, state, { skill, call });
  const custom = world.custom(call.name);
  if (custom === null) throw skillNotFound(world, call.name);
  return invokeCustom(custom, call);
}

function invokeSkill(
  world: World,
  state: SessionState | null,
  { skill, call }: { readonly skill: SnapshotDetail; readonly call: InvokeCall },
): Step {
  const { name, args, toolUseId } = call;
  if (!skill.user_invocable) {
    const message = `${name} is not meant to be invoked by people (user-invocable: false); an agent can load it`;
    throw new ColibriError('SKILL_NOT_INVOCABLE', message, { name });
  }
  refuseHidden(world, skill);
  const policy = world.policy(skill);
  const given = state !== null && isGiven(state, skill);
  const load = given ? null : firstLoad(world, skill, { reason: 'on_demand', toolUseId, counted: false });
  return {
    text: substitute(skill, call),
    data: { kind: 'skill', ...loadMetadata(skill), args, mode: 'manual', ...policyData(policy) },
    ...(load === null ? {} : { loaded: load.loaded }),
    drafts: [...(load?.drafts ?? []), invokedEvent(call, policy.tools)],
    artifacts: load?.artifacts ?? [],
  };
}

/** A file of the user's own is no skill: there is nothing to load, and nothing that it may use. */
function invokeCustom(command: CustomCommand, call: InvokeCall): Step {
  const data = { kind: 'command', name: command.name, args: call.args, mode: 'manual' };
  return { text: substitute(command, call), data, drafts: [invokedEvent(call, [])], artifacts: [] };
}

function substitute(
  { body, arguments: declared }: Pick<CustomCommand, 'body' | 'arguments'>,
  { args, named }: InvokeCall,
): string {
  return substituteArguments(body, declared, { text: args, ...(named === undefined ? {} : { named }) });
}

export function invokedEvent(
  { name, args, mode = 'manual' }: Pick<InvokeCall, 'name' | 'args'> & { readonly mode?: 'manual' | 'auto' },
  tools: Parameters<typeof effectsOf>[0],
): SessionDraft {
  return {
    type: 'skill.invoked',
    sensitivity: 'pseudonymous',
    payload: { name, args, mode, effective_allowed_tools: effectsOf(tools) },
  };
}

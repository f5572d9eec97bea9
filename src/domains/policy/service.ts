/** The policy of a workspace: what a call comes to, who is locked out, and who vouched for what. */
import type { RecordTransaction } from '../../db/database.ts';
import type { Caller, GateVerdict } from '../../server.ts';
import { sessionStream } from '../events/chain.ts';
import type { AgentTier } from '../skills/schema.ts';
import type { PolicyDecisionPayload, PolicyEventDraft } from './decision-event.ts';
import { type Decision, decideCall, type EffectiveTool, effectiveAllowedTools } from './effective-tools.ts';
import { gate } from './gate.ts';
import { decideOverride, type OverrideDecision, proposedOverrides } from './overrides.ts';
import type { ToolCall } from './patterns.ts';
import { createPolicyFile, type LoadedPolicy } from './policy-file.ts';
import { isWide } from './profiles.ts';
import type { Policy } from './rule.ts';
import { problemText } from './schema.ts';
import { decideSource, type SourceVerdict } from './source-rules.ts';
import type { TrustVerdict } from './trust.ts';
import {
  createTrustService,
  type SkillPlace,
  type TrustParts,
  type TrustService,
  type TrustView,
} from './trust-service.ts';

/** A skill as the registry and a session's snapshot know it. */
export interface PolicySkill extends SkillPlace {
  /** As displayed. */
  readonly root: string;
  readonly allowed_tools: readonly string[];
  readonly disallowed_tools: readonly string[];
  /** Holds what the skill proposes to override. */
  readonly frontmatter?: { readonly metadata?: unknown } | undefined;
}

export interface PolicySession {
  readonly agent_tier: AgentTier;
  /** A profile that the session chose for itself. */
  readonly profile?: string | undefined;
}

export interface PolicyRequest extends ToolCall, PolicySession {
  /** The skill that the call is made for. */
  readonly skill?: PolicySkill | undefined;
}

export interface DecisionOrigin {
  readonly session: string | null;
  readonly actor: string;
  /** The event that led to it. */
  readonly parentId?: string | undefined;
}

export interface JudgedCall extends Decision {
  readonly request: PolicyRequest;
  readonly trusted: boolean;
  /** The files of the skill that somebody vouched for; null when it is trusted whatever it holds, or not at all. */
  readonly vouchedFiles: TrustVerdict['files'];
}

export interface Explanation extends JudgedCall {
  readonly policy: Pick<LoadedPolicy, 'path' | 'problem'> & {
    readonly use: string;
    /** False while the file can only take away. */
    readonly vouched: boolean;
  };
  /** What the skill may use; empty without a skill. */
  readonly effective_allowed_tools: readonly EffectiveTool[];
}

export interface SkillPolicy {
  readonly trusted: boolean;
  readonly tools: readonly EffectiveTool[];
  readonly overrides: readonly OverrideDecision[];
}

export interface PolicyService extends TrustService {
  policy(): LoadedPolicy;
  /** Decides and records nothing. Not inside a transaction of records, which it would wait for. */
  judge(request: PolicyRequest): Promise<JudgedCall>;
  /** Records what was judged, together with what came of it. */
  record(transaction: RecordTransaction, judged: JudgedCall, origin: DecisionOrigin): Promise<void>;
  /** Both, in a transaction of its own. */
  decide(request: PolicyRequest, origin: DecisionOrigin): Promise<JudgedCall>;
  /** Like `judge`, with the skill by its name and everything that led to the verdict. */
  explain(
    request: Omit<PolicyRequest, 'skill'> & { readonly skill?: string | undefined },
  ): Promise<Explanation>;
  effectiveTools(skill: PolicySkill, session: PolicySession): Promise<readonly EffectiveTool[]>;
  /** Trust and tools of the given skills, or of any, as they are at this moment. */
  facts(
    skills: readonly PolicySkill[] | null,
    session: PolicySession,
  ): Promise<(skill: PolicySkill) => SkillPolicy>;
  /** What scripts may do beside their sandbox. A file that nobody vouched for gives nothing. */
  grants(): Promise<Pick<Policy, 'unsandboxed' | 'network'>>;
  /** Whether skills may be installed from a source. */
  source(identity: string): Promise<SourceVerdict>;
  /** Notes that a profile is in force which asks nothing; for any other it does nothing. */
  recordUse(transaction: RecordTransaction, origin: DecisionOrigin): Promise<void>;
  /** For the kernel. */
  gate(tool: string, caller: Pick<Caller, 'agentTier'>): GateVerdict;
}

export function createPolicyService(parts: TrustParts): PolicyService {
  const { db, events, skills } = parts;
  const file = createPolicyFile(parts.workspace);
  const trust = createTrustService(parts);

  /** The policy, the skill and the session with what is known of their trust at this moment. */
  const situation = async (skill: PolicySkill | undefined, session: PolicySession) => {
    const loaded = file.read();
    const view = await trust.view(skill === undefined ? [] : [skill]);
    const vouched = loaded.problem !== null || view.policy(loaded).trusted;
    const verdict = skill === undefined ? null : view.skill(skill);
    const trusted = verdict?.trusted ?? false;
    const { agent_tier, profile } = session;
    return {
      loaded,
      trusted,
      vouchedFiles: verdict?.files ?? null,
      session: { agent_tier, profile, vouched },
      skill: skill === undefined ? null : { ...skill, trusted },
    };
  };
  const judge = async (request: PolicyRequest): Promise<JudgedCall> => {
    const { loaded, skill, session, ...trust } = await situation(request.skill, request);
    return { ...decideCall(loaded.policy, request, { skill, session }), request, ...trust };
  };
  const record: PolicyService['record'] = async (transaction, judged, origin) => {
    await events.append(transaction, [draftOf(decisionPayload(judged), origin)]);
  };

  return {
    ...trust,
    policy: () => file.read(),
    judge,
    record,
    async decide(request, origin) {
      const judged = await judge(request);
      await db.transact((transaction) => record(transaction, judged, origin));
      events.wake();
      return judged;
    },
    async explain({ skill: name, ...call }) {
      const named = name === undefined ? undefined : skillOf(skills.require(name));
      const { loaded, skill, session } = await situation(named, call);
      const { path, problem, policy } = loaded;
      return {
        ...(await judge({ ...call, skill: named })),
        policy: { path, problem, use: policy.use, vouched: session.vouched },
        effective_allowed_tools: skill === null ? [] : effectiveAllowedTools(policy, skill, session),
      };
    },
    async effectiveTools(asked, limits) {
      const { loaded, skill, session } = await situation(asked, limits);
      return skill === null ? [] : effectiveAllowedTools(loaded.policy, skill, session);
    },
    facts: async (asked, session) => factsOf(file.read(), await trust.view(asked), session),
    source: async (identity) => judgeSource(file.read(), await trust.view([]), identity),
    grants: async () => grantsOf(file.read(), await trust.view([])),
    async recordUse(transaction, origin) {
      const { policy, digest } = file.read();
      if (!isWide(policy)) return;
      const payload = { kind: 'profile', profile: policy.use, policy_digest: digest } as const;
      await events.append(transaction, [draftOf(payload, origin)]);
    },
    gate: (tool, caller) => gate(file.read().policy)(tool, caller),
  };
}

function judgeSource(loaded: LoadedPolicy, view: TrustView, identity: string): SourceVerdict {
  if (loaded.problem !== null) return { effect: 'deny', rule: null, reason: problemText(loaded.problem) };
  return decideSource(loaded.policy.install, identity, { vouched: view.policy(loaded).trusted });
}

function grantsOf(loaded: LoadedPolicy, view: TrustView): Pick<Policy, 'unsandboxed' | 'network'> {
  const { unsandboxed, network } = loaded.policy;
  const counts = loaded.problem === null && view.policy(loaded).trusted;
  return counts ? { unsandboxed, network } : { unsandboxed: false, network: 'none' };
}

function factsOf(
  loaded: LoadedPolicy,
  view: TrustView,
  { agent_tier, profile }: PolicySession,
): (skill: PolicySkill) => SkillPolicy {
  const vouched = loaded.problem !== null || view.policy(loaded).trusted;
  return (skill) => {
    const { trusted } = view.skill(skill);
    const limits = { agent_tier, profile, vouched };
    const judged = { ...skill, trusted };
    const origin = { skill: judged, session: limits };
    return {
      trusted,
      tools: effectiveAllowedTools(loaded.policy, judged, limits),
      overrides: proposedOverrides(skill.frontmatter?.metadata).map((proposal) =>
        decideOverride(loaded.policy, proposal, origin),
      ),
    };
  };
}

/** Of a skill in the registry. */
function skillOf({
  source_dir: directory,
  ...rest
}: Omit<PolicySkill, 'directory'> & { readonly source_dir: string }): PolicySkill {
  const { name, source, root, allowed_tools, disallowed_tools } = rest;
  return { name, source, root, directory, allowed_tools, disallowed_tools };
}

/** What is recorded of a decision. */
export function decisionPayload(judged: JudgedCall): PolicyDecisionPayload {
  const { request, trusted, effect, profile, rule, reason } = judged;
  const { tool, argument = null, skill, agent_tier } = request;
  return {
    kind: 'call',
    tool,
    argument,
    skill: skill?.name ?? null,
    root: skill?.root ?? null,
    trusted,
    agent_tier,
    effect,
    profile,
    rule,
    reason,
  };
}

function draftOf(
  payload: PolicyDecisionPayload,
  { session, actor, parentId }: DecisionOrigin,
): PolicyEventDraft {
  const stream = session === null ? 'policy' : sessionStream(session);
  return { type: 'policy.decision', stream, actor, parentId, sensitivity: 'pseudonymous', payload };
}

/** New skills: from a person at once, from an agent only after a person has looked. */
import type { ColibriDatabase } from '../../../db/database.ts';
import { type Clock, isoNow } from '../../../lib/clock.ts';
import { ColibriError } from '../../../lib/errors.ts';
import type { Ids } from '../../../lib/ids.ts';
import { requireInside } from '../../../lib/inside.ts';
import type { EventDraft } from '../../events/schema.ts';
import type { EventsService } from '../../events/service.ts';
import { type RootRefusals, refusalError } from '../../skills/scan/roots.ts';
import type { SkillsService } from '../../skills/service.ts';
import { type FolderContent, readFolder } from '../scan/scan-files.ts';
import { scanSkill } from '../scan/scan-skill.ts';
import {
  checkFiles,
  checkName,
  checkReason,
  checkSkill,
  digestOf,
  mergeFiles,
  type Proposal,
  type ProposalRequest,
  type ProposedFile,
  WAITING_MAX,
  WAITING_PER_SESSION_MAX,
} from './proposal.ts';
import {
  decideProposal,
  findProposal,
  findProposals,
  insertProposal,
  type ProposalSchema,
} from './proposals-repository.ts';
import { DEFAULT_DESCRIPTION, scaffoldSkill } from './scaffold.ts';
import { writeSkillFolder } from './skill-writer.ts';

export interface ProposedBy {
  readonly actor: string;
  readonly session: string | null;
  readonly agentTier: string | null;
}

/** A proposal with the texts that it would replace. */
export interface ReviewedProposal extends Proposal {
  readonly changes: readonly (ProposedFile & { readonly before: string | null })[];
  /** Whether the skill has changed since it was proposed. */
  readonly stale: boolean;
}

export interface CreatedSkill {
  readonly name: string;
  /** As displayed. */
  readonly directory: string;
}

export interface ProposeService {
  /** Writes a first text for a new skill. */
  create(
    request: { readonly name: string; readonly description?: string | undefined },
    actor: string,
  ): Promise<CreatedSkill>;
  propose(request: ProposalRequest, by: ProposedBy): Promise<Proposal>;
  list(state?: Proposal['state']): Promise<readonly Proposal[]>;
  show(id: string): Promise<ReviewedProposal>;
  /** `despiteScan` takes one that the security scan would block. */
  accept(
    id: string,
    decision: { readonly actor: string; readonly despiteScan?: boolean },
  ): Promise<CreatedSkill>;
  reject(
    id: string,
    decision: { readonly actor: string; readonly note?: string | undefined },
  ): Promise<Proposal>;
}

export interface ProposeParts {
  readonly db: ColibriDatabase;
  readonly skills: SkillsService;
  readonly events: Pick<EventsService, 'append' | 'wake'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly refusals: RootRefusals;
}

/** Agents of this tier are workers: they use skills and do not write any. */
const WORKER_TIER = 'T4';
const LIST_MAX = 500;

export function createProposeService(parts: ProposeParts): ProposeService {
  const { db } = parts;
  const records = () => db.records<ProposalSchema>();
  const stored = async (id: string) =>
    (await findProposal(await records(), id)) ??
    unknownProposal(id, await findProposals(await records(), { limit: LIST_MAX }));
  return {
    create: (request, actor) => createSkill(parts, request, actor),
    propose: (request, by) => proposeSkill(parts, request, by),
    list: async (state) => findProposals(await records(), { state, limit: LIST_MAX }),
    show: async (id) => review(parts, await stored(id)),
    async accept(id, { actor, despiteScan = false }) {
      const proposal = waiting(await stored(id));
      if (proposal.verdict === 'block' && !despiteScan) {
        const message = `the security scan would block ${proposal.name}; look at \`colibri review show ${id}\`, then add --despite-scan or reject it`;
        throw new ColibriError('PROPOSAL_BLOCKED', message, { id, findings: proposal.findings });
      }
      return land(parts, proposal, actor);
    },
    async reject(id, { actor, note }) {
      const proposal = waiting(await stored(id));
      await decide(parts, proposal, { state: 'rejected', actor, note: note ?? null });
      return stored(id);
    },
  };
}

async function createSkill(
  parts: ProposeParts,
  request: { readonly name: string; readonly description?: string | undefined },
  actor: string,
): Promise<CreatedSkill> {
  const { name, description = DEFAULT_DESCRIPTION } = request;
  const files = mergeFiles([], [{ path: 'SKILL.md', text: scaffoldSkill({ name, description }) }]);
  checkSkill(name, files);
  refuseTaken(parts.skills, name);
  const root = await writableRoot(parts);
  writeSkillFolder({ root: root.path, name, files, mark: parts.ids.ulid(), change: 'new' });
  const directory = `${root.display}/${name}`;
  const { digest } = readFolder(`${root.path}/${name}`);
  await parts.db.transact(async (transaction) => {
    const payload = {
      name,
      path: directory,
      digest,
      origin: 'scaffold',
      change: 'new',
      proposal: null,
    } as const;
    await parts.events.append(transaction, [createdEvent(payload, actor)]);
  });
  parts.events.wake();
  await parts.skills.reload();
  return { name, directory };
}

async function proposeSkill(
  parts: ProposeParts,
  request: ProposalRequest,
  by: ProposedBy,
): Promise<Proposal> {
  if (by.agentTier === WORKER_TIER)
    throw new ColibriError(
      'TOOL_LOCKED',
      `agents of tier ${WORKER_TIER} propose no skills; let the one who has sent you do it`,
    );
  const { name, files, reason, change } = request;
  checkFiles(files);
  checkReason(reason);
  const current = change ? currentContent(parts.skills, name) : null;
  if (!change) refuseTaken(parts.skills, name);
  const merged = mergeFiles(current?.files ?? [], files);
  checkSkill(name, merged);
  const { verdict, findings } = scanSkill(merged);
  const proposal: Proposal = {
    id: parts.ids.ulid(),
    name,
    change: change ? 'changed' : 'new',
    state: 'waiting',
    reason,
    files,
    digest: digestOf(files),
    base_digest: current?.digest ?? null,
    verdict,
    findings,
    proposed_by: by.actor,
    session_id: by.session,
    proposed_at: isoNow(parts.clock),
    decided_by: null,
    decided_at: null,
    note: null,
  };
  await parts.db.transact(async (transaction) => {
    refuseCrowd(await findProposals(transaction, { state: 'waiting', limit: LIST_MAX }), proposal);
    await insertProposal(transaction, proposal);
  });
  return proposal;
}

function refuseCrowd(waitingOnes: readonly Proposal[], { session_id, digest, name }: Proposal): void {
  const own = waitingOnes.filter((each) => each.session_id === session_id);
  const same = waitingOnes.find((each) => each.name === name && each.digest === digest);
  if (same !== undefined)
    throw new ColibriError('PROPOSAL_INVALID', `the same proposal waits already as ${same.id}`, {
      id: same.id,
    });
  if (waitingOnes.length < WAITING_MAX && own.length < WAITING_PER_SESSION_MAX) return;
  const message = `${waitingOnes.length} proposals wait, ${own.length} of them from here; a person has to decide on some first`;
  throw new ColibriError('PROPOSAL_LIMIT', message, { waiting: waitingOnes.length });
}

function review({ skills }: ProposeParts, proposal: Proposal): ReviewedProposal {
  const current = contentNow(skills, proposal);
  const texts = new Map(current?.files.map((file) => [file.path, Buffer.from(file.bytes).toString('utf8')]));
  const changes = proposal.files.map((file) => ({ ...file, before: texts.get(file.path) ?? null }));
  const stale = proposal.state === 'waiting' && (current?.digest ?? null) !== proposal.base_digest;
  return { ...proposal, changes, stale };
}

async function land(parts: ProposeParts, proposal: Proposal, actor: string): Promise<CreatedSkill> {
  const { skills } = parts;
  const { name, change, id } = proposal;
  // It was checked when it was made, but a workspace may bring its own database.
  checkFiles(proposal.files);
  const current = contentNow(skills, proposal);
  if ((current?.digest ?? null) !== proposal.base_digest) {
    const message = `${name} has changed since it was proposed; reject it and ask for it again`;
    throw new ColibriError('PROPOSAL_STALE', message, { id });
  }
  const files = mergeFiles(current?.files ?? [], proposal.files);
  checkSkill(name, files);
  const root = await writableRoot(parts);
  writeSkillFolder({ root: root.path, name, files, mark: parts.ids.ulid(), change });
  const { digest } = readFolder(`${root.path}/${name}`);
  const directory = `${root.display}/${name}`;
  await decide(parts, proposal, { state: 'accepted', actor, note: null }, [
    createdEvent({ name, path: directory, digest, origin: 'proposal', change, proposal: id }, actor),
  ]);
  await skills.reload();
  return { name, directory };
}

async function decide(
  { db, events, clock }: ProposeParts,
  { id }: Proposal,
  {
    state,
    actor,
    note,
  }: { readonly state: 'accepted' | 'rejected'; readonly actor: string; readonly note: string | null },
  drafts: readonly EventDraft[] = [],
): Promise<void> {
  const decision = { state, decided_by: actor, decided_at: isoNow(clock), note };
  await db.transact(async (transaction) => {
    if (!(await decideProposal(transaction, id, decision))) alreadyDecided(id);
    if (drafts.length > 0) await events.append(transaction, drafts);
  });
  events.wake();
}

type Created = Extract<EventDraft, { readonly type: 'skill.created' }>['payload'];

function createdEvent(payload: Created, actor: string): EventDraft {
  return { type: 'skill.created', stream: 'catalog', actor, sensitivity: 'pseudonymous', payload };
}

function waiting(proposal: Proposal): Proposal {
  return proposal.state === 'waiting' ? proposal : alreadyDecided(proposal.id);
}

function alreadyDecided(id: string): never {
  throw new ColibriError(
    'PROPOSAL_DECIDED',
    `proposal ${id} was decided already; \`colibri review show ${id}\` tells how`,
    { id },
  );
}

function unknownProposal(id: string, known: readonly Proposal[]): never {
  const ids = known.filter(({ state }) => state === 'waiting').map((each) => each.id);
  const hint = ids.length === 0 ? 'none waits' : `waiting: ${ids.slice(0, 3).join(', ')}`;
  throw new ColibriError('PROPOSAL_NOT_FOUND', `no proposal has the id ${JSON.stringify(id)}; ${hint}`, {
    id,
  });
}

async function writableRoot({ skills, refusals }: ProposeParts): Promise<SkillsService['roots'][number]> {
  const root = canonicalRoot(skills);
  const refused = (await refusals())(root);
  if (refused !== null) throw refusalError(refused);
  return root;
}

/** Where new skills go: the workspace's own root. */
function canonicalRoot(skills: SkillsService): SkillsService['roots'][number] {
  const root = skills.roots.find(({ source }) => source === 'workspace');
  if (root !== undefined) return root;
  throw new ColibriError(
    'SKILLS_NOT_CONFIGURED',
    'no root of the workspace is configured; enable `roots.workspace`',
  );
}

/** A skill of another root would be shadowed by the new one, which is never what was meant by its name. */
function refuseTaken(skills: SkillsService, name: string): void {
  const taken = skills.get(name);
  if (taken === null) return;
  throw new ColibriError(
    'SKILL_EXISTS',
    `there is a skill named ${name} in ${taken.source_dir}; choose another name or propose a change`,
    {
      name,
      directory: taken.source_dir,
    },
  );
}

function currentContent(skills: SkillsService, name: string): FolderContent {
  const { source_dir, root } = skills.require(name);
  const canonical = canonicalRoot(skills);
  if (root !== canonical.display || source_dir !== `${canonical.display}/${name}`) {
    const message = `${name} lies in ${source_dir}; only skills of ${canonical.display} can be changed by a proposal`;
    throw new ColibriError('PROPOSAL_INVALID', message, { name });
  }
  const content = readFolder(`${canonical.path}/${name}`);
  if (content.unread.length > 0)
    throw new ColibriError(
      'PROPOSAL_INVALID',
      `${name} holds what a change would lose: ${content.unread.join(', ')}`,
      { name },
    );
  return content;
}

/** What is there now for a proposal: null when there is no such skill. */
function contentNow(skills: SkillsService, { name }: Proposal): FolderContent | null {
  checkName(name);
  const root = canonicalRoot(skills);
  const folder = `${root.path}/${name}`;
  requireInside(folder, root.path);
  const content = readFolder(folder);
  return content.files.length === 0 && content.unread.length === 0 ? null : content;
}

import { z } from 'zod';

import { SCAN_SEVERITIES } from '../../../domains/integrity/scan/scan-rule.ts';
import { type Route, route } from '../route.ts';
import { skillName } from '../schemas.ts';

const verdict = z
  .enum(['block', 'review', 'clean'])
  .describe('`clean` says that no rule has found anything serious, no more');

const scanFinding = z
  .object({
    rule: z.string(),
    family: z.string(),
    severity: z.enum(SCAN_SEVERITIES),
    title: z.string(),
    why: z.string(),
    fix: z.string(),
    file: z.string(),
    line: z.int().nullable(),
    quote: z.string().describe('what stands there, in short'),
  })
  .meta({ id: 'ScanFinding' });

const scanned = z
  .object({
    skill: z.string(),
    directory: z.string(),
    digest: z.string().describe('what an entry of the accept-list is bound to'),
    verdict,
    findings: z.array(scanFinding.extend({ accepted: z.string().nullable().describe('why it is accepted') })),
    unread: z.array(z.string()).describe('files that the scan could not look into'),
  })
  .meta({ id: 'ScannedSkill' });

const scanTotals = z
  .object({
    skills: z.int(),
    findings: z.int(),
    accepted: z.int(),
    block: z.int(),
    review: z.int(),
    clean: z.int(),
  })
  .meta({ id: 'ScanTotals' });

const proposalLine = z
  .object({
    id: z.string(),
    name: z.string(),
    change: z.enum(['new', 'changed']),
    state: z.enum(['waiting', 'accepted', 'rejected']),
    reason: z.string(),
    digest: z.string(),
    verdict,
    findings: z.array(scanFinding),
    proposed_by: z.string(),
    session_id: z.string().nullable(),
    proposed_at: z.string(),
    decided_by: z.string().nullable(),
    decided_at: z.string().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'ProposalLine' });

const proposal = proposalLine
  .extend({
    changes: z.array(
      z.object({
        path: z.string(),
        before: z.string().nullable().describe('null: the file is new'),
        text: z.string().nullable().describe('null: the file goes'),
      }),
    ),
    stale: z.boolean().describe('whether the skill has changed since; then it cannot be accepted'),
  })
  .meta({ id: 'Proposal' });

/** What the scan says, and what agents would like to write. People decide on the command line. */
export const CARE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/scan',
    id: 'scanSkills',
    tag: 'care',
    summary: 'what the security scan finds in every folder that the registry knows, or in one `skill`',
    query: z.object({ skill: z.optional(skillName) }),
    answer: z.object({ items: z.array(scanned), totals: scanTotals }).meta({ id: 'ScanReport' }),
    handle: async ({ query: { skill } }, { services }) => {
      const report = await services.scan(skill === undefined ? undefined : { names: [skill] });
      return { items: report.skills, totals: report.totals };
    },
  }),
  route({
    method: 'get',
    path: '/v1/proposals',
    id: 'listProposals',
    tag: 'care',
    summary: 'skills that agents have proposed, oldest first; those that wait, unless `state` says otherwise',
    query: z.object({ state: z.enum(['waiting', 'accepted', 'rejected', 'all']).default('waiting') }),
    answer: z.object({ items: z.array(proposalLine) }).meta({ id: 'Proposals' }),
    handle: async ({ query: { state } }, { services: { proposals } }) => ({
      items: await proposals.list(state === 'all' ? undefined : state),
    }),
  }),
  route({
    method: 'get',
    path: '/v1/proposals/{id}',
    id: 'getProposal',
    tag: 'care',
    summary: 'one proposal: its texts beside those that it would replace',
    params: z.object({ id: z.string().max(100) }),
    answer: proposal,
    handle: ({ params }, { services: { proposals } }) => proposals.show(params.id),
  }),
];

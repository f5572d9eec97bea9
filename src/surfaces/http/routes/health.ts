import { z } from 'zod';

import { findingsOf, totalsOf } from '../../../domains/skills/report.ts';
import { type Route, route } from '../route.ts';

const finding = z
  .object({
    group: z.string(),
    severity: z.enum(['error', 'warning', 'info']),
    code: z.string(),
    skill: z.string().nullable(),
    file: z.string(),
    line: z.int().nullable(),
    field: z.string().nullable(),
    message: z.string().describe('what is wrong and what to do'),
  })
  .meta({ id: 'Finding' });

const totals = z
  .object({
    found: z.int(),
    indexed: z.int(),
    rejected: z.int(),
    lenient_ok: z.int(),
    shadowed: z.int(),
    aliases: z.int(),
    errors: z.int(),
    warnings: z.int(),
  })
  .meta({ id: 'RegistryTotals' });

export const HEALTH_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/v1/doctor',
    id: 'getDoctorReport',
    tag: 'health',
    summary: 'everything that is wrong in the registry, worst first',
    answer: z.object({ items: z.array(finding), totals }).meta({ id: 'DoctorReport' }),
    handle: (_input, { services: { skills } }) => {
      const records = skills.records();
      const items = findingsOf(records);
      return { items, totals: totalsOf(records, items) };
    },
  }),
];

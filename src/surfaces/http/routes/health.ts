import { z } from 'zod';

import { type Route, route } from '../route.ts';
import { flag } from '../schemas.ts';

const finding = z
  .object({
    group: z.string(),
    severity: z.enum(['error', 'warning', 'info']),
    code: z.string(),
    skill: z.string().nullable(),
    file: z.string(),
    line: z.int().nullable(),
    field: z.string().nullable(),
    message: z.string(),
    why: z.string().describe('why it matters'),
    fix: z.string().nullable().describe('what to do; null where the message says it'),
    fixable: z.boolean().describe('whether `colibri doctor --fix` mends it'),
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
    summary:
      'everything that is wrong in the registry, worst first; with `scan` also what the security scan finds',
    query: z.object({ scan: flag }),
    answer: z.object({ items: z.array(finding), totals }).meta({ id: 'DoctorReport' }),
    handle: async ({ query }, { services: { doctor } }) => {
      const { findings, totals: sums } = await doctor.examine({ scan: query.scan });
      return { items: findings, totals: sums };
    },
  }),
];

/** Shapes that several routes share. */
import { z } from 'zod';

import type { Effect } from '../../domains/policy/rule.ts';
import type { AgentTier, SkillTier } from '../../domains/skills/schema.ts';
import type { SkillSource } from '../../domains/skills/skill-row.ts';

export const agentTier: z.ZodType<AgentTier> = z.enum(['T0', 'T1', 'T2', 'T3', 'T4']);
/** Who is asking, when nothing is said: an executor. */
export const tierParameter: z.ZodType<AgentTier, AgentTier | undefined> = z
  .enum(['T0', 'T1', 'T2', 'T3', 'T4'])
  .default('T3');
export const skillTier: z.ZodType<SkillTier> = z.union([z.literal(1), z.literal(2), z.literal(3)]);
export const skillSource: z.ZodType<SkillSource> = z.enum(['workspace', 'global', 'mirror', 'repo']);
export const skillName: z.ZodString = z.string().min(1).max(200);
export const effect: z.ZodType<Effect> = z.enum(['allow', 'ask', 'deny']);
export const jsonObject: z.ZodType<Readonly<Record<string, unknown>>> = z.record(z.string(), z.unknown());

interface DiagnosticShape {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly file: string;
  readonly field?: string | undefined;
  readonly line?: number | undefined;
}

export const diagnostic: z.ZodType<DiagnosticShape> = z
  .object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    message: z.string().describe('what is wrong and how to mend it'),
    file: z.string(),
    field: z.string().optional(),
    line: z.int().optional(),
  })
  .meta({ id: 'Diagnostic' });

interface EffectiveToolShape {
  readonly pattern: string;
  readonly effect: Effect;
  readonly why: string;
}

export const effectiveTool: z.ZodType<EffectiveToolShape> = z
  .object({ pattern: z.string(), effect, why: z.string() })
  .meta({ id: 'EffectiveTool' });

export const nextCursor: z.ZodNullable<z.ZodString> = z
  .string()
  .nullable()
  .describe('hand it back as `cursor`; null on the last page');

/** `true` and `false` as a query spells them. */
export const flag: z.ZodType<boolean, string | undefined> = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

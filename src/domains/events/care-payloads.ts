/** Payloads of events about skills that come to be. */
import { z } from 'zod';

export interface CarePayloads {
  /** A skill was written by Colibri, on somebody's word. */
  readonly 'skill.created': {
    readonly name: string;
    /** The folder, as displayed. */
    readonly path: string;
    /** sha256 over the names and contents of its files. */
    readonly digest: string;
    /** `scaffold`: `colibri new`. `proposal`: an agent's, that a person has accepted. */
    readonly origin: 'scaffold' | 'proposal';
    readonly change: 'new' | 'changed';
    readonly proposal: string | null;
  };
}

export const CARE_SCHEMAS: { readonly [Type in keyof CarePayloads]: z.ZodType<CarePayloads[Type]> } = {
  'skill.created': z.strictObject({
    name: z.string(),
    path: z.string(),
    digest: z.string(),
    origin: z.enum(['scaffold', 'proposal']),
    change: z.enum(['new', 'changed']),
    proposal: z.string().nullable(),
  }),
};

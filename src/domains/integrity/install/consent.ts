/** Puts every place that is fetched from before the policy, and before a person where the policy asks. */
import { ColibriError } from '../../../lib/errors.ts';
import { printable } from '../../../lib/text.ts';
import type { SourceVerdict } from '../../policy/source-rules.ts';
import type { UrlGate } from './http-get.ts';
import { identityOf } from './source.ts';

export interface Asking {
  /** Counts as a yes to everything that would be asked; never against a deny. */
  readonly yes?: boolean | undefined;
  /** Puts a question to a person; without it and without `yes`, what has to be asked is refused. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

export interface Consent {
  /** Throws `SOURCE_REFUSED`. */
  admit(identity: string): Promise<void>;
  readonly gate: UrlGate;
}

export function createConsent(
  decide: (identity: string) => Promise<SourceVerdict>,
  { yes = false, ask }: Asking,
): Consent {
  /** Identities, and origins of web addresses, that were said yes to in this command. */
  const said = new Set<string>();
  const check = async (identity: string, origin: string | null): Promise<boolean> => {
    const { effect, reason } = await decide(identity);
    if (effect === 'deny') throw refused(identity, reason);
    if (effect === 'ask' && !said.has(identity) && (origin === null || !said.has(origin))) {
      const answer = yes || (ask !== undefined && (await ask(`install from ${printable(identity)}?`)));
      if (!answer)
        throw refused(identity, `${reason}, and nobody has said yes; add --yes, or allow it by a rule`);
    }
    said.add(identity);
    if (origin !== null) said.add(origin);
    return effect === 'allow';
  };
  return {
    async admit(identity) {
      await check(identity, originOf(identity));
    },
    gate: async (url) => ({ named: await check(identityOf(`${url.origin}${url.pathname}`), url.origin) }),
  };
}

function originOf(identity: string): string | null {
  return /^https?:/.test(identity) ? new URL(identity).origin : null;
}

function refused(identity: string, reason: string): ColibriError {
  const message = `nothing is fetched from ${printable(identity)}: ${printable(reason)}`;
  return new ColibriError('SOURCE_REFUSED', message, { source: identity, reason });
}

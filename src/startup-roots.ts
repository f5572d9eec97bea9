/** The part of the composition root that knows which roots may be written to. */
import { relative } from 'node:path';

import { type Config, foreignRoots } from './config.ts';
import type { PolicyService } from './domains/policy/service.ts';
import type { RootRefusals } from './domains/skills/scan/roots.ts';
import { sha256Hex } from './lib/digest.ts';
import { systemCodeOf } from './lib/errors.ts';
import { leadsOut } from './lib/inside.ts';
import { readRegularFile } from './lib/regular-file.ts';

const CONFIG_BYTES_MAX = 1024 * 1024;

/** A workspace may come from anybody: neither its links nor its configuration choose a place elsewhere, until somebody has vouched for them. */
export function rootRefusals(config: Config, policy: Pick<PolicyService, 'view'>): RootRefusals {
  const { workspace, configFile } = config;
  const named = new Set(foreignRoots(config));
  return async () => {
    const isClosed = named.size > 0 && configFile !== null && !(await isTrusted(policy, configFile));
    return ({ path, display }) => {
      if (leadsOut(path, workspace)) {
        const reason = `${display} is a link that leads out of the workspace`;
        return {
          code: 'LINK_OUTSIDE',
          reason,
          fix: 'name its target as a root in the configuration, or remove it',
        };
      }
      if (!isClosed || !named.has(path)) return null;
      const file = relative(workspace, configFile);
      const reason = `${display} lies outside of the workspace, and only ${file} names it, for which nobody has vouched`;
      return { code: 'ROOT_UNTRUSTED', reason, fix: `read the file, then run \`colibri trust ${file}\`` };
    };
  };
}

async function isTrusted(policy: Pick<PolicyService, 'view'>, file: string): Promise<boolean> {
  try {
    const read = readRegularFile(file, CONFIG_BYTES_MAX);
    const view = await policy.view([]);
    return read.ok && view.file({ path: file, digest: sha256Hex(read.bytes) }).trusted;
  } catch (error) {
    // Gone, or a link by now.
    if (systemCodeOf(error) === undefined) throw error;
    return false;
  }
}

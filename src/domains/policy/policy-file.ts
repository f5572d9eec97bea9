/** Reads `colibri.policy.yaml`, again whenever it has changed: a stricter rule must not wait for a restart. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { sha256Hex } from '../../lib/digest.ts';
import { messageOf, systemCodeOf } from '../../lib/errors.ts';
import { fileMark } from '../../lib/file-mark.ts';
import { readRegularFile } from '../../lib/regular-file.ts';
import { embeddedPolicy, type ParsedPolicy, parsePolicy, refusedPolicy } from './schema.ts';

export const POLICY_FILE = 'colibri.policy.yaml';
/** Far more than a policy that anybody can follow needs. */
const POLICY_BYTES_MAX = 256 * 1024;
/** A policy that is silently not read is worse than none. */
const MISNAMED = ['colibri.policy.yml', 'colibri.policy.json'];

export interface LoadedPolicy extends ParsedPolicy {
  /** Absolute; null when there is no file. */
  readonly path: string | null;
  /** sha256 of the file; null when there is none that could be read. */
  readonly digest: string | null;
}

export interface PolicyFile {
  read(): LoadedPolicy;
}

export function createPolicyFile(workspace: string): PolicyFile {
  const file = path.join(workspace, POLICY_FILE);
  let known: { readonly mark: string; readonly loaded: LoadedPolicy } | null = null;
  return {
    read() {
      const mark = markOf(workspace);
      if (known?.mark !== mark) known = { mark, loaded: load(workspace, file) };
      return known.loaded;
    },
  };
}

/** Differs whenever one of the files may differ. */
function markOf(workspace: string): string {
  return [POLICY_FILE, ...MISNAMED]
    .map((name) => {
      try {
        return fileMark(path.join(workspace, name));
      } catch (error) {
        return messageOf(error);
      }
    })
    .join('|');
}

function load(workspace: string, file: string): LoadedPolicy {
  const refuse = (name: string, message: string): LoadedPolicy => ({
    ...refusedPolicy({ file: name, line: null, message }),
    path: file,
    digest: null,
  });
  const misnamed = MISNAMED.find((name) => existsSync(path.join(workspace, name)));
  if (misnamed !== undefined) return refuse(misnamed, `is not read; rename it to ${POLICY_FILE}`);
  try {
    const read = readRegularFile(file, POLICY_BYTES_MAX);
    if (!read.ok) return refuse(POLICY_FILE, `cannot be read: it is ${read.reason}`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
    return { ...parsePolicy(text, POLICY_FILE), path: file, digest: sha256Hex(read.bytes) };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT') return { policy: embeddedPolicy(), problem: null, path: null, digest: null };
    if (code === 'ELOOP') return refuse(POLICY_FILE, 'is a link; put the file itself there');
    if (error instanceof TypeError) return refuse(POLICY_FILE, 'is not UTF-8 text; save it as UTF-8');
    if (code === undefined) throw error;
    return refuse(POLICY_FILE, `cannot be read: ${messageOf(error)}`);
  }
}

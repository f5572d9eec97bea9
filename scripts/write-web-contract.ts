/** Writes web/src/api/contract.ts: the types of the API, from its own OpenAPI document. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { webContract } from './web-contract.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'colibri-contract-'));
try {
  writeFileSync('web/src/api/contract.ts', await webContract(folder));
} finally {
  rmSync(folder, { recursive: true });
}

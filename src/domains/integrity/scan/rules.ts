/** Every rule of the security scan, by family. */
import { BACKDOOR } from './rules/backdoor.ts';
import { CREDENTIALS } from './rules/credentials.ts';
import { DESTRUCTION } from './rules/destruction.ts';
import { DOWNLOAD } from './rules/download.ts';
import { EXFILTRATION } from './rules/exfiltration.ts';
import { FILES } from './rules/files.ts';
import { HIDDEN_TEXT } from './rules/hidden-text.ts';
import { INJECTION } from './rules/injection.ts';
import { OBFUSCATION } from './rules/obfuscation.ts';
import { PERSISTENCE } from './rules/persistence.ts';
import { PRIVILEGES } from './rules/privileges.ts';
import { SUPPLY_CHAIN } from './rules/supply-chain.ts';
import type { RuleFamily } from './scan-rule.ts';

export const SCAN_RULES: readonly RuleFamily[] = [
  { family: 'download', rules: DOWNLOAD },
  { family: 'backdoor', rules: BACKDOOR },
  { family: 'credentials', rules: CREDENTIALS },
  { family: 'exfiltration', rules: EXFILTRATION },
  { family: 'injection', rules: INJECTION },
  { family: 'hidden-text', rules: HIDDEN_TEXT },
  { family: 'persistence', rules: PERSISTENCE },
  { family: 'destruction', rules: DESTRUCTION },
  { family: 'obfuscation', rules: OBFUSCATION },
  { family: 'privileges', rules: PRIVILEGES },
  { family: 'supply-chain', rules: SUPPLY_CHAIN },
  { family: 'files', rules: FILES },
];

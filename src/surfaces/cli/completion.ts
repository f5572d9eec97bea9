/** Completion scripts, made from the command table, so that they never know other words than the parser does. */
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';
import type { Vocabulary } from './options.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

export function completionScript(shell: Shell, vocabulary: Vocabulary): string {
  switch (shell) {
    case 'bash':
      return bashScript(vocabulary);
    case 'zsh':
      return zshScript(vocabulary);
    case 'fish':
      return fishScript(vocabulary);
  }
}

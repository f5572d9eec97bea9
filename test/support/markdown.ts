/** What the tests of documents need to know of Markdown: fenced blocks and code spans. */

export interface Fence {
  readonly language: string;
  readonly text: string;
}

/** Fenced blocks in order, without the indentation of the list they stand in. */
export function fences(markdown: string, language?: string): readonly Fence[] {
  const found = Array.from(
    markdown.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm),
    ([, indent = '', name = '', text = '']) => ({
      language: name,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
  return language === undefined ? found : found.filter((fence) => fence.language === language);
}

/** Inline code, fenced blocks left out. */
export function codeSpans(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return Array.from(prose.matchAll(/`([^`\n]+)`/g), ([, span = '']) => span);
}

/** Command lines that call colibri: in inline code and in shell blocks, also as the last part of another command. */
export function colibriCommands(markdown: string): readonly string[] {
  const shell = fences(markdown).filter(({ language }) => language === 'sh' || language === 'console');
  const lines = shell.flatMap(({ text }) => text.split('\n').map((line) => line.replace(/^\$ /, '')));
  return [...codeSpans(markdown), ...lines].flatMap((line) => {
    const command = /(?:^|(?:--|&&|\|) )(colibri (?!-- )[^|&]*)/.exec(line)?.[1];
    return command === undefined ? [] : [command.trim()];
  });
}

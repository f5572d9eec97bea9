/** Compares what the code offers with what a page says, both ways. */

interface Comparison {
  /** One thing of the list, for the message: `error code`. */
  readonly what: string;
  readonly page: string;
  readonly real: Iterable<string>;
  readonly documented: Iterable<string>;
}

/** One sentence per difference; empty when page and code agree. */
export function differences({ what, page, real, documented }: Comparison): string[] {
  const offered = new Set(real);
  const told = new Set(documented);
  return [
    ...[...offered]
      .filter((name) => !told.has(name))
      .map((name) => `${what} ${name} is not in ${page}; describe it`),
    ...[...told]
      .filter((name) => !offered.has(name))
      .map((name) => `${what} ${name} is in ${page} but does not exist`),
  ];
}

/** The names in backticks that start the rows of the page's tables. */
export function namesInTables(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^\|\s*`([^`]+)`\s*\|/gm), ([, name = '']) => name);
}

/** The names that are the whole text of a heading, with or without backticks. */
export function namesInHeadings(markdown: string): string[] {
  return Array.from(
    withoutFences(markdown).matchAll(/^#{2,4} `?([a-z][a-z0-9_]*)`?$/gm),
    ([, name = '']) => name,
  );
}

export interface CommandFacts {
  readonly name: string;
  readonly options: readonly { readonly flag: string }[];
}

/** Each command has a heading `## colibri <name>`, and its flags stand below it. */
export function commandDifferences(
  page: string,
  markdown: string,
  {
    commands,
    globals,
  }: { readonly commands: readonly CommandFacts[]; readonly globals: readonly { readonly flag: string }[] },
): string[] {
  const sections = commandSections(markdown);
  const everywhere = new Set(globals.map(({ flag }) => flag));
  const found = differences({
    what: 'command',
    page,
    real: commands.map(({ name }) => name),
    documented: sections.keys(),
  });
  for (const { name, options } of commands) {
    const own = options.map(({ flag }) => flag);
    const told = flagsIn(sections.get(name) ?? '').filter(
      (flag) => own.includes(flag) || !everywhere.has(flag),
    );
    found.push(...differences({ what: `flag of colibri ${name}`, page, real: own, documented: told }));
  }
  found.push(
    ...differences({ what: 'global flag', page, real: everywhere, documented: flagsIn(general(markdown)) }),
  );
  return found;
}

const COMMAND_HEADING = /^## `?colibri ([a-z]+(?: [a-z]+)*)`?$/;

function commandSections(markdown: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  for (const section of splitAtHeadings(markdown)) {
    const name = COMMAND_HEADING.exec(section.heading)?.[1];
    if (name !== undefined) sections.set(name, section.text);
  }
  return sections;
}

/** What the page says outside of the commands: the place of the global flags. */
function general(markdown: string): string {
  return splitAtHeadings(markdown)
    .filter(({ heading }) => !COMMAND_HEADING.test(heading))
    .map(({ text }) => text)
    .join('\n');
}

function splitAtHeadings(markdown: string): { readonly heading: string; readonly text: string }[] {
  // A heading that a command has printed is none of the page.
  const page = markdown.replace(/^```[\s\S]*?^```/gm, (fence) => fence.replaceAll(/^## /gm, ' ## '));
  return page.split(/^(?=## )/m).map((text) => ({ heading: text.split('\n', 1)[0] ?? '', text }));
}

function flagsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g), ([flag]) => flag))];
}

/** Names of environment variables that belong to Colibri, wherever they are written. */
export function environmentNames(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\bCOLIBRI_[A-Z0-9_]*[A-Z0-9]\b/g), ([name]) => name))];
}

/** Names of environment variables that source text reads: they stand in quotes, unlike constants. */
export function environmentReads(source: string): string[] {
  return Array.from(source.matchAll(/['"`](COLIBRI_[A-Z0-9_]+)['"`]/g), ([, name = '']) => name);
}

/** Targets of links that lie in the repository, without anchors. */
export function localLinks(markdown: string): string[] {
  return Array.from(withoutFences(markdown).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target)
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ''));
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '');
}

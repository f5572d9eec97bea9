/** The first text of a new skill. Pure. */
import { dump } from 'js-yaml';

export function scaffoldSkill({
  name,
  description,
}: {
  readonly name: string;
  readonly description: string;
}): string {
  // Written by the YAML library: a description with a colon or a line break stays one value.
  const frontmatter = dump({ name, description }, { lineWidth: -1 });
  const title = name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
  return `---
${frontmatter}---

# ${title}

## When to use

Say for which tasks this skill is meant, and for which it is not.

## Steps

1. Say what to look at first.
2. Say what to do, with the commands to run.
3. Say how to check that it worked.
`;
}

export const DEFAULT_DESCRIPTION = 'Describe what this skill does and when an agent should use it.';

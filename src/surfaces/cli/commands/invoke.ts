import { ColibriError } from '../../../lib/errors.ts';
import { printableBlock } from '../../../lib/text.ts';
import { requireAnswer } from '../answer.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';
import { requireSession } from '../session-id.ts';

/** What `/skill:name arguments` gives: in a session on its record, without one only as text. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const [name = '', ...words] = args;
  const typed = flags.values.get('session');
  return withRuntime(
    context,
    async (runtime) => {
      const session = typed === undefined ? undefined : (await requireSession(runtime, typed)).id;
      const tool = runtime.ctx.tools.get('skill_invoke');
      if (tool === undefined) {
        const message = `the surface ${runtime.config.surface} has no commands; set surface to full`;
        throw new ColibriError('TOOL_UNKNOWN', message);
      }
      const input = { name, args: words.map(quoted).join(' '), session_id: session };
      const answer = requireAnswer(await tool.call(input, { door: 'cli' }));
      const text = answer.text ?? '';
      if (flags.switches.has('json')) out.json({ ...(answer.data as object), text });
      else out.lines([printableBlock(text).trimEnd()]);
      return EXIT.ok;
    },
    { trace: typed !== undefined },
  );
}

/** The shell has taken the quotes off; a word with blanks must stay one word. */
function quoted(word: string): string {
  if (word !== '' && !/[\s"']/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, '\\$&')}"`;
}

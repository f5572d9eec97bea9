import { ColibriError } from '../../../lib/errors.ts';
import { printable, printableBlock } from '../../../lib/text.ts';
import { requireAnswer } from '../answer.ts';
import { type BootedRuntime, type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { withRuntime } from '../runtime.ts';
import { requireSession } from '../session-id.ts';

interface Loaded {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Prints what `skill_load` answers: without a session or, by its budget and on its record, in one. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { args, flags, out } = context;
  const [name = ''] = args;
  const session = flags.values.get('session');
  return withRuntime(
    context,
    async (runtime) => {
      const { text, data } = await (session === undefined
        ? loadAlone(runtime, name)
        : loadInSession(runtime, name, session));
      if (flags.switches.has('json')) out.json({ ...data, text });
      else out.lines([printableBlock(text).trimEnd()]);
      if (typeof data['warning'] === 'string') out.note(`warning: ${printable(data['warning'])}`);
      return EXIT.ok;
    },
    { trace: session !== undefined },
  );
}

async function loadAlone({ ctx, sessions, skills }: BootedRuntime, name: string): Promise<Loaded> {
  const call = { tool: 'skill_load', input: { name } } as const;
  try {
    return await sessions.call(call, { session: null, callId: ctx.ids.ulid(), actor: 'cli' });
  } catch (error) {
    const isHidden = error instanceof ColibriError && error.code === 'SKILL_NOT_FOUND' && skills.get(name);
    if (!isHidden) throw error;
    // It is in `colibri list`, so "not found" would be no explanation.
    const message = `${name} is hidden from agents; \`colibri show ${name}\` shows its text`;
    throw new ColibriError('SKILL_NOT_FOUND', message, { name });
  }
}

/** Through the kernel, which records the call: only so can the session be replayed. */
async function loadInSession(runtime: BootedRuntime, name: string, typed: string): Promise<Loaded> {
  const { id } = await requireSession(runtime, typed);
  const tool = runtime.ctx.tools.get('skill_load');
  if (tool === undefined) {
    const message = `the surface ${runtime.config.surface} has no skill_load; set surface to full`;
    throw new ColibriError('TOOL_UNKNOWN', message);
  }
  const answer = requireAnswer(await tool.call({ name, session_id: id }, { door: 'cli' }));
  // The tool answers with the object that `load` of the engine makes.
  return { text: answer.text ?? '', data: answer.data as Loaded['data'] };
}

import { estimateTokens } from '../../../domains/sessions/catalog.ts';
import { type CatalogPreview, catalogWithoutSession } from '../../../domains/sessions/stateless-service.ts';
import type { AgentTier } from '../../../domains/skills/schema.ts';
import { printableBlock } from '../../../lib/text.ts';
import { type CommandContext, EXIT, type ExitCode } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';
import { withRuntime } from '../runtime.ts';
import { plural } from '../wording.ts';

const TOKENS_MAX = 10_000_000;

/** What a session that is opened now would put into a system prompt. Opens none. */
export function run(context: CommandContext): Promise<ExitCode> {
  const { flags, out } = context;
  const tokens = wholeNumber(flags, 'tokens', { min: 0, max: TOKENS_MAX });
  const format = flags.values.get('format') === 'xml' ? 'xml' : 'markdown';
  return withRuntime(context, async ({ skills, config: { view }, policy, switches }) => {
    const request = {
      // The parser has let only the tiers of the table through.
      agent_tier: flags.values.get('tier') as AgentTier | undefined,
      budget: { catalog_tokens: tokens },
      task: flags.values.get('task'),
      profile: flags.values.get('profile'),
      preload: flags.switches.has('preload'),
    };
    const parts = { skills, policy, view, switches: switches.current };
    const catalog = await catalogWithoutSession(parts, request, format);
    if (flags.switches.has('json')) {
      out.json(documentOf(catalog));
      return EXIT.ok;
    }
    if (catalog.text !== '') out.lines([printableBlock(catalog.text).trimEnd()]);
    out.note(summary(catalog));
    return EXIT.ok;
  });
}

function documentOf({ text, shown, dropped, cutTo, preloaded }: CatalogPreview): unknown {
  return { text, tokens: estimateTokens(text), shown, dropped, descriptions_cut_to: cutTo, preloaded };
}

function summary({ text, shown, dropped, cutTo, preloaded }: CatalogPreview): string {
  if (text === '') return 'no skills, so the catalog is empty';
  return [
    `${plural(shown, 'skill')}, about ${plural(estimateTokens(text), 'token')}`,
    ...(dropped > 0 ? [`${dropped} left out`] : []),
    ...(cutTo === null ? [] : [`descriptions cut to ${cutTo} characters`]),
    ...(preloaded.length > 0 ? [`${preloaded.length} preloaded`] : []),
  ].join(', ');
}

/** A tool's envelope as MCP has it: for programs as structured content, for models as text. Pure. */
import type { CallToolResult } from '@modelcontextprotocol/server';

import { oncePerObject } from '../../lib/per-object.ts';
import type { Envelope } from '../../server.ts';

export function toolResult(envelope: Envelope): CallToolResult {
  const structured = structuredOf(envelope);
  return {
    content: [{ type: 'text', text: textOf(envelope) ?? JSON.stringify(structured) }],
    structuredContent: structured,
    ...(envelope.ok ? {} : { isError: true }),
  };
}

/** The same as JSON. */
export function toolResultJson(envelope: Envelope): string {
  const { data } = envelope.ok ? envelope : { data: undefined };
  return typeof data === 'object' && data !== null && textOf(envelope) === undefined
    ? dataJson(data)
    : resultJson(envelope);
}

/** Some answers are given again and again. */
const dataJson = oncePerObject((data) => resultJson({ ok: true, data }));

/** Text and data are often one, and then written only once. */
function resultJson(envelope: Envelope): string {
  const structured = JSON.stringify(structuredOf(envelope));
  const text = JSON.stringify(textOf(envelope) ?? structured);
  const failed = envelope.ok ? '' : ',"isError":true';
  return `{"content":[{"type":"text","text":${text}}],"structuredContent":${structured}${failed}}`;
}

function structuredOf(envelope: Envelope): Record<string, unknown> {
  return envelope.ok ? { ok: true, data: envelope.data } : { ...envelope };
}

function textOf(envelope: Envelope): string | undefined {
  return envelope.ok ? envelope.text : undefined;
}

/** A skill's text, rendered. Foreign and hostile until the sanitiser has seen it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { printableBlock } from '../../../src/lib/text.ts';
import { plural } from './format.ts';

/** Rendering more would make the page wait; the rest is shown as plain text on demand. */
const RENDERED_CHARS_MAX = 200_000;

interface MarkdownProps {
  readonly text: string;
  /** Where a link to a file of the skill leads. */
  readonly linkOf: (file: string) => string;
}

export function Markdown({ text, linkOf }: MarkdownProps): JSX.Element {
  const [html, setHtml] = useState<{ readonly of: string; readonly html: string } | null>(null);
  const [whole, setWhole] = useState(false);
  useEffect(() => {
    let wanted = true;
    // Only who reads a skill pays for the renderer.
    void import('./sanitised-markdown.ts').then(({ renderMarkdown }) => {
      const shown = printableBlock(text.slice(0, RENDERED_CHARS_MAX));
      if (wanted) setHtml({ of: text, html: renderMarkdown(shown, linkOf) });
    });
    return () => {
      wanted = false;
    };
  }, [text]);
  if (text.trim() === '') return <p class="quiet">This skill has no text.</p>;
  const rest = text.length - RENDERED_CHARS_MAX;
  return (
    <>
      {html?.of === text ? (
        <div class="prose" dangerouslySetInnerHTML={{ __html: html.html }} />
      ) : (
        <p class="quiet">Rendering …</p>
      )}
      {rest > 0 && !whole && (
        <button type="button" onClick={() => setWhole(true)}>
          Show the remaining {plural(rest, 'character')} as plain text
        </button>
      )}
      {whole && <pre tabIndex={0}>{printableBlock(text.slice(RENDERED_CHARS_MAX))}</pre>}
    </>
  );
}

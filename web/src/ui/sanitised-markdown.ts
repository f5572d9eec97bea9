import purifier from 'dompurify';
import { marked } from 'marked';

const TAGS = (
  'h1 h2 h3 h4 h5 h6 p ul ol li blockquote pre code em strong del a hr br table thead tbody tr th td ' +
  'kbd sub sup details summary dl dt dd'
).split(' ');

/** Markup that holds nothing but text, structure and links; nothing in it loads, runs or asks for anything. */
export function renderMarkdown(text: string, linkOf: (file: string) => string): string {
  const html = marked.parse(text, { async: false, gfm: true });
  purifier.removeAllHooks();
  purifier.addHook('uponSanitizeElement', (node) => {
    // A picture would be fetched from wherever it lies; its words are kept.
    if (node instanceof HTMLImageElement) node.replaceWith(`[picture: ${node.alt || node.src}]`);
  });
  purifier.addHook('afterSanitizeAttributes', (node) => {
    if (node instanceof HTMLAnchorElement) harmlessLink(node, linkOf);
  });
  // There is one policy of that name in a page, hence one sanitiser for all texts.
  const clean = purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'title', 'align', 'start', 'open'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  });
  // Declared as a string by the component library; a browser with Trusted Types wants this very object.
  return clean as unknown as string;
}

function harmlessLink(link: HTMLAnchorElement, linkOf: (file: string) => string): void {
  const target = link.getAttribute('href') ?? '';
  if (/^(?:https?|mailto):/i.test(target)) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer nofollow';
    link.title = target;
  } else if (/^[\w./ -]+$/.test(target) && !target.startsWith('/') && !target.includes('..')) {
    link.href = linkOf(target.replace(/^\.\//, ''));
  } else {
    link.removeAttribute('href');
  }
}

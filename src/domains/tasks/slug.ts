/** The part of a branch's name that comes from a task. Pure. */

const SLUG_CHARS_MAX = 50;

/** Lower-case words with hyphens; whatever git, a file system or a URL would trip over is left out. */
export function slugOf(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{Mark}/gu, '');
  const words = plain.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (longer.length > SLUG_CHARS_MAX) break;
    slug = longer;
  }
  return slug === '' ? (words[0]?.slice(0, SLUG_CHARS_MAX) ?? 'task') : slug;
}

/** The slug, or the first of `slug-2`, `slug-3` … that nobody has. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let number = 2; ; number++) {
    if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`;
  }
}

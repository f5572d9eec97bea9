/** The built page, from the package's own folder. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface PageFiles {
  /** Null when the page has no such file. Paths without an extension are views, and all of them are the one document. */
  answer(urlPath: string, ifNoneMatch: string | null): Response | null;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Nothing but the page's own files runs, nothing is fetched from elsewhere, and no text becomes markup unless the
 * sanitiser has seen it.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types dompurify colibri',
].join('; ');

/** Hashed names never change their content. */
const ASSETS = '/assets/';

export function readPageFiles(folder: string | null): PageFiles {
  const files = folder === null ? new Map<string, PageFile>() : readAll(folder);
  return {
    answer(urlPath, ifNoneMatch) {
      const file =
        files.get(urlPath) ?? (path.extname(urlPath) === '' ? files.get('/index.html') : undefined);
      if (file === undefined) return null;
      const headers = headersOf(file, urlPath);
      if (ifNoneMatch === file.tag) return new Response(null, { status: 304, headers });
      return new Response(file.bytes, { headers });
    },
  };
}

/** Where the built page is, wherever this file was bundled to; null when it was not built. */
export function findPageFolder(from: string): string | null {
  for (let folder = from; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const page = path.join(folder, 'dist', 'web');
    if (existsSync(path.join(folder, 'package.json')) && existsSync(path.join(page, 'index.html')))
      return page;
  }
  return null;
}

interface PageFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly type: string;
  readonly tag: string;
}

function readAll(folder: string): ReadonlyMap<string, PageFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        const bytes = readFileSync(file);
        const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
        const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
        return [`/${path.relative(folder, file).split(path.sep).join('/')}`, { bytes, type, tag }];
      }),
  );
}

function headersOf({ type, tag }: PageFile, urlPath: string): Record<string, string> {
  return {
    'Content-Type': type,
    ETag: tag,
    'Cache-Control': urlPath.startsWith(ASSETS) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Security-Policy': PAGE_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
}

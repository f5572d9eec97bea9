/** Repositories over HTTP, by git's own program for it. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { onTestFinished } from 'vitest';

export interface GitWeb {
  readonly origin: string;
  readonly requests: Pick<IncomingMessage, 'url' | 'headers'>[];
}

export interface GitWebOptions {
  /** `user:password` that has to be sent. */
  readonly credentials?: string;
  /** Sends everybody there instead. */
  readonly redirect?: string;
}

/** Serves the repository at `/<name of its folder>`. */
export async function gitWeb(
  repository: string,
  { credentials, redirect }: GitWebOptions = {},
): Promise<GitWeb> {
  const requests: GitWeb['requests'] = [];
  const server = createServer((request, response) => {
    const { url = '', method = '', headers } = request;
    requests.push({ url, headers });
    if (redirect !== undefined) return void response.writeHead(302, { location: redirect + url }).end();
    const expected =
      credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (expected !== undefined && headers.authorization !== expected)
      return void response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end();
    const [file = '', query = ''] = url.split('?');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: path.dirname(repository),
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: `${file.replace(/^\/[^/]+/, `/${path.basename(repository)}`)}`,
        QUERY_STRING: query,
        REQUEST_METHOD: method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(child.stdin);
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.once('close', () => {
      const answer = Buffer.concat(parts);
      const end = answer.indexOf('\r\n\r\n');
      const lines = answer
        .toString('latin1', 0, end)
        .split('\r\n')
        .map((line) => line.split(': '));
      const status = Number(lines.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
      const told = lines
        .filter(([name]) => name !== 'Status')
        .map(([name = '', value = '']) => [name, value] as const);
      response.writeHead(status, Object.fromEntries(told)).end(answer.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests };
}

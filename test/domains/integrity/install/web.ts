/** A web server on this machine that says what it is told to say. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Web {
  readonly origin: string;
  /** By path. */
  readonly replies: Map<string, Reply>;
  readonly requests: Pick<IncomingMessage, 'url' | 'headers'>[];
}

export async function web(replies: Readonly<Record<string, Reply>> = {}): Promise<Web> {
  const known = new Map(Object.entries(replies));
  const requests: Web['requests'] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    const reply = known.get(request.url ?? '') ?? { status: 404 };
    response.writeHead(reply.status ?? 200, reply.headers);
    response.end(reply.body ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, replies: known, requests };
}

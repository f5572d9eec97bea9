// The MCP SDK with one empty tool: the floor for calls. Over stdio, or over HTTP with the port on the first line.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

function create() {
  const server = new McpServer({ name: 'empty', version: '1.0.0' });
  server.registerTool('empty', { description: 'does nothing', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'ok' }],
  }));
  return server;
}

if (process.argv[2] === 'http') {
  const server = createServer(toNodeHandler(createMcpHandler(create)));
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
} else {
  serveStdio(create);
}

// The official SDK (1.x) for comparison, set up as its documentation describes.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { WebSocket } from 'ws';

globalThis.WebSocket ??= WebSocket; // Node 20 has no WebSocket, and the SDK includes none

export const name = 'sdk';

async function connect(transport) {
  const client = new Client({ name: 'sdk', version: '1' });
  await client.connect(transport);
  return {
    callTool: (tool, args, options) => client.callTool({ name: tool, arguments: args }, undefined, options),
    async listAllTools() {
      const all = [];
      let cursor;
      do {
        const page = await client.listTools(cursor === undefined ? undefined : { cursor });
        all.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return all;
    },
    onNotification: (listener) => client.setNotificationHandler(LoggingMessageNotificationSchema, listener),
    close: () => client.close(),
  };
}

export const connectStdio = (command, args) =>
  connect(new StdioClientTransport({ command, args, maxBufferSize: 256 * 1024 * 1024 }));
export const connectHttp = (url) => connect(new StreamableHTTPClientTransport(new URL(url)));
export const connectSse = (url) => connect(new SSEClientTransport(new URL(url)));
export const connectWs = (url) => connect(new WebSocketClientTransport(new URL(url)));

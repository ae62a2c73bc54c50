/** Shared by the tests of a session: opens one to a scripted server. */
import type { SessionOptions } from '../../../src/core/session/mcpSession.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import type { ScriptedServer } from '../../support/scriptedServer.js';

export const client = { name: 'test', version: '1.0.0' };

export function open(server: ScriptedServer, options: Partial<SessionOptions> = {}): Promise<McpSession> {
  return McpSession.open(server.openTransport, { client, ...options });
}

export function tool(name: string) {
  return { name, inputSchema: { type: 'object' } };
}

import type { ServerResponse } from 'node:http';
import { AuthServer, json } from './authServer.js';
import type { Behaviour, JournalEntry, Place } from './authServer.js';

interface Message {
  id?: number;
  method: string;
  params?: { name?: string; protocolVersion?: string };
}

const tools = ['whoami', 'write'].map((name) => ({ name, inputSchema: { type: 'object' } }));

/** The method of the message in a request; empty if there is none. */
export function methodOf({ body }: JournalEntry): string {
  return body === '' ? '' : (JSON.parse(body) as Message).method;
}

/** An MCP server of revision 2025-11-25 that requires sign-in. `write` also requires the scope `files:write`. */
export async function startProtectedServer(behaviour: Partial<Behaviour> = {}, place?: Place): Promise<AuthServer> {
  const all: Partial<Behaviour> = {
    serve: answer,
    scopesFor: (entry) =>
      entry.body !== '' && (JSON.parse(entry.body) as Message).params?.name === 'write' ? ['files:write'] : [],
    ...behaviour,
  };
  return AuthServer.start(all, place);
}

function answer({ method, body }: JournalEntry, response: ServerResponse, scopes: readonly string[]): void {
  if (method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const message = JSON.parse(body) as Message;
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const result = resultOf(message, scopes);
  json(response, {
    jsonrpc: '2.0',
    id: message.id,
    ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }),
  });
}

function resultOf({ method, params }: Message, scopes: readonly string[]): Record<string, unknown> | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'vault', version: '1' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: `${params?.name} with ${scopes.join(' ')}` }] };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

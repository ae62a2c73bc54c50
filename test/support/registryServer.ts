import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListedServer {
  server: Record<string, unknown>;
  _meta?: unknown;
}

/** Answers a request instead of the registry; false if it does not. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

export interface RegistryServer extends AsyncDisposable {
  url: string;
  /** Path and query of each request. */
  requests: string[];
  entries: ListedServer[];
  misbehave: Misbehaviour | undefined;
}

const official = 'io.modelcontextprotocol.registry/official';

/** An entry of the official registry. */
export function listed(name: string, server: object = {}, meta: object = {}): ListedServer {
  const facts = { status: 'active', updatedAt: '2026-01-01T00:00:00Z', isLatest: true, ...meta };
  return {
    server: { name, description: `About ${name}`, version: '1.0.0', ...server },
    _meta: { [official]: facts },
  };
}

/** A registry with the API v0.1 that is used here, in pages of two entries. */
export async function startRegistry(entries: ListedServer[], pageSize = 2): Promise<RegistryServer> {
  const registry = { requests: [] as string[], entries, misbehave: undefined as Misbehaviour | undefined };
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://registry');
    registry.requests.push(`${url.pathname}${url.search}`);
    if (registry.misbehave?.(request, response, url)) return;
    if (url.pathname !== '/v0.1/servers') {
      response.writeHead(404).end('{}');
      return;
    }
    const since = url.searchParams.get('updated_since');
    const all = registry.entries.filter((entry) => since === null || updatedAt(entry) > since);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const servers = all.slice(from, from + pageSize);
    const nextCursor = from + pageSize < all.length ? { nextCursor: String(from + pageSize) } : {};
    response.end(JSON.stringify({ servers, metadata: { ...nextCursor, count: servers.length } }));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return Object.assign(registry, {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
}

function updatedAt({ _meta }: ListedServer): string {
  const facts = (_meta as Record<string, { updatedAt: string }>)[official];
  return new Date(facts?.updatedAt ?? 0).toISOString();
}

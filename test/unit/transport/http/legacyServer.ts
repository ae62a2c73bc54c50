/** Shared by the tests of HTTP+SSE: a server of 2024-11-05 and its client. */
import type { ServerResponse } from 'node:http';
import { afterEach } from 'node:test';
import { LegacySseTransport } from '../../../../src/core/transport/http/legacySseTransport.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import type { RemoteOptions } from '../../../../src/core/transport/remoteOptions.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpHandler, SeenRequest } from '../../../support/httpTestServer.js';
import { eventText, HttpTestServer, startEvents } from '../../../support/httpTestServer.js';

/** What is closed after each test. */
export const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

export interface LegacyServer {
  server: HttpTestServer;
  transport: LegacySseTransport;
  peer: HttpTestPeer;
  /** The event streams so far. */
  streams: ServerResponse[];
}

/** A server of 2024-11-05; `onPost` answers everything after the handshake. */
export async function startLegacyServer({
  endpoint = eventText('/messages?s=1', { event: 'endpoint' }),
  onPost,
  onGet,
  ...options
}: RemoteOptions & {
  endpoint?: string;
  onPost?: HttpHandler;
  onGet?: (seen: SeenRequest) => boolean;
} = {}): Promise<LegacyServer> {
  const streams: ServerResponse[] = [];
  const server = await HttpTestServer.start((seen) => {
    if (seen.method === 'GET') {
      if (onGet?.(seen)) return;
      const stream = startEvents(seen);
      streams.push(stream);
      stream.write(endpoint);
    } else if (onPost && seen.rpc?.method !== 'initialize' && seen.rpc?.method !== 'notifications/initialized')
      onPost(seen);
    else {
      seen.response.writeHead(202).end('Accepted');
      if (seen.rpc?.id !== undefined)
        streams
          .at(-1)
          ?.write(
            eventText(
              { jsonrpc: '2.0', id: seen.rpc.id, result: { protocolVersion: '2024-11-05' } },
              { event: 'message' },
            ),
          );
    }
  });
  open.push(server);
  const transport = new LegacySseTransport(parseRemoteAddress(`${server.origin}/sse`), options);
  open.push(transport);
  return { server, transport, peer: new HttpTestPeer(transport), streams };
}

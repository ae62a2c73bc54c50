/** Shared by the tests of the HTTP transport: a server and a transport, which are closed after the test. */
import { afterEach } from 'node:test';
import { HttpTransport } from '../../../../src/core/transport/http/httpTransport.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';
import type { RemoteOptions } from '../../../../src/core/transport/remoteOptions.js';
import { HttpTestPeer } from '../../../support/httpTestPeer.js';
import type { HttpHandler, SeenRequest } from '../../../support/httpTestServer.js';
import { HttpTestServer, legacyServer } from '../../../support/httpTestServer.js';

export const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

export async function start(
  handler: HttpHandler,
  options: RemoteOptions = {},
): Promise<{ server: HttpTestServer; transport: HttpTransport; peer: HttpTestPeer }> {
  const server = await HttpTestServer.start(handler);
  open.push(server);
  const transport = new HttpTransport(parseRemoteAddress(server.url), options);
  open.push(transport);
  return { server, transport, peer: new HttpTestPeer(transport) };
}

/** A connected transport; `handler` answers everything after the handshake. */
export async function connected(handler: HttpHandler, options: RemoteOptions & { sessionId?: string } = {}) {
  const { sessionId, ...rest } = options;
  const parts = await start(legacyServer({ handler, ...(sessionId === undefined ? {} : { sessionId }) }), rest);
  await parts.peer.connect();
  return parts;
}

export const headersOf = ({ headers }: SeenRequest, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, headers[name]]));

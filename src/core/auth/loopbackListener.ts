/**
 * A listener on the loopback addresses of this machine, on one port. A browser may use either address for `localhost`,
 * so the listener uses both: otherwise another program could listen on the second one and receive the response of a
 * sign-in (RFC 8252, section 8.3).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Disposable } from '../base/disposable.js';

export interface LoopbackListener extends Disposable {
  readonly port: number;
}

/** Timeout for one request to arrive, ms. Browsers open connections in advance and keep them open. */
const requestMs = 10_000;
/**
 * Maximum number of open connections per address. The limit prevents other programs from using up the file descriptors
 * of this process.
 */
const maxConnections = 500;

/** The addresses that browsers may use for each loopback host. */
const addresses: ReadonlyMap<string, readonly string[]> = new Map([
  ['127.0.0.1', ['127.0.0.1']],
  ['[::1]', ['::1']],
  ['localhost', ['127.0.0.1', '::1']],
]);

/** Whether a host, in the notation of `URL.hostname`, refers to this machine in every browser. */
export function isLoopbackHost(hostname: string): boolean {
  return addresses.has(hostname);
}

/**
 * Listens on every address of a loopback host. An address that this machine does not have is left out. Rejects with the
 * error of `listen`, such as EADDRINUSE if another program listens on one of them.
 * @param port 0 for any free port.
 */
export async function listenOnLoopback(
  hostname: string,
  port: number,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LoopbackListener> {
  const { createServer } = await import('node:http');
  const servers: Server[] = [];
  const dispose = () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  };
  let used = port;
  try {
    for (const address of addresses.get(hostname) ?? []) {
      const server = createServer(
        { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: requestMs / 4 },
        onRequest,
      );
      server.maxConnections = maxConnections;
      const bound = await listen(server, address, used);
      if (bound === undefined) continue;
      servers.push(server);
      used = bound;
    }
    if (servers.length === 0) throw new Error(`This machine has no loopback address for ${hostname}.`);
  } catch (error) {
    dispose();
    throw error;
  }
  return { port: used, dispose };
}

/** Listens on one address. Resolves to the port, or to undefined if this machine does not have the address. */
function listen(server: Server, address: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    // This listener is never removed: a later error, such as too many open files, must not end the process.
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(undefined);
      else reject(error);
    });
    server.listen(port, address, () => {
      // A waiting sign-in does not keep the process alive.
      server.unref();
      const bound = server.address();
      resolve(typeof bound === 'object' && bound ? bound.port : port);
    });
  });
}

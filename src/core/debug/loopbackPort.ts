import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 100;

/** Finds a free port on this machine. */
export function freePort(): Promise<number> {
  return listenAt(0);
}

/**
 * Waits until a process listens on `port` of this machine; returns false if the signal was aborted first. It does not
 * connect, because the process may accept only one connection.
 */
export async function waitUntilListening(port: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const isFree = await listenAt(port).then(
      () => true,
      () => false,
    );
    if (!isFree) return true;
    await wait(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

function listenAt(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}

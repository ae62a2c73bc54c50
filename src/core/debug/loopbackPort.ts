import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 100;

/** A port of this machine that nobody listens at now. */
export function freePort(): Promise<number> {
  return listenAt(0);
}

/**
 * Waits until somebody listens at `port` of this machine; false when the signal came first. Nobody is connected to:
 * who listens there may take the first connection for its only one.
 */
export async function untilTaken(port: number, signal: AbortSignal): Promise<boolean> {
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

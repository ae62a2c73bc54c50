import { once } from 'node:events';
import type { WebSocket } from 'ws';
import type { InspectorAddress } from './inspectorLine.js';

/** `ws` as it is loaded when first needed. */
type WebSocketClass = typeof WebSocket;

const limitMs = 5_000;

/** Tells a Node process that waits for a debugger to go on without one. */
export async function letGo({ url }: InspectorAddress): Promise<void> {
  const { default: client } = (await import('ws')) as { default: WebSocketClass };
  const socket = new client(url, { handshakeTimeout: limitMs, perMessageDeflate: false });
  const limit = AbortSignal.timeout(limitMs);
  try {
    await once(socket, 'open', { signal: limit });
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }));
    await once(socket, 'message', { signal: limit });
  } finally {
    socket.on('error', () => undefined); // ending a socket that is not open yet fails it
    socket.terminate();
  }
}

import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { isObject } from '../base/guards.js';
import type { InspectorAddress } from './inspectorLine.js';

/** `ws` as it is loaded when first needed. */
type WebSocketClass = typeof WebSocket;

const limitMs = 10_000;
const wakeMs = 150;
const maxWakes = 10;
/** A longer answer is none of an inspector. */
const maxListLength = 65_536;
const maxMessageBytes = 4_194_304;

/** What runs Node only to run something else in a process of its own: nobody debugs it. */
const launchers =
  /\/(?:npm\/bin\/np[mx]-cli|tsx\/dist\/cli|pnpm\/bin\/pnp[mx]|yarn\/bin\/yarn|corepack\/dist\/\w+|nodemon\/bin\/nodemon)\.[cm]?js$/;

/** Whether a process only launches the server. One that does not say what it runs counts as the server. */
export async function isLauncher({ port }: InspectorAddress): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`, {
    signal: AbortSignal.timeout(limitMs),
    redirect: 'error',
  });
  const text = await response.text();
  const list: unknown = text.length > maxListLength ? undefined : JSON.parse(text);
  const script: unknown = Array.isArray(list) && isObject(list[0]) ? list[0]['url'] : undefined;
  return typeof script === 'string' && launchers.test(script);
}

/**
 * Tells a Node process that waits for a debugger to go on without one. It writes where it listens a moment before it
 * waits, and does not keep what it is told before; so it is told again for a while after this resolves. Nothing else is
 * asked of it: what looks into a process this early can end it.
 */
export async function letGo({ url }: InspectorAddress): Promise<void> {
  const { default: client } = (await import('ws')) as { default: WebSocketClass };
  const socket = new client(url, { handshakeTimeout: limitMs, perMessageDeflate: false, maxPayload: maxMessageBytes });
  socket.on('error', () => socket.terminate()); // a process that ends needs no word any more
  const wake = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }));
  let told = 0;
  const repeat = setInterval(() => {
    if (++told > maxWakes) socket.close();
    else if (socket.readyState === socket.OPEN) wake();
  }, wakeMs).unref();
  socket.once('close', () => clearInterval(repeat));
  const signal = AbortSignal.timeout(limitMs);
  await once(socket, 'open', { signal });
  wake();
  await once(socket, 'message', { signal });
}

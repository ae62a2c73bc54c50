import { on, once } from 'node:events';
import type { WebSocket } from 'ws';
import { isObject } from '../base/guards.js';
import type { InspectorAddress } from './inspectorLine.js';

/** `ws` as it is loaded when first needed. */
type WebSocketClass = typeof WebSocket;

const limitMs = 10_000;
const wakeMs = 50;
/** A longer answer is none of an inspector. */
const maxListLength = 65_536;
const maxMessageBytes = 4_194_304;

/** What runs Node only to run something else in a process of its own: nobody debugs it. */
const launchers = /\/(?:npm\/bin\/np[mx]-cli|tsx\/dist\/cli|pnpm\/bin\/pnp[mx]|yarn\/bin\/yarn|corepack\/dist\/\w+|nodemon\/bin\/nodemon)\.[cm]?js$/;

/** Whether a process only launches the server. One that does not say what it runs counts as the server. */
export async function isLauncher({ port }: InspectorAddress): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(limitMs), redirect: 'error' });
  const text = await response.text();
  const list: unknown = text.length > maxListLength ? undefined : JSON.parse(text);
  const script: unknown = Array.isArray(list) && isObject(list[0]) ? list[0]['url'] : undefined;
  return typeof script === 'string' && launchers.test(script);
}

/**
 * Tells a Node process that waits for a debugger to go on without one. It writes where it listens a moment before it
 * waits, and does not keep what it is told before; so it is told until it stands at its first line, and then let go.
 */
export async function letGo({ url }: InspectorAddress): Promise<void> {
  const { default: client } = (await import('ws')) as { default: WebSocketClass };
  const socket = new client(url, { handshakeTimeout: limitMs, perMessageDeflate: false, maxPayload: maxMessageBytes });
  const signal = AbortSignal.timeout(limitMs);
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }));
  let repeat: NodeJS.Timeout | undefined;
  try {
    await once(socket, 'open', { signal });
    send(1, 'Debugger.enable');
    const wake = () => send(2, 'Runtime.runIfWaitingForDebugger');
    wake();
    repeat = setInterval(wake, wakeMs);
    await received(socket, ({ method }) => method === 'Debugger.paused', signal);
    send(3, 'Debugger.resume');
    await received(socket, ({ id }) => id === 3, signal);
  } finally {
    clearInterval(repeat);
    socket.on('error', () => undefined); // ending a socket that is not open yet fails it
    socket.terminate();
  }
}

/** Waits for a message of the inspector. */
async function received(socket: WebSocket, fits: (message: Record<string, unknown>) => boolean, signal: AbortSignal): Promise<void> {
  for await (const [data] of on(socket, 'message', { signal })) {
    const message: unknown = JSON.parse(String(data));
    if (isObject(message) && fits(message)) return;
  }
}

import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { readBody } from '../base/byteCollector.js';
import { isObject } from '../base/guards.js';
import type { InspectorAddress } from './inspectorLine.js';

/** The class of the package `ws`, which is loaded on first use. */
type WebSocketClass = typeof WebSocket;

const limitMs = 10_000;
const wakeMs = 150;
const maxWakes = 10;
/** Maximum length of the inspector's list, in bytes. A longer response does not come from an inspector. */
const maxListBytes = 65_536;
const maxMessageBytes = 4_194_304;

/** Programs that run on Node only to start another process, so they are not debugged. */
const launchers =
  /\/(?:npm\/bin\/np[mx]-cli|tsx\/dist\/cli|pnpm\/bin\/pnp[mx]|yarn\/bin\/yarn|corepack\/dist\/\w+|nodemon\/bin\/nodemon)\.[cm]?js$/;

/**
 * Whether a process only launches the server. A process that does not report its script is treated as the server.
 * Rejects if the response does not come from an inspector.
 */
export async function isLauncher({ port }: InspectorAddress): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`, {
    signal: AbortSignal.timeout(limitMs),
    redirect: 'error',
  });
  const list: unknown = JSON.parse(
    await readBody(response, maxListBytes, () => new Error('The list of the inspector is too long.')),
  );
  const script: unknown = Array.isArray(list) && isObject(list[0]) ? list[0]['url'] : undefined;
  return typeof script === 'string' && launchers.test(script);
}

/**
 * Tells a Node process that waits for a debugger to continue without a debugger. Node announces its inspector shortly
 * before it waits, and ignores the command until then, so the command is repeated for a while after the promise
 * resolves. No other command is sent, because any other inspector command can end a process that has just started.
 */
export async function continueWithoutDebugger({ url }: InspectorAddress): Promise<void> {
  const { default: client } = (await import('ws')) as { default: WebSocketClass };
  const socket = new client(url, { handshakeTimeout: limitMs, perMessageDeflate: false, maxPayload: maxMessageBytes });
  socket.on('error', () => socket.terminate()); // The process may end before the command is sent.
  const wake = () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }));
  let wakes = 0;
  const repeat = setInterval(() => {
    if (++wakes > maxWakes) socket.close();
    else if (socket.readyState === socket.OPEN) wake();
  }, wakeMs).unref();
  socket.once('close', () => clearInterval(repeat));
  const signal = AbortSignal.timeout(limitMs);
  await once(socket, 'open', { signal });
  wake();
  await once(socket, 'message', { signal });
}

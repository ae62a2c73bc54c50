import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { isOwnSocket } from '../../core/gateway/door/privateFiles.js';
import type { FoundRecord } from '../../core/gateway/door/windowRecords.js';
import { doorProtocol } from '../../core/gateway/door/windowRecords.js';
import { BoundedLines } from './boundedLines.js';

/** Maximum time until a window has answered the first line, in milliseconds. */
const greetingMs = 3_000;
/** Maximum size of a window's answer to the first line, bytes. */
const maxGreetingBytes = 4_096;

/** Maximum size of a message of the window, bytes: more than the largest result that the gateway passes on. */
const maxMessageBytes = 256 * 1024 * 1024;

/** A connection to the gateway of a window. */
export interface WindowLink {
  record: FoundRecord;
  socket: Socket;
}

export interface LinkListener {
  onLine(line: string): void;
  /** Called once, when the connection has ended. */
  onEnd(): void;
}

/** Connects to a window. Resolves to undefined if the window is gone or belongs to another user. */
export async function openLink(
  record: FoundRecord,
  query: string,
  listener: LinkListener,
): Promise<WindowLink | undefined> {
  // The token is sent to a socket of this user only.
  if (!(await isOwnSocket(record.socket))) return undefined;
  return new Promise((resolve) => {
    const socket = connect(record.socket);
    let isWelcome = false;
    const timer = setTimeout(() => socket.destroy(), greetingMs);
    const lines = new BoundedLines(
      maxGreetingBytes,
      (line) => {
        // A wrong line closes the socket, but lines that arrived in the same chunk are still reported.
        if (socket.destroyed) return;
        if (isWelcome) listener.onLine(line);
        else if (line === JSON.stringify({ door: doorProtocol })) {
          isWelcome = true;
          lines.maxBytes = maxMessageBytes;
          clearTimeout(timer);
          resolve({ record, socket });
        } else socket.destroy();
      },
      () => socket.destroy(),
    );
    socket.on('connect', () => socket.write(`${JSON.stringify({ door: doorProtocol, token: record.token, query })}\n`));
    socket.on('data', (chunk) => lines.feed(chunk));
    // The event `close` follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      if (isWelcome) listener.onEnd();
      else resolve(undefined);
    });
  });
}

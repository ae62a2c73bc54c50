/**
 * Limits for clients that were not admitted yet. They have the token, but the user has not approved them, so they must
 * not take the connections, the time, or the memory of the others.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.js';
import type { Implementation } from '../protocol/mcp.js';
import { metaKeys } from '../protocol/mcp.js';

/** Maximum number of connections of all unapproved clients; above it, the oldest is closed. */
const maxSockets = 256;

/**
 * Time after which the event stream of an unapproved client is closed, in milliseconds. The client can open it again.
 */
const streamMs = 60_000;

/** Maximum size of a body of an unapproved client, bytes. */
export const unapprovedBodyBytes = 1024 * 1024;

/** The part of a body that is searched for the name of its client, in bytes after the key. */
const maxClaim = 2_048;

export class UnapprovedClients {
  /** The connections without a request of an admitted client, oldest first. */
  private readonly sockets = new Set<Socket>();

  constructor(private readonly clock: Clock) {}

  /** Counts a new connection. Closes the oldest one if there are too many. */
  arrived(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    const [oldest] = this.sockets;
    if (this.sockets.size <= maxSockets || !oldest) return;
    this.sockets.delete(oldest);
    oldest.destroy();
  }

  /** Called when a client that may use the server has sent a request on the connection. */
  admitted(socket: Socket): void {
    this.sockets.delete(socket);
  }

  has(socket: Socket): boolean {
    return this.sockets.has(socket);
  }

  /**
   * Ends the event stream of a client after a time, unless the client was admitted.
   * @param end ends the stream; default: ends the response.
   */
  limitStream(response: ServerResponse, isAdmitted: () => boolean, end: () => void = () => response.end()): void {
    const limit = this.clock.after(streamMs, () => {
      if (!isAdmitted()) end();
    });
    response.once('close', () => limit.dispose());
  }
}

/**
 * The client that sent a large body of 2026-07-28, according to the name in the body. The body is searched and not
 * parsed. Like every name of a client, it is a claim, and the gate of the server reads it again from the parsed body.
 */
export function claimIn(body: Buffer): Implementation | undefined {
  const key = `"${metaKeys.clientInfo}"`;
  const at = body.lastIndexOf(key);
  if (at === -1) return undefined;
  const start = at + key.length;
  const [, name] =
    /^\s*:\s*\{[^]*?"name"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body.toString('utf8', start, start + maxClaim)) ?? [];
  try {
    return name === undefined ? undefined : { name: JSON.parse(name) as string, version: '' };
  } catch {
    return undefined;
  }
}

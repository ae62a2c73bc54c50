import type { CallSignal } from '../base/lightAbort.js';
import type { Implementation } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';

/** How a client is connected to the server. */
export interface ConnectionInfo {
  /** The kind of connection, for display. */
  readonly transport: string;
  /** The query of the URL, without the question mark; empty if there is none. */
  readonly query: string;
  /** Called when the gate has let a request pass. */
  readonly onAdmitted?: () => void;
}

/** The connection of a client over a pair of streams. */
export const streamConnectionInfo: ConnectionInfo = { transport: 'stdio', query: '' };

/** The connection of a client over HTTP. @param url the URL of its request, with the query. */
export function httpConnectionInfo(url = ''): ConnectionInfo {
  const start = url.indexOf('?');
  return { transport: 'http', query: start === -1 ? '' : url.slice(start + 1) };
}

/** A client that has introduced itself. Its name and version are claims. */
export interface ArrivedClient {
  readonly client: Implementation | undefined;
  readonly era: Era;
  readonly revision: Revision;
  readonly connectionInfo: ConnectionInfo;
}

/** Decides which clients may use the server. */
export interface ClientGate {
  /** Called when a client introduces itself. Must return at once. */
  arrived(client: ArrivedClient): void;
  /**
   * Called before each request of a client except the handshake, `ping` and `logging/setLevel`. Returns undefined if
   * the client may use the server. Otherwise the request waits, and fails with the rejection, a ProtocolError.
   * @param size the size of the request, bytes; 0 if it is unknown.
   */
  admit(client: ArrivedClient, signal: CallSignal, size: number): Promise<void> | undefined;
  /**
   * Like `admit`, for requests that can be answered before the decision about the client: lists, which are empty then,
   * and streams of changes. Resolves to false if there is no decision after a few seconds.
   */
  admitSoon(client: ArrivedClient, signal: CallSignal, size: number): Promise<boolean> | undefined;
  /** Whether the client may use the server now, according to its claim. Asks no question. */
  isAdmitted(client: Implementation | undefined, connectionInfo: ConnectionInfo): boolean;
}

/**
 * The sessions of the legacy era over HTTP: revisions up to 2025-11-25 have a handshake, a header with the ID of the
 * session, and an event stream (specification 2025-11-25, basic/transports, "Session Management").
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import { isLegacyRevision } from '../protocol/revisions.js';
import type { HeldBytes } from './byteBudget.js';
import { httpConnectionInfo } from './clientGate.js';
import { accepts } from './httpGuards.js';
import { refuse, tooMany } from './httpRefusals.js';
import { HttpSession, requestId } from './httpSession.js';
import type { KeptEvents } from './keptEvents.js';
import type { McpServer } from './mcpServer.js';
import type { UnapprovedClients } from './unapprovedClients.js';
import type { UnsentBytes } from './unsentBytes.js';

export interface HttpSessionsOptions {
  server: McpServer;
  unapproved: UnapprovedClients;
  unsent: UnsentBytes;
  kept: KeptEvents;
  clock: Clock;
  /**
   * Interval between comments on an open stream, and the time after which the response to a POST becomes a stream, in
   * milliseconds.
   */
  keepAliveMs: number;
  /** Maximum number of sessions. */
  maxSessions: number;
  /** Idle time after which a session is closed, in milliseconds. */
  sessionIdleMs: number;
}

/** Interval between searches for idle sessions, in milliseconds. */
const sweepMs = 30_000;

/** Maximum number of messages in one batch (2025-03-26). */
const maxBatch = 100;

export class HttpSessions {
  private readonly sessions = new Map<string, HttpSession>();
  private sweep: Disposable | undefined;

  constructor(private readonly options: HttpSessionsOptions) {}

  /** Number of open sessions. */
  get size(): number {
    return this.sessions.size;
  }

  /** The session that a request names; undefined if there is none. */
  find({ headers }: IncomingMessage): HttpSession | undefined {
    return this.sessions.get(String(headers['mcp-session-id']));
  }

  /** Ends every session. Idempotent. */
  close(): void {
    this.sweep?.dispose();
    for (const session of [...this.sessions.values()]) session.close();
  }

  /** Serves the messages of a POST. @param isBatch whether the body was an array (2025-03-26 only). */
  servePost(
    request: IncomingMessage,
    response: ServerResponse,
    messages: unknown[],
    isBatch: boolean,
    bytes: HeldBytes,
  ): void {
    const [first] = messages;
    if (!isBatch && isObject(first) && first['method'] === 'initialize') {
      this.begin(request, response, first);
      return;
    }
    const session = this.sessionOf(request, response);
    if (!session) return;
    const ids = messages.map(requestId).filter((id): id is RequestId => id !== undefined);
    if (isBatch && (!session.takesBatches || messages.length === 0 || messages.length > maxBatch)) {
      refuse(response, { status: 400, reason: 'Batches are not supported here.' });
    } else if (!messages.every(isMessage)) {
      refuse(response, { status: 400, reason: 'The body is not a JSON-RPC 2.0 message.' });
    } else if (new Set(ids).size < ids.length || ids.some((id) => session.hasOpen(id))) {
      refuse(response, { status: 400, reason: 'A request with this ID is still open.' });
    } else session.post(messages, isBatch, response, {}, bytes);
  }

  private begin(request: IncomingMessage, response: ServerResponse, message: Record<string, unknown>): void {
    if (requestId(message) === undefined) {
      refuse(response, { status: 400, reason: 'The method initialize must be a request with an ID.' });
      return;
    }
    if (this.sessions.size >= this.options.maxSessions && !this.forgetIdlest()) {
      refuse(response, tooMany('Too many sessions are open.', 30));
      return;
    }
    const id = randomBytes(24).toString('base64url');
    const session = new HttpSession({
      id,
      connectionInfo: httpConnectionInfo(request.url),
      server: this.options.server,
      unsent: this.options.unsent,
      kept: this.options.kept,
      clock: this.options.clock,
      keepAliveMs: this.options.keepAliveMs,
      onClosed: () => this.sessions.delete(id),
    });
    this.sessions.set(id, session);
    response.once('close', () => {
      // A failed handshake must not leave a session.
      if (!session.isOpen) session.close();
    });
    session.post([message], false, response, { 'mcp-session-id': id });
  }

  /** Opens or resumes the event stream of a session. */
  serveGet(request: IncomingMessage, response: ServerResponse): void {
    const session = this.sessionOf(request, response);
    if (!session) return;
    if (!accepts(request, 'text/event-stream')) {
      refuse(response, { status: 406, reason: 'The client must accept text/event-stream.' });
      return;
    }
    const lastEventId = request.headers['last-event-id'];
    if (session.isAdmitted) this.options.unapproved.admitted(request.socket);
    else if (this.options.server.hasGate) this.options.unapproved.limitStream(response, () => session.isAdmitted);
    const outcome = session.listen(response, typeof lastEventId === 'string' ? lastEventId : undefined);
    if (outcome === 'lost')
      refuse(response, { status: 400, reason: 'The events after this Last-Event-ID are no longer available.' });
    // 204 tells the client not to reconnect (WHATWG HTML, "Server-sent events"). After an empty stream, the SDK's
    // client 1.32 would open a second stream for messages without a request, and receive some of them twice.
    else if (outcome === 'complete') response.writeHead(204).end();
  }

  /** Ends a session. */
  serveDelete(request: IncomingMessage, response: ServerResponse): void {
    const session = this.sessionOf(request, response);
    if (!session) return;
    session.close();
    response.writeHead(204).end();
  }

  /** The session that the request belongs to. Undefined if the request was refused; the refusal has then been sent. */
  private sessionOf(request: IncomingMessage, response: ServerResponse): HttpSession | undefined {
    const id = request.headers['mcp-session-id'];
    const version = request.headers['mcp-protocol-version'];
    if (typeof id !== 'string') {
      refuse(response, { status: 400, reason: 'The header Mcp-Session-Id is missing: send initialize first.' });
      return undefined;
    }
    const session = this.sessions.get(id);
    if (!session) {
      refuse(response, { status: 404, reason: 'There is no such session.' });
      return undefined;
    }
    if (version !== undefined && !isLegacyRevision(version)) {
      refuse(response, { status: 400, reason: 'This protocol version does not use sessions.' });
      return undefined;
    }
    return session;
  }

  /**
   * Makes room by ending the session that has been idle the longest, first among the clients that were not admitted.
   * Returns false if all sessions are in use.
   */
  private forgetIdlest(): boolean {
    const sessions = [...this.sessions.values()];
    const idlest = this.idlestOf(sessions.filter(({ isAdmitted }) => !isAdmitted)) ?? this.idlestOf(sessions);
    idlest?.close();
    return idlest !== undefined;
  }

  private idlestOf(sessions: readonly HttpSession[]): HttpSession | undefined {
    const now = this.options.clock.now();
    let idlest: HttpSession | undefined;
    for (const session of sessions) {
      if (session.idleMs(now) > (idlest?.idleMs(now) ?? 0)) idlest = session;
    }
    return idlest;
  }

  /** Begins to close idle sessions. */
  start(): void {
    this.sweep = this.options.clock.after(sweepMs, () => {
      const now = this.options.clock.now();
      for (const session of [...this.sessions.values()]) {
        if (session.idleMs(now) > this.options.sessionIdleMs) session.close();
      }
      this.start();
    });
  }
}

function isMessage(message: unknown): boolean {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return false;
  const { id, method } = message;
  if (method === undefined) return 'result' in message || 'error' in message;
  return typeof method === 'string' && (id === undefined || typeof id === 'string' || typeof id === 'number');
}

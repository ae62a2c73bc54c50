/**
 * An MCP server on loopback over Streamable HTTP, with both eras at one URL: sessions with a handshake for revisions up
 * to 2025-11-25, and stateless requests for 2026-07-28 (specification: basic/transports of each). It binds to loopback
 * only, refuses requests from web pages of other origins, and can require a token (see `loopbackHttp.ts`).
 *
 * Deliberately not supported: CORS, TLS, and addresses other than loopback.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../base/guards.js';
import { isLegacyRevision } from '../protocol/revisions.js';
import type { HeldBytes } from './byteBudget.js';
import { httpConnectionInfo } from './clientGate.js';
import { isModernMessage } from './envelope.js';
import { answersRefusal, bodyRefusal } from './httpGuards.js';
import { refuse } from './httpRefusals.js';
import { HttpSessions } from './httpSessions.js';
import { KeptEvents } from './keptEvents.js';
import type { BodyLimits, LoopbackOptions } from './loopbackHttp.js';
import { LoopbackHttp } from './loopbackHttp.js';
import { StatelessPosts } from './statelessPosts.js';
import { claimIn, unapprovedBodyBytes } from './unapprovedClients.js';

export interface HttpFrontOptions extends LoopbackOptions {
  /** Maximum size of the events that all sessions keep for resumption, in characters of JSON; default 32 Mi. */
  maxKeptEvents?: number;
  /** Idle time after which a session is closed, in milliseconds; default 30 minutes. */
  sessionIdleMs?: number;
}

export class HttpFront {
  private readonly http: LoopbackHttp;
  private readonly sessions: HttpSessions;
  private readonly stateless: StatelessPosts;

  constructor(private readonly options: HttpFrontOptions) {
    this.http = new LoopbackHttp(options, {
      path: options.path ?? '/mcp',
      refusalOf: (request, maxBodyBytes) => {
        if (request.method === 'GET' || request.method === 'DELETE') return undefined;
        if (request.method !== 'POST')
          return { status: 405, reason: 'Method not allowed.', headers: { allow: 'POST, GET, DELETE' } };
        return bodyRefusal(request, maxBodyBytes) ?? answersRefusal(request);
      },
      serve: (request, response) => this.serve(request, response),
    });
    const { unapproved, unsent, clock, keepAliveMs, maxSessions } = this.http;
    const shared = { server: options.server, unapproved, unsent, clock, keepAliveMs };
    this.stateless = new StatelessPosts(shared);
    this.sessions = new HttpSessions({
      ...shared,
      kept: new KeptEvents(options.maxKeptEvents ?? 32 * 1024 * 1024),
      maxSessions,
      sessionIdleMs: options.sessionIdleMs ?? 1_800_000,
    });
  }

  /** Number of open sessions. */
  get sessionCount(): number {
    return this.sessions.size;
  }

  /** Starts the server. Rejects if the token or the port cannot be used. @returns the URL to give to clients. */
  async listen(): Promise<{ url: string; port: number }> {
    const at = await this.http.listen();
    this.sessions.start();
    return at;
  }

  /** Ends every session and stream and stops the server. Resolves when all sockets are closed. Idempotent. */
  close(): Promise<void> {
    return this.http.close(() => {
      this.sessions.close();
      this.stateless.close();
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') this.sessions.serveGet(request, response);
    else if (request.method === 'DELETE') this.sessions.serveDelete(request, response);
    else {
      const body = await this.http.readPost(request, response, this.bodyLimits(request));
      if (body) this.servePost(request, response, body.value, body.bytes);
    }
  }

  /**
   * The limits of a body. Until its client is admitted, a body must be small, because a large body would be parsed
   * without a pause. In the stateless era, each body names its client.
   */
  private bodyLimits(request: IncomingMessage): BodyLimits {
    const { server } = this.options;
    const { unapproved, maxBodyBytes: maxBytes } = this.http;
    const { socket, headers } = request;
    const session = this.sessions.find(request);
    if (session?.isAdmitted === true) unapproved.admitted(socket);
    if (maxBytes <= unapprovedBodyBytes || !server.hasGate || !unapproved.has(socket)) return { maxBytes };
    if (session && server.isAdmitted(session.client, httpConnectionInfo(request.url))) return { maxBytes };
    if (session || isLegacyRevision(headers['mcp-protocol-version'] ?? '2025-03-26'))
      return { maxBytes: unapprovedBodyBytes };
    const mayParse = (body: Buffer) =>
      body.length <= unapprovedBodyBytes || server.isAdmitted(claimIn(body), httpConnectionInfo(request.url));
    return { maxBytes, mayParse };
  }

  private servePost(request: IncomingMessage, response: ServerResponse, body: unknown, bytes: HeldBytes): void {
    const { headers } = request;
    if (Array.isArray(body)) {
      this.sessions.servePost(request, response, body, true, bytes);
      return;
    }
    if (!isObject(body) || body['jsonrpc'] !== '2.0') {
      refuse(response, { status: 400, reason: 'The body is not a JSON-RPC 2.0 message.' });
      return;
    }
    const { method } = body;
    const params = isObject(body['params']) ? body['params'] : {};
    const version = headers['mcp-protocol-version'];
    const isLegacyVersion = version === undefined || isLegacyRevision(version);
    const isModern =
      typeof method === 'string' &&
      (isModernMessage(method, params) || (!isLegacyVersion && headers['mcp-session-id'] === undefined));
    if (isModern) this.stateless.serve(request, response, body, method, params, bytes.size);
    else this.sessions.servePost(request, response, [body], false, bytes);
  }
}

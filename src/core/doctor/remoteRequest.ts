/** Sends a first request to a remote server, in the same way and with the same tokens as the transports. */
import type { IncomingMessage, RequestOptions } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { t } from '@vscode/l10n';
import type { Authorizer } from '../auth/authorizer.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import { maxChallenges, readChallenge } from '../transport/http/authChallenge.js';
import { judgeRedirect } from '../transport/http/httpCall.js';
import type { RemoteAddress } from '../transport/http/remoteAddress.js';
import { baseUrl, withUrl } from '../transport/http/remoteAddress.js';
import { attempt, codeOf, seconds } from './attempt.js';

export type RemoteServer = Exclude<ResolvedServer, { type: 'stdio' }>;

/** A server, with the authorizer for its requests. */
export interface RequestTarget {
  address: RemoteAddress;
  server: RemoteServer;
  authorizer: Authorizer;
  /** Time limit of one request, in milliseconds. */
  stepMs: number;
}

export interface RemoteRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string | number>>;
  body?: string;
}

export type RemoteResponse =
  | {
      status: number;
      type: string;
      text: string;
      response: IncomingMessage;
      /** Whether the request contained a token of the authorizer. */ isSignedIn: boolean;
      /** The last response that required a sign-in, and the reason that the authorizer could not sign in. */
      refusal?: {
        wwwAuthenticate: readonly string[];
        error?: HostError;
      };
    }
  /** There was no response. `problem` is the end of a sentence. */
  | { problem: string; error?: HostError }
  /** A redirect that the transports do not follow. */
  | { redirect: string; status: number; target: string | undefined };

const maxBody = 64 * 1024;
const maxRedirects = 5;

/**
 * Sends a request, follows redirects within the origin, and lets the authorizer handle refusals, as a transport does.
 * The user is not asked.
 */
export async function askServer(
  { address, server, authorizer, stepMs }: RequestTarget,
  asked: RemoteRequest,
): Promise<RemoteResponse> {
  let at = address;
  let refusal: { wwwAuthenticate: readonly string[]; error?: HostError } | undefined;
  for (let [redirects, challenges] = [0, 0]; ;) {
    const url = baseUrl(at).href.replace(/^ws/, 'http');
    let token: Readonly<Record<string, string>>;
    try {
      token = await authorizer.headers({ method: asked.method, url });
    } catch (error) {
      return { problem: messageOf(error), ...(error instanceof HostError ? { error } : {}) };
    }
    const answer = await exchange(at, server, token, asked, stepMs);
    if ('problem' in answer) return answer;
    const { status, response } = answer;
    if ([301, 302, 303, 307, 308].includes(status)) {
      const verdict = judgeRedirect(asked.method, status, response.headers.location, at);
      if ('problem' in verdict || ++redirects > maxRedirects)
        return {
          redirect: 'problem' in verdict ? verdict.problem : t('the server redirects too many times'),
          status,
          target: absolute(response.headers.location, url),
        };
      at = withUrl(at, verdict.target);
      continue;
    }
    const isSignedIn = Object.keys(token).length > 0;
    if (status !== 401 && status !== 403) return { ...answer, isSignedIn };
    const challenge = readChallenge(status, response, asked.method, url, token, answer.text);
    refusal = { wwwAuthenticate: challenge.wwwAuthenticate };
    try {
      if (challenges++ < maxChallenges && (await authorizer.handleChallenge(challenge))) continue;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      refusal.error = error;
    }
    return { ...answer, isSignedIn, refusal };
  }
}

function absolute(location: string | undefined, from: string): string | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined;
  const { origin, pathname } = new URL(location, from);
  return origin === 'null' ? undefined : `${origin}${pathname}`;
}

function exchange(
  address: RemoteAddress,
  server: RemoteServer,
  token: Readonly<Record<string, string>>,
  { method, headers, body = '' }: RemoteRequest,
  ms: number,
): Promise<{ status: number; type: string; text: string; response: IncomingMessage } | { problem: string }> {
  const isSecure = address.protocol === 'https:' || address.protocol === 'wss:';
  const module = isSecure ? https : http;
  const all: Record<string, string | number> = {};
  // Names are in lower case, so that a token replaces a configured header with the same name.
  for (const [name, value] of Object.entries({
    connection: 'close',
    ...server.headers,
    ...headers,
    ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
    ...token,
  }))
    all[name.toLowerCase()] = value;
  const options: RequestOptions & { ca?: string } = {
    hostname: address.hostname,
    port: address.port,
    path: address.path,
    ...(address.socketPath === undefined ? {} : { socketPath: address.socketPath }),
    method,
    headers: all,
    ...(server.ca === undefined ? {} : { ca: server.ca }),
  };
  return attempt(ms, (end) => {
    // `request` is read from the module at each call, because VS Code replaces it to apply its proxy and certificates.
    let request: http.ClientRequest;
    try {
      request = module.request(options);
    } catch (error) {
      // The error message of node:http about an invalid header contains its name but not its value, so it can be shown.
      end({ problem: visibleLine(messageOf(error)) });
      return { cancel: () => undefined, late: () => ({ problem: '' }) };
    }
    const receive = (response: IncomingMessage) => {
      let text = '';
      const type = response.headers['content-type'] ?? '';
      const done = () => end({ status: response.statusCode ?? 0, type, text, response });
      // An event stream does not end by itself, so it is not read to the end.
      if (/event-stream/i.test(type) || response.statusCode === 101) return done();
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxBody) done();
      });
      response.once('end', done);
      response.on('error', done);
    };
    request.once('response', receive);
    request.once('upgrade', (response, socket) => {
      receive(response);
      socket.destroy();
    });
    request.on('error', (error) => end({ problem: `${visibleLine(messageOf(error))} (${codeOf(error)})` }));
    request.end(body);
    return {
      cancel: () => request.destroy(),
      late: () => ({ problem: t('there was no response within {0}', seconds(ms)) }),
    };
  });
}

/** The way to a remote server, one step after the other: name, port, certificate, answer, sign-in. */
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { ResolvedServer } from '../config/variables.js';
import type { RemoteAddress } from '../transport/remoteAddress.js';
import type { Check } from './check.js';
import { failed, ok, skipped, warning } from './check.js';

type RemoteServer = Exclude<ResolvedServer, { type: 'stdio' }>;

/** How long one step may take. Milliseconds. */
const stepWithinMs = 10_000;
const maxBody = 64 * 1024;

/** Variables and settings that send requests through a proxy. */
export function checkProxy(address: RemoteAddress, env: Readonly<Record<string, string | undefined>>, setting: unknown): Check {
  if (address.isLoopback) return skipped('proxy', 'This machine is reached without a proxy.');
  const value = (name: string) => env[name] ?? env[name.toUpperCase()];
  const isSecure = address.protocol === 'https:' || address.protocol === 'wss:';
  const proxy = (typeof setting === 'string' && setting !== '' ? setting : undefined) ?? value(isSecure ? 'https_proxy' : 'http_proxy');
  if (proxy === undefined || proxy === '') return ok('proxy', 'No proxy is set.');
  const except = (value('no_proxy') ?? '').split(',').map((name) => name.trim().replace(/^\*?\./, '')).filter((name) => name !== '');
  if (except.some((name) => name === '*' || address.hostname === name || address.hostname.endsWith(`.${name}`))) return ok('proxy', 'A proxy is set, and this host is excepted from it.');
  if (!URL.canParse(proxy)) return failed('proxy', 'The proxy that is set is not an address.', 'Correct the setting "http.proxy", or the variable HTTPS_PROXY.');
  return ok('proxy', `Requests go through ${visibleLine(new URL(proxy).host)}.`);
}

export async function checkName({ hostname }: RemoteAddress): Promise<Check> {
  if (net.isIP(hostname)) return skipped('name', `${hostname} is an address already.`);
  try {
    const found = await within(lookup(hostname, { all: true }));
    return ok('name', `${visibleLine(hostname)} is ${found.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    return failed('name', `The name ${visibleLine(hostname)} could not be resolved (${codeOf(error)}).`, 'Check the spelling of the host in "url", and the network connection or VPN.');
  }
}

export function checkPort({ hostname, port, socketPath, label }: RemoteAddress): Promise<Check> {
  const where = socketPath === undefined ? `${visibleLine(hostname)}, port ${port}` : visibleLine(label);
  return attempt<Check>((end) => {
    const socket = socketPath === undefined ? net.connect({ host: hostname, port }) : net.connect({ path: socketPath });
    socket.once('connect', () => end(ok('port', `Something listens at ${where}.`)));
    socket.once('error', (error) => end(portProblem(where, codeOf(error))));
    return { cancel: () => socket.destroy(), late: () => failed('port', `Nothing answered at ${where} within ${stepWithinMs / 1_000} seconds.`, 'A firewall may drop the connection: check the host, the port and the VPN.') };
  });
}

function portProblem(where: string, code: string): Check {
  if (code === 'ECONNREFUSED') return failed('port', `Nothing listens at ${where}.`, 'Start the server there, or correct the port in "url".');
  if (code === 'ENOENT') return failed('port', `There is no socket at ${where}.`, 'Start the server there, or correct the path in "url".');
  return failed('port', `${where} cannot be reached (${code}).`, 'Check the network connection, the VPN and the firewall.');
}

export function checkCertificate({ hostname, port }: RemoteAddress, ca: string | undefined): Promise<Check> {
  return attempt<Check>((end) => {
    const socket = tls.connect({ host: hostname, port, rejectUnauthorized: false, ...(net.isIP(hostname) ? {} : { servername: hostname }), ...(ca === undefined ? {} : { ca }) });
    socket.once('secureConnect', () => {
      const { subject, issuer, valid_to: until } = socket.getPeerCertificate();
      const whose = `The certificate is of ${visibleLine(one(subject?.CN) ?? 'nobody')}, from ${visibleLine(one(issuer?.CN) ?? one(issuer?.O) ?? 'nobody')}, until ${visibleLine(until ?? '?')}`;
      // Typed as an error, and a text in truth.
      const problem = socket.authorized ? undefined : String(socket.authorizationError);
      end(problem === undefined ? ok('certificate', `${whose}.`) : failed('certificate', `${whose}; it is not trusted (${visibleLine(problem)}).`, certificateFix(problem)));
    });
    socket.once('error', (error) => end(failed('certificate', `The secure connection failed: ${visibleLine(messageOf(error))}.`, 'Perhaps the server speaks plain http on this port: write http:// in "url".')));
    return { cancel: () => socket.destroy(), late: () => failed('certificate', `The secure connection was not made within ${stepWithinMs / 1_000} seconds.`, 'Does something else than https listen on this port?') };
  });
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function certificateFix(problem: string): string {
  if (/ALTNAME/.test(problem)) return 'The certificate belongs to another name: write that name in "url".';
  if (/EXPIRED/.test(problem)) return 'The certificate has expired: whoever runs the server has to renew it.';
  return 'Give the certificate of its authority as a PEM file in "caFile" of this server. Checking is never switched off.';
}

/** What the server said to a first request. */
export interface FirstAnswer {
  check: Check;
  status?: number;
  /** `WWW-Authenticate` of a 401. */
  challenge?: string;
}

/** A ping by POST, as every MCP server over HTTP takes one; where that is refused, the event stream of older ones by GET. */
export async function checkHttp(address: RemoteAddress, server: RemoteServer): Promise<FirstAnswer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const posted = await send(address, server, 'POST', body);
  const stream = 'status' in posted && [404, 405].includes(posted.status) && server.type !== 'http' ? await send(address, server, 'GET') : undefined;
  const answer = stream && 'status' in stream && stream.status === 200 ? stream : posted;
  if ('problem' in answer) return { check: failed('http', `No answer: ${answer.problem}.`, 'See the log of the server itself.') };
  const { status, type, text, challenge } = answer;
  const excerpt = text === '' ? '' : ` It says: ${visibleLine(text, 160)}`;
  const told = { status, ...(challenge === undefined ? {} : { challenge }) };
  if (status === 401) return { check: warning('http', 'It answers with status 401: it wants a sign-in.', 'Sign in, or put a token into "headers".'), ...told };
  if (status === 403) return { check: failed('http', `It answers with status 403: access is refused.${excerpt}`, 'Check the token in "headers", or sign in with another account.'), ...told };
  if (status === 404 || status === 405) return { check: failed('http', `It answers with status ${status}: nothing of MCP lives at ${visibleLine(address.path)}.${excerpt}`, 'Check the path of "url": MCP servers often live under /mcp or /sse.'), ...told };
  if (status === 407) return { check: failed('http', 'The proxy wants a sign-in (status 407).', 'Check the setting "http.proxy".'), ...told };
  if (status >= 300 && status < 400) return { check: failed('http', `It leads elsewhere (status ${status}).`, 'Write the address that it leads to in "url".'), ...told };
  if (status >= 500) return { check: failed('http', `It answers with status ${status}: the server or something before it has a fault.${excerpt}`, 'See the log of the server itself.'), ...told };
  if (/html/i.test(type)) return { check: failed('http', `It answers with a web page instead of MCP.${excerpt}`, 'Check the address, or sign in to the network first.'), ...told };
  // A server may well refuse a ping before the handshake; what counts is that it speaks.
  return { check: ok('http', `It answers (status ${status}${type === '' ? '' : `, ${visibleLine(type, 60)}`}).`), ...told };
}

/** Where the sign-in would begin. Stays with the server: what leads to other hosts is told, not followed. */
export async function checkSignIn(address: RemoteAddress, server: RemoteServer, challenge: string | undefined): Promise<Check> {
  const named = /resource_metadata="?([^",\s]+)/i.exec(challenge ?? '')?.[1];
  const where = named !== undefined && URL.canParse(named) ? new URL(named) : new URL(`/.well-known/oauth-protected-resource${address.path.split('?')[0]?.replace(/\/$/, '') ?? ''}`, address.origin);
  if (where.origin !== address.origin) return warning('sign-in', `Its sign-in is described at another host, ${visibleLine(where.host)}.`, 'Run "MCP Deck: Sign In…" on the server: it shows where it leads before anything opens.');
  const answer = await send({ ...address, path: `${where.pathname}${where.search}` }, { ...server, headers: {} }, 'GET');
  if ('status' in answer && answer.status === 200 && /json/i.test(answer.type)) {
    const issuer = /"authorization_servers"\s*:\s*\[\s*"([^"]+)"/.exec(answer.text)?.[1];
    return warning('sign-in', `Its sign-in is described at ${visibleLine(where.pathname)}${issuer === undefined ? '' : `, with ${visibleLine(issuer)}`}.`, 'Run "MCP Deck: Sign In…" on the server.');
  }
  return failed('sign-in', `It wants a sign-in and does not say where: nothing is at ${visibleLine(where.pathname)}.`, 'Put a token into "headers", for example "Authorization": "Bearer ${input:token}".');
}

type Answer = { status: number; type: string; text: string; challenge?: string } | { problem: string };

function send(address: RemoteAddress, server: RemoteServer, method: 'GET' | 'POST', body = ''): Promise<Answer> {
  const isSecure = address.protocol === 'https:' || address.protocol === 'wss:';
  return attempt<Answer>((end) => {
    const headers = { Accept: method === 'GET' ? 'text/event-stream, application/json' : 'application/json, text/event-stream', ...(method === 'POST' ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {}), ...server.headers };
    const request = (isSecure ? https : http).request({ host: address.hostname, port: address.port, path: address.path, ...(address.socketPath === undefined ? {} : { socketPath: address.socketPath }), method, headers, ...(server.ca === undefined ? {} : { ca: server.ca }) });
    request.once('response', (response) => {
      let text = '';
      const type = response.headers['content-type'] ?? '';
      const challenge = response.headers['www-authenticate'];
      const done = () => end({ status: response.statusCode ?? 0, type, text, ...(challenge === undefined ? {} : { challenge }) });
      // A stream does not end by itself.
      if (/event-stream/i.test(type)) {
        done();
        return;
      }
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxBody) done();
      });
      response.once('end', done);
      response.once('error', done);
    });
    request.once('error', (error) => end({ problem: `${visibleLine(messageOf(error))} (${codeOf(error)})` }));
    request.end(body);
    return { cancel: () => request.destroy(), late: () => ({ problem: `nothing came within ${stepWithinMs / 1_000} seconds` }) };
  });
}

/** One step with an end: what it found, or that it took too long; nothing of it stays open. */
function attempt<T>(begin: (end: (result: T) => void) => { cancel(): void; late(): T }): Promise<T> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = (result: T) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve(result);
      // After this turn: the step may not have returned yet.
      setImmediate(() => step.cancel());
    };
    const timer = setTimeout(() => end(step.late()), stepWithinMs);
    const step = begin(end);
  });
}

function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${stepWithinMs / 1_000} seconds`)), stepWithinMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no reason given';
}

/** The way to a remote server: name, port and certificate. Behind a proxy the first two are the proxy's. */
import { lookup } from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { RemoteAddress } from '../transport/remoteAddress.js';
import { attempt, codeOf, seconds } from './attempt.js';
import type { Check } from './check.js';
import { failed, ok, skipped, warning } from './check.js';
import type { Proxy } from './proxy.js';
import { openTunnel } from './tunnel.js';

const noProxyHint = 'where only a proxy reaches out, set "http.proxy"';

export async function checkName({ hostname }: RemoteAddress, proxy: Proxy | undefined, ms: number): Promise<Check> {
  const host = proxy?.hostname ?? hostname;
  const name = visibleLine(host);
  if (net.isIP(host)) return skipped('name', proxy ? `The proxy ${name} is an address already; the server's own name is for the proxy to resolve.` : `${name} is an address already.`);
  const found = await attempt<string[] | { problem: string }>(ms, (end) => {
    lookup(host, { all: true }).then(
      (all) => end(all.map(({ address }) => address)),
      (error: unknown) => end({ problem: codeOf(error) }),
    );
    return { cancel: () => undefined, late: () => ({ problem: `no answer within ${seconds(ms)}` }) };
  });
  if (!('problem' in found)) return ok('name', proxy ? `The proxy ${name} is ${found.join(', ')}; the server's own name is for the proxy to resolve.` : `${name} is ${found.join(', ')}.`);
  if (proxy) return failed('name', `The name of the proxy, ${name}, could not be resolved (${found.problem}).`, `Correct ${proxy.setBy}, or check the network connection or VPN.`);
  return failed('name', `The name ${name} could not be resolved (${found.problem}).`, `Check the spelling of the host in "url", and the network connection or VPN; ${noProxyHint}.`);
}

export function checkPort({ hostname, port, socketPath, label }: RemoteAddress, proxy: Proxy | undefined, ms: number): Promise<Check> {
  const where = proxy ? `the proxy ${proxy.label}` : socketPath === undefined ? `${visibleLine(hostname)}, port ${port}` : visibleLine(label);
  return attempt<Check>(ms, (end) => {
    const socket = proxy ? net.connect({ host: proxy.hostname, port: proxy.port }) : socketPath === undefined ? net.connect({ host: hostname, port }) : net.connect({ path: socketPath });
    socket.once('connect', () => end(ok('port', `Something listens at ${where}.`)));
    socket.once('error', (error) => end(proxy ? failed('port', `${where[0]?.toUpperCase()}${where.slice(1)} cannot be reached (${codeOf(error)}).`, `Start the proxy, or correct ${proxy.setBy}; a host that needs no proxy can be excepted in "http.noProxy".`) : portProblem(where, codeOf(error))));
    const fix = proxy ? `Check the proxy in ${proxy.setBy}, and the VPN.` : `A firewall may drop the connection: check the host, the port and the VPN; ${noProxyHint}.`;
    return { cancel: () => socket.destroy(), late: () => failed('port', `Nothing answered at ${where} within ${seconds(ms)}.`, fix) };
  });
}

function portProblem(where: string, code: string): Check {
  if (code === 'ECONNREFUSED') return failed('port', `Nothing listens at ${where}.`, 'Start the server there, or correct the port in "url".');
  if (code === 'ENOENT') return failed('port', `There is no socket at ${where}.`, 'Start the server there, or correct the path in "url".');
  return failed('port', `${where} cannot be reached (${code}).`, `Check the network connection, the VPN and the firewall; ${noProxyHint}.`);
}

/** The certificate that the server itself shows, also behind a proxy. */
export async function checkCertificate(address: RemoteAddress, proxy: Proxy | undefined, ca: string | undefined, ms: number): Promise<Check> {
  if (!proxy) return readCertificate(address, undefined, ca, ms);
  if (proxy.protocol === 'socks:') return skipped('certificate', 'Not looked at on its own behind a SOCKS proxy.');
  const tunnel = await openTunnel(proxy, `${address.hostname.includes(':') ? `[${address.hostname}]` : address.hostname}:${address.port}`, ms);
  if ('socket' in tunnel) return readCertificate(address, tunnel.socket, ca, ms);
  if ('problem' in tunnel) return failed('certificate', `The proxy ${proxy.label} makes no connection: ${tunnel.problem}.`, `See whether ${proxy.setBy} names an HTTP proxy.`);
  const said = `status ${tunnel.status}${tunnel.reason === '' ? '' : `, ${tunnel.reason}`}`;
  // VS Code may know how to sign in to the proxy, which is seen at the next step.
  if (tunnel.status === 407) return warning('certificate', `Not looked at: the proxy ${proxy.label} wants a sign-in (${said}).`, proxySignIn(proxy));
  if (tunnel.status === 403) return failed('certificate', `The proxy ${proxy.label} does not let connections to ${visibleLine(address.hostname)} through (${said}).`, 'Whoever runs the proxy has to allow this host; one that needs no proxy can be excepted in "http.noProxy".');
  return failed('certificate', `The proxy ${proxy.label} does not reach ${visibleLine(address.hostname)}, port ${address.port} (${said}).`, 'Check the host and the port in "url"; a host that needs no proxy can be excepted in "http.noProxy".');
}

export function proxySignIn(proxy: Proxy | undefined): string {
  return proxy ? `Correct the user and the password of the proxy in ${proxy.setBy}.` : 'Set the proxy with its user and password in "http.proxy".';
}

function readCertificate({ hostname, port }: RemoteAddress, tunnel: net.Socket | undefined, ca: string | undefined, ms: number): Promise<Check> {
  return attempt<Check>(ms, (end) => {
    const name = net.isIP(hostname) ? {} : { servername: hostname };
    const socket = tls.connect({ host: hostname, port, rejectUnauthorized: false, ...name, ...(tunnel ? { socket: tunnel } : {}), ...(ca === undefined ? {} : { ca }) });
    socket.once('secureConnect', () => {
      const { subject, issuer, subjectaltname: names, valid_to: until } = socket.getPeerCertificate();
      const whose = `The certificate is of ${visibleLine(one(subject?.CN) ?? names ?? 'nobody')}, from ${visibleLine(one(issuer?.CN) ?? one(issuer?.O) ?? 'nobody')}, until ${visibleLine(until ?? '?')}`;
      // Typed as an error, and a text in truth where the chain is wrong; an error where the name is.
      const problem = socket.authorized ? undefined : codeOr(socket.authorizationError);
      end(problem === undefined ? ok('certificate', `${whose}.`) : failed('certificate', `${whose}; it is not trusted (${visibleLine(problem)}).`, certificateFix(problem, visibleLine(names ?? '', 200), ca)));
    });
    socket.once('error', (error) => end(failed('certificate', `The secure connection failed: ${visibleLine(messageOf(error))}.`, 'Perhaps the server speaks plain http on this port: write http:// in "url".')));
    return {
      cancel: () => {
        socket.destroy();
        tunnel?.destroy();
      },
      late: () => failed('certificate', `The secure connection was not made within ${seconds(ms)}.`, 'Does something else than https listen on this port?'),
    };
  });
}

function codeOr(problem: unknown): string {
  return problem instanceof Error ? ('code' in problem ? String(problem.code) : problem.message) : String(problem);
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function certificateFix(problem: string, names: string, ca: string | undefined): string {
  if (/ALTNAME/.test(problem)) return `The certificate belongs to another name: write that name in "url"${names === '' ? '' : ` (${names})`}.`;
  if (/EXPIRED/.test(problem)) return 'The certificate has expired: whoever runs the server has to renew it.';
  if (/NOT_YET_VALID/.test(problem)) return 'The certificate is not valid yet: check the clock of this machine.';
  if (ca !== undefined) return 'The certificate in "caFile" did not sign this one: put that of the right authority there, as PEM.';
  if (/^DEPTH_ZERO_SELF_SIGNED/.test(problem)) return 'The server signed its certificate itself: save that certificate as a PEM file, and name the file in "caFile" of this server. Checking is never switched off.';
  return 'Give the certificate of its authority as a PEM file in "caFile" of this server. Checking is never switched off.';
}

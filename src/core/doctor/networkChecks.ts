/**
 * Checks the connection to a remote server: name, port and certificate. With a proxy, name and port are those of the
 * proxy.
 */
import { lookup } from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import { t } from '@vscode/l10n';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { RemoteAddress } from '../transport/http/remoteAddress.js';
import { attempt, codeOf, seconds } from './attempt.js';
import type { Check } from './check.js';
import { failed, ok, skipped, warning } from './check.js';
import type { Proxy } from './proxy.js';
import { openTunnel } from './tunnel.js';

function noProxyHint(): string {
  return t('If the network requires a proxy, set "http.proxy".');
}

/**
 * Checks that the host name can be resolved.
 * @param ms time limit, in milliseconds.
 */
export async function checkName({ hostname }: RemoteAddress, proxy: Proxy | undefined, ms: number): Promise<Check> {
  const host = proxy?.hostname ?? hostname;
  const name = visibleLine(host);
  if (net.isIP(host))
    return skipped(
      'name',
      proxy
        ? t('The proxy {0} is an IP address. The proxy resolves the name of the server.', name)
        : t('{0} is an IP address.', name),
    );
  const found = await attempt<string[] | { problem: string }>(ms, (end) => {
    lookup(host, { all: true }).then(
      (all) => end(all.map(({ address }) => address)),
      (error: unknown) => end({ problem: codeOf(error) }),
    );
    return { cancel: () => undefined, late: () => ({ problem: t('no response within {0}', seconds(ms)) }) };
  });
  if (!('problem' in found))
    return ok(
      'name',
      proxy
        ? t('The proxy {0} has the address {1}. The proxy resolves the name of the server.', name, found.join(', '))
        : t('{0} has the address {1}.', name, found.join(', ')),
    );
  if (proxy)
    return failed(
      'name',
      t('The name of the proxy, {0}, could not be resolved ({1}).', name, found.problem),
      t('Correct {0}, or check the network connection or VPN.', proxy.setBy),
    );
  return failed(
    'name',
    t('The name {0} could not be resolved ({1}).', name, found.problem),
    t('Check the spelling of the host in "url", and check the network connection or VPN. {0}', noProxyHint()),
  );
}

/**
 * Checks that the port or the socket accepts a connection.
 * @param ms time limit, in milliseconds.
 */
export function checkPort(
  { hostname, port, socketPath, label }: RemoteAddress,
  proxy: Proxy | undefined,
  ms: number,
): Promise<Check> {
  const where = proxy
    ? t('the proxy {0}', proxy.label)
    : socketPath === undefined
      ? t('{0}, port {1}', visibleLine(hostname), port)
      : visibleLine(label);
  return attempt<Check>(ms, (end) => {
    const socket = proxy
      ? net.connect({ host: proxy.hostname, port: proxy.port })
      : socketPath === undefined
        ? net.connect({ host: hostname, port })
        : net.connect({ path: socketPath });
    socket.once('connect', () => end(ok('port', t('A program listens at {0}.', where))));
    socket.once('error', (error) =>
      end(
        proxy
          ? failed(
              'port',
              t('The proxy {0} cannot be reached ({1}).', proxy.label, codeOf(error)),
              t('Start the proxy, or correct {0}. If the host needs no proxy, add it to "http.noProxy".', proxy.setBy),
            )
          : portProblem(where, codeOf(error)),
      ),
    );
    const fix = proxy
      ? t('Check the proxy in {0}, and the VPN.', proxy.setBy)
      : t('A firewall might drop the connection. Check the host, the port, and the VPN. {0}', noProxyHint());
    return {
      cancel: () => socket.destroy(),
      late: () => failed('port', t('There was no response at {0} within {1}.', where, seconds(ms)), fix),
    };
  });
}

function portProblem(where: string, code: string): Check {
  if (code === 'ECONNREFUSED')
    return failed(
      'port',
      t('No program listens at {0}.', where),
      t('Start the server there, or correct the port in "url".'),
    );
  if (code === 'ENOENT')
    return failed(
      'port',
      t('There is no socket at {0}.', where),
      t('Start the server there, or correct the path in "url".'),
    );
  if (code === 'EACCES' || code === 'EPERM')
    return failed('port', t('Access to {0} is denied ({1}).', where, code), t('Check the permissions of the socket.'));
  return failed(
    'port',
    t('{0} cannot be reached ({1}).', where, code),
    t('Check the network connection, the VPN, and the firewall. {0}', noProxyHint()),
  );
}

/** Checks the certificate of the server itself, even through a proxy. */
export async function checkCertificate(
  address: RemoteAddress,
  proxy: Proxy | undefined,
  ca: string | undefined,
  ms: number,
): Promise<Check> {
  if (!proxy) return readCertificate(address, undefined, ca, ms);
  if (proxy.protocol === 'socks:')
    return skipped('certificate', t('The certificate cannot be checked separately through a SOCKS proxy.'));
  const tunnel = await openTunnel(
    proxy,
    `${address.hostname.includes(':') ? `[${address.hostname}]` : address.hostname}:${address.port}`,
    ms,
  );
  if ('socket' in tunnel) return readCertificate(address, tunnel.socket, ca, ms);
  if ('problem' in tunnel)
    return failed(
      'certificate',
      t('The proxy {0} does not open a connection: {1}.', proxy.label, tunnel.problem),
      t('Check whether {0} specifies an HTTP proxy.', proxy.setBy),
    );
  const said =
    tunnel.reason === '' ? t('status {0}', tunnel.status) : t('status {0}, {1}', tunnel.status, tunnel.reason);
  // VS Code may be able to sign in to the proxy. The next step shows whether it can.
  if (tunnel.status === 407)
    return warning(
      'certificate',
      t('Not checked: the proxy {0} requires a sign-in ({1}).', proxy.label, said),
      proxySignIn(proxy),
    );
  if (tunnel.status === 403)
    return failed(
      'certificate',
      t('The proxy {0} blocks connections to {1} ({2}).', proxy.label, visibleLine(address.hostname), said),
      t('The administrator of the proxy must allow this host. If the host needs no proxy, add it to "http.noProxy".'),
    );
  return failed(
    'certificate',
    t(
      'The proxy {0} cannot reach {1}, port {2} ({3}).',
      proxy.label,
      visibleLine(address.hostname),
      address.port,
      said,
    ),
    t('Check the host and the port in "url". If the host needs no proxy, add it to "http.noProxy".'),
  );
}

/** The next step if a proxy requires a sign-in. */
export function proxySignIn(proxy: Proxy | undefined): string {
  return proxy
    ? t('Correct the user name and the password of the proxy in {0}.', proxy.setBy)
    : t('Set the proxy with its user name and password in "http.proxy".');
}

function readCertificate(
  { hostname, port }: RemoteAddress,
  tunnel: net.Socket | undefined,
  ca: string | undefined,
  ms: number,
): Promise<Check> {
  return attempt<Check>(ms, (end) => {
    const name = net.isIP(hostname) ? {} : { servername: hostname };
    const socket = tls.connect({
      host: hostname,
      port,
      rejectUnauthorized: false,
      ...name,
      ...(tunnel ? { socket: tunnel } : {}),
      ...(ca === undefined ? {} : { ca }),
    });
    socket.once('secureConnect', () => {
      const { subject, issuer, subjectaltname: names, valid_to: until } = socket.getPeerCertificate();
      const whose = t(
        'The certificate is for {0}, issued by {1}, valid until {2}',
        visibleLine(one(subject?.CN) ?? names ?? t('no name')),
        visibleLine(one(issuer?.CN) ?? one(issuer?.O) ?? t('no name')),
        visibleLine(until ?? '?'),
      );
      // Despite the type in its declaration, this value is a string if the certificate chain is invalid, and an error
      // if the name does not match.
      const problem = socket.authorized ? undefined : codeOr(socket.authorizationError);
      end(
        problem === undefined
          ? ok('certificate', t('{0}.', whose))
          : failed(
              'certificate',
              t('{0}. The certificate is not trusted ({1}).', whose, visibleLine(problem)),
              certificateFix(problem, visibleLine(names ?? '', 200), ca),
            ),
      );
    });
    socket.once('error', (error) =>
      end(
        failed(
          'certificate',
          t('The secure connection failed: {0}.', visibleLine(messageOf(error))),
          t('The server might use plain HTTP on this port. If so, use http:// in "url".'),
        ),
      ),
    );
    return {
      cancel: () => {
        socket.destroy();
        tunnel?.destroy();
      },
      late: () =>
        failed(
          'certificate',
          t('The secure connection was not established within {0}.', seconds(ms)),
          t('Check whether the port is used for something other than HTTPS.'),
        ),
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
  if (/ALTNAME/.test(problem))
    return t(
      'The certificate is for a different host name. Use that name in "url"{0}.',
      names === '' ? '' : ` (${names})`,
    );
  if (/EXPIRED/.test(problem)) return t('The certificate has expired. The operator of the server must renew it.');
  if (/NOT_YET_VALID/.test(problem)) return t('The certificate is not valid yet. Check the clock of this machine.');
  if (ca !== undefined)
    return t(
      'The certificate in "caFile" did not sign the certificate of the server. Replace it with the certificate of the correct authority, in PEM format.',
    );
  if (/^DEPTH_ZERO_SELF_SIGNED/.test(problem))
    return t(
      'The certificate of the server is self-signed. Save this certificate as a PEM file, and specify the file in "caFile" of this server. The check cannot be turned off.',
    );
  return t(
    'Save the certificate of the authority as a PEM file, and specify the file in "caFile" of this server. The check cannot be turned off.',
  );
}

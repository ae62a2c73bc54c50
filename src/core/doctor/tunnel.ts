/** A connection through an HTTP proxy (RFC 9110, CONNECT), which is used to check the server behind the proxy. */
import net from 'node:net';
import tls from 'node:tls';
import { t } from '@vscode/l10n';
import { visibleLine } from '../base/hostileText.js';
import { attempt, codeOf, seconds } from './attempt.js';
import type { Proxy } from './proxy.js';

export type Tunnel = { socket: net.Socket } | { status: number; reason: string } | { problem: string };

const maxHeadBytes = 16 * 1024;

/** Connects to `target` (host:port); the caller closes the socket. */
export async function openTunnel(proxy: Proxy, target: string, ms: number): Promise<Tunnel> {
  const { hostname: host, port, authorization } = proxy;
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  const socket = proxy.protocol === 'https:' ? tls.connect({ host, port, ...servername }) : net.connect({ host, port });
  const tunnel = await attempt<Tunnel>(ms, (end) => {
    let head = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const text = head.toString('latin1');
      const isWhole = text.includes('\r\n\r\n');
      if (!isWhole && head.length < maxHeadBytes) return;
      socket.off('data', read);
      const [, status = '0', reason = ''] = /^HTTP\/1\.[01] (\d{3}) ?([^\r\n]*)/.exec(text) ?? [];
      if (!isWhole || status === '0') end({ problem: t('its response is not HTTP') });
      else if (status.startsWith('2')) end({ socket });
      else end({ status: Number(status), reason: visibleLine(reason, 80) });
    };
    socket.on('data', read);
    socket.on('error', (error) => end({ problem: codeOf(error) }));
    socket.once('close', () => end({ problem: t('it closed the connection') }));
    socket.write(
      `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`}\r\n`,
    );
    return { cancel: () => undefined, late: () => ({ problem: t('it did not respond within {0}', seconds(ms)) }) };
  });
  if (!('socket' in tunnel)) socket.destroy();
  return tunnel;
}

/** An address that no request may reach: separate TCP and UDP ports, and a record of what arrived. */
import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Trap {
  readonly tcpPort: number;
  readonly udpPort: number;
  /** One entry per connection and per datagram. */
  readonly reached: string[];
  /** Resolves when the first datagram has arrived. */
  readonly datagram: Promise<unknown>;
  close(): void;
}

export async function openTrap(): Promise<Trap> {
  const reached: string[] = [];
  const tcp = createServer((socket) => {
    reached.push('a TCP connection');
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => reached.push(`TCP: ${bytes.toString('latin1').split('\r\n', 1)[0] ?? ''}`));
  });
  const udp = createSocket('udp4');
  const datagram = once(udp, 'message');
  udp.on('message', (bytes: Buffer) => reached.push(`UDP: ${bytes.length} bytes`));
  tcp.listen(0, '127.0.0.1');
  udp.bind(0, '127.0.0.1');
  await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
  return {
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort: udp.address().port,
    reached,
    datagram,
    close: () => {
      tcp.close();
      udp.close();
    },
  };
}

/**
 * A network between a host and one server that a test can break: a TCP relay to a port of this machine. It does not
 * depend on time: held data continues when the test releases it.
 */
import type { AddressInfo, Server, Socket } from 'node:net';
import net from 'node:net';

type Mode = 'open' | 'silent' | 'held';

interface Pair {
  client: Socket;
  server: Socket;
  /** Held bytes of both directions, in order. */
  held: (() => void)[];
  /** This connection passes nothing any more, and neither end is notified. */
  isDead: boolean;
}

export class BrokenNetwork {
  /** Number of connections that clients opened so far. */
  connections = 0;
  private mode: Mode = 'open';
  /** Number of response bytes that still pass before all connections break. */
  bytesLeft = Infinity;
  private readonly pairs = new Set<Pair>();
  private server: Server | undefined;
  private fixedPort = 0;

  private constructor(private readonly target: number) {}

  /** A relay to `target`, a port of 127.0.0.1. */
  static async start(target: number): Promise<BrokenNetwork> {
    const network = new BrokenNetwork(target);
    await network.listen();
    return network;
  }

  get port(): number {
    return this.fixedPort;
  }

  /** Simulates an unplugged cable: connections break, new ones are refused. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    this.breakAll();
    await closed;
  }

  /** Simulates packet loss: connections look open and new ones are accepted, but no data passes. */
  silence(): void {
    this.mode = 'silent';
    for (const pair of this.pairs) pair.isDead = true;
  }

  /** Holds all data until `mend`. */
  hold(): void {
    this.mode = 'held';
  }

  /** Passes `bytes` of responses, then breaks all connections at that point. */
  truncateAfter(bytes: number): void {
    this.bytesLeft = bytes;
  }

  /** New connections work again, and held data continues. Lost data stays lost. */
  async mend(): Promise<void> {
    this.mode = 'open';
    this.bytesLeft = Infinity;
    for (const pair of this.pairs) for (const go of pair.held.splice(0)) go();
    if (!this.server) await this.listen();
  }

  async close(): Promise<void> {
    await this.cut();
  }

  private listen(): Promise<void> {
    const server = net.createServer((client) => this.accept(client));
    this.server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.fixedPort, '127.0.0.1', () => {
        this.fixedPort = (server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  private accept(client: Socket): void {
    this.connections++;
    const server = net.connect(this.target, '127.0.0.1');
    const pair: Pair = { client, server, held: [], isDead: this.mode === 'silent' };
    this.pairs.add(pair);
    const end = () => {
      this.pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', end);
    }
    // A dead connection does not report the end of one side to the other.
    client.on('close', () => (pair.isDead ? this.pairs.delete(pair) : end()));
    server.on('close', () => (pair.isDead ? undefined : end()));
    client.on('data', (chunk: Buffer) => this.carry(pair, () => server.write(chunk)));
    server.on('data', (chunk: Buffer) => this.carry(pair, () => this.answer(client, chunk)));
  }

  private carry(pair: Pair, go: () => void): void {
    if (pair.isDead) return;
    if (this.mode === 'held') pair.held.push(go);
    else go();
  }

  private answer(client: Socket, chunk: Buffer): void {
    const part = chunk.subarray(0, this.bytesLeft);
    this.bytesLeft -= part.length;
    if (this.bytesLeft > 0) {
      client.write(part);
      return;
    }
    // Flushes the last bytes before the connection breaks.
    client.write(part, () => this.breakAll());
  }

  private breakAll(): void {
    for (const { client, server } of [...this.pairs]) {
      client.resetAndDestroy();
      server.destroy();
    }
    this.pairs.clear();
  }
}

/**
 * A network between a host and one server that a test can break: a TCP way to a port of this machine. Nothing in it
 * depends on time; what is held back goes on when the test says so.
 */
import type { AddressInfo, Server, Socket } from 'node:net';
import net from 'node:net';

type Mode = 'open' | 'silent' | 'held';

interface Pair {
  client: Socket;
  server: Socket;
  /** Bytes of both directions that wait, in their order. */
  held: (() => void)[];
  /** Nothing goes through this connection any more, and neither end is told. */
  isDead: boolean;
}

export class BrokenNetwork {
  /** Connections that clients opened so far. */
  connections = 0;
  private mode: Mode = 'open';
  /** How many bytes of answers still go through before everything breaks. */
  bytesLeft = Infinity;
  private readonly pairs = new Set<Pair>();
  private server: Server | undefined;
  private fixedPort = 0;

  private constructor(private readonly target: number) {}

  /** A way to `target`, a port of 127.0.0.1. */
  static async start(target: number): Promise<BrokenNetwork> {
    const network = new BrokenNetwork(target);
    await network.listen();
    return network;
  }

  get port(): number {
    return this.fixedPort;
  }

  /** The cable is pulled: connections break, new ones are refused. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    this.breakAll();
    await closed;
  }

  /** Packets are lost: connections look open, new ones are accepted, and nothing ever comes through. */
  silence(): void {
    this.mode = 'silent';
    for (const pair of this.pairs) pair.isDead = true;
  }

  /** What is sent waits. */
  hold(): void {
    this.mode = 'held';
  }

  /** Lets `bytes` of answers through, then breaks all connections in the middle of whatever it is. */
  truncateAfter(bytes: number): void {
    this.bytesLeft = bytes;
  }

  /** Everything works again for new connections; what was held goes on, what was lost is lost. */
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
    // A dead way tells neither end that the other has gone.
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
    // The last bytes leave before the connection breaks.
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

import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What is written to: a response, or the socket of a WebSocket. */
type Outlet = ServerResponse | Duplex;

/**
 * Limits the data that clients have not read yet, over all responses and WebSockets of a server. Above the limit, the
 * connections that have waited longest are closed.
 */
export class UnsentBytes {
  /**
   * The number of unsent bytes of each open response at its last write. Responses that have waited longest are first.
   */
  private readonly sizes = new Map<Outlet, number>();
  private total = 0;

  /** @param maxBytes the newest response may exceed it, so that a large answer can be sent. */
  constructor(private readonly maxBytes: number) {}

  /** Called after each write to a response. */
  wrote(response: Outlet): void {
    const size = response.writableLength;
    const before = this.sizes.get(response);
    if (before === undefined) {
      // The operating system has taken everything, which is the usual case.
      if (size === 0) return;
      response.once('close', () => {
        this.set(response, 0);
        this.sizes.delete(response);
      });
    } else if (before === 0) this.sizes.delete(response);
    this.set(response, size);
    if (this.total > this.maxBytes) this.makeRoom(response);
  }

  private makeRoom(newest: Outlet): void {
    // Clients may have read data since the sizes were recorded.
    for (const response of [...this.sizes.keys()]) this.set(response, response.writableLength);
    for (const [response, size] of [...this.sizes]) {
      if (this.total <= this.maxBytes) return;
      if (response === newest || size === 0) continue;
      this.set(response, 0);
      ('req' in response ? response.req.socket : response).destroy();
    }
  }

  private set(response: Outlet, size: number): void {
    this.total += size - (this.sizes.get(response) ?? 0);
    this.sizes.set(response, size);
  }
}

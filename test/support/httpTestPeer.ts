import { HostError } from '../../src/core/base/hostError.js';
import type { Transport, TransportSink } from '../../src/core/transport/transport.js';

/** A minimal session for tests of a transport: ids, answers, and everything else that the transport reported. */
export class HttpTestPeer implements TransportSink {
  /** All messages received, including those that answer no request. */
  readonly messages: any[] = [];
  readonly warnings: string[] = [];
  /** Failures reported after a request had ended, which is an error. */
  readonly lateFailures: Error[] = [];
  closes: (Error | undefined)[] = [];
  private nextId = 1;
  private readonly pending = new Map<unknown, { resolve: (value: any) => void; reject: (error: Error) => void }>();

  constructor(readonly transport: Transport) {}

  onMessage(message: any): void {
    this.messages.push(message);
    for (const item of Array.isArray(message) ? message : [message]) {
      if (item?.method !== undefined) continue;
      const request = this.pending.get(item?.id);
      this.pending.delete(item?.id);
      if (item?.error)
        request?.reject(Object.assign(new Error(item.error.message), { code: item.error.code, data: item.error.data }));
      else request?.resolve(item?.result);
    }
  }

  onClose(reason?: Error): void {
    this.closes.push(reason);
    for (const { reject } of this.pending.values()) reject(reason ?? new HostError('closed', 'closed'));
    this.pending.clear();
  }

  onWarning(line: string): void {
    this.warnings.push(line);
  }

  /** The id of the next request. */
  get upcomingId(): number {
    return this.nextId;
  }

  request(method: string, params: unknown = {}, headers?: Record<string, string>): Promise<any> {
    const id = this.nextId++;
    const answer = new Promise<any>((resolve, reject) => this.pending.set(id, { resolve, reject }));
    // The test asserts its failure later; this prevents an unhandled rejection until then.
    answer.catch(() => undefined);
    this.transport.send({
      text: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      id,
      method,
      headers,
      fail: (error) => {
        const request = this.pending.get(id);
        this.pending.delete(id);
        if (request) request.reject(error);
        else this.lateFailures.push(error);
      },
    });
    return answer;
  }

  notify(method: string): Promise<Error | undefined> {
    return new Promise((resolve) => {
      this.transport.send({ text: JSON.stringify({ jsonrpc: '2.0', method }), method, fail: resolve });
      setImmediate(() => resolve(undefined));
    });
  }

  /** Opens the transport and does the handshake of the legacy era. */
  async connect(signal?: AbortSignal): Promise<this> {
    await this.transport.open(this, signal);
    const result = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    this.transport.handshakeDone?.(result.protocolVersion);
    void this.notify('notifications/initialized');
    return this;
  }
}

import { HostError } from '../../base/hostError.js';
import type { Outgoing } from '../../protocol/jsonRpc.js';
import type { MessageCall } from './callsInFlight.js';
import { HttpCall } from './httpCall.js';
import type { HttpClient } from './httpClient.js';

/** A message that is sent in its own POST. Subclasses define how the answer arrives. */
export abstract class SentCall extends HttpCall implements MessageCall {
  readonly id: number;
  sweptAt: number | undefined;
  wasSeen = false;
  protected isAnswered = false;

  constructor(
    client: HttpClient,
    readonly message: Outgoing,
  ) {
    super(client, 'POST', message.text);
    this.id = message.id ?? 0;
  }

  expire(): void {
    if (this.isAnswered) this.cancel();
    else
      this.fail(
        new HostError('timeout', `The server did not accept ${this.what} in time.`, {
          data: { why: 'not-accepted', method: this.message.method, request: this.what },
        }),
      );
  }

  protected override get what(): string {
    return this.message.method ?? 'an answer';
  }

  /** False for a tool call, because it may have side effects and must not run twice (security requirement H3). */
  protected override get isRepeatable(): boolean {
    return this.message.method !== 'tools/call';
  }

  protected override onFail(error: HostError): void {
    if (!this.isAnswered) this.message.fail?.(error);
  }
}

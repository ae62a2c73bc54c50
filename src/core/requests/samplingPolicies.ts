import { Emitter } from '../base/event.js';
import { isObject } from '../base/guards.js';
import type { StateStore } from '../base/stores.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { stateKeys } from '../base/stores.js';

/**
 * `ask`: the user sees each request and each answer. `allow`: the user sees neither, until the limit `unattended` is
 * reached. `never`: requests are refused at once.
 */
export type SamplingPolicy = 'ask' | 'allow' | 'never';

interface Remembered {
  policy?: SamplingPolicy;
  model?: string;
}

/**
 * The user's decisions about sampling, per server. A decision is bound to the hash of the definition, so that the user
 * is asked again about a changed definition.
 */
export class SamplingPolicies {
  private readonly decided = new Emitter<void>();
  /** Fired when the user has decided about a server. */
  readonly onDidSetPolicy = this.decided.event;

  constructor(private readonly state: StateStore) {}

  /** The decision of the user; `ask` if the user has not decided. */
  policy(entry: ServerEntry): SamplingPolicy {
    const { policy } = this.remembered(entry);
    return policy === 'allow' || policy === 'never' ? policy : 'ask';
  }

  async setPolicy(entry: ServerEntry, policy: SamplingPolicy): Promise<void> {
    await this.remember(entry, { ...this.remembered(entry), policy });
    this.decided.fire();
  }

  /** ID of the model that the user last selected for this server. */
  model(entry: ServerEntry): string | undefined {
    const { model } = this.remembered(entry);
    return typeof model === 'string' ? model : undefined;
  }

  setModel(entry: ServerEntry, model: string): Promise<void> {
    return this.remember(entry, { ...this.remembered(entry), model });
  }

  private all(): Record<string, unknown> {
    const stored = this.state.get(stateKeys.sampling);
    return isObject(stored) ? stored : {};
  }

  private remembered({ hash }: ServerEntry): Remembered {
    const stored = this.all()[hash];
    return isObject(stored) ? stored : {};
  }

  private remember({ hash }: ServerEntry, value: Remembered): Promise<void> {
    return this.state.set(stateKeys.sampling, { ...this.all(), [hash]: value });
  }
}

import { isObject } from '../../../core/base/guards.js';
import { isCancelled } from '../../../core/base/hostError.js';
import { stateKeys } from '../../../core/base/stores.js';
import type { StateStore } from '../../../core/base/stores.js';
import type { Audit } from '../../../core/consent/audit.js';
import type { ClientApprovals, ClientClaim } from '../../../core/gateway/gatewayClients.js';
import type { RequestQueue } from '../../../core/requests/requestQueue.js';

interface Stored {
  name: string;
  preset?: string;
}

/** Maximum number of stored approvals; the oldest ones are removed. */
const maxApprovals = 100;

/**
 * The clients of the gateway that the user has approved in this workspace. A client that chose a preset is approved for
 * this preset only.
 */
export class AgentApprovals implements ClientApprovals {
  private approved: readonly Stored[];

  constructor(
    private readonly state: StateStore,
    private readonly queue: Pick<RequestQueue, 'askAgent'>,
    private readonly audit: Audit,
  ) {
    const stored = state.get(stateKeys.agents);
    // A lost approval asks again.
    this.approved = Array.isArray(stored) ? stored.filter(isStored) : [];
  }

  get list(): readonly Stored[] {
    return this.approved;
  }

  isApproved(claim: ClientClaim): boolean {
    return this.approved.some((one) => isSame(one, claim));
  }

  async ask({ name, version, preset }: ClientClaim, signal: AbortSignal): Promise<boolean> {
    const claim = { name, ...(preset === undefined ? {} : { preset }) };
    try {
      const isAllowed = await this.queue.askAgent({ ...claim, ...(version === undefined ? {} : { version }) }, signal);
      this.audit.note({ event: 'agent', client: name, outcome: isAllowed ? 'allowed' : 'refused' });
      if (isAllowed) await this.save([...this.approved.filter((one) => !isSame(one, claim)), claim]);
      return isAllowed;
    } catch (error) {
      if (isCancelled(error)) this.audit.note({ event: 'agent', client: name, outcome: 'left' });
      throw error;
    }
  }

  async forget(name: string): Promise<void> {
    this.audit.note({ event: 'agent', client: name, outcome: 'forgotten' });
    await this.save(this.approved.filter((one) => one.name !== name));
  }

  private async save(approved: readonly Stored[]): Promise<void> {
    this.approved = approved.slice(-maxApprovals);
    await this.state.set(stateKeys.agents, this.approved);
  }
}

function isSame(one: Stored, { name, preset }: ClientClaim): boolean {
  return one.name === name && one.preset === preset;
}

function isStored(value: unknown): value is Stored {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    (value['preset'] === undefined || typeof value['preset'] === 'string')
  );
}

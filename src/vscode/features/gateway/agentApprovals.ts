import { isObject } from '../../../core/base/guards.js';
import { isCancelled } from '../../../core/base/hostError.js';
import { stateKeys } from '../../../core/base/stores.js';
import type { StateStore } from '../../../core/base/stores.js';
import type { Audit } from '../../../core/consent/audit.js';
import type { ClientApprovals, ClientClaim } from '../../../core/gateway/gatewayClients.js';
import type { Preset } from '../../../core/presets/presetFile.js';
import { isWithin } from '../../../core/presets/presetFile.js';
import { isActivePreset } from '../../../core/presets/storedSwitches.js';
import type { RequestQueue } from '../../../core/requests/requestQueue.js';
import type { PresetSource } from '../../ui/services.js';

/**
 * The approval of a client. If the client selects a preset in its URL, contains the content of the preset at the time
 * of the approval.
 */
interface Approval {
  name: string;
  preset?: Preset;
  /** The app whose entry the client used, if "Connect Agent…" approved it. */
  app?: string;
}

/** Time within which a connected app must use its approval for the first time, in milliseconds: one day. */
const firstUseMs = 24 * 60 * 60 * 1_000;

/** Maximum number of stored approvals; the oldest ones are removed. */
const maxApprovals = 100;

/**
 * The clients of the gateway that the user has approved in this workspace. The approval of a client with a preset
 * becomes invalid when the preset is edited so that it enables more servers or tools. "Connect Agent…" approves an app
 * before the app has stated its name as a client. The first client that uses the entry of the app is then approved
 * under the name that it states.
 */
export class AgentApprovals implements ClientApprovals {
  private approved: readonly Approval[];
  /**
   * Connected apps that have not used the gateway yet, each with the end of the time in which its first client is
   * approved without asking, in milliseconds since the epoch.
   */
  private expected: Readonly<Record<string, number>>;

  constructor(
    private readonly state: StateStore,
    private readonly queue: Pick<RequestQueue, 'askAgent'>,
    private readonly audit: Audit,
    private readonly presets: Pick<PresetSource, 'presets' | 'refresh'>,
    private readonly now: () => number = Date.now,
  ) {
    const stored = state.get(stateKeys.agents);
    // If an approval is lost, the user is asked again.
    this.approved = Array.isArray(stored) ? stored.filter(isApproval) : [];
    const expected = state.get(stateKeys.expectedAgents);
    this.expected = isObject(expected)
      ? Object.fromEntries(
          Object.entries(expected).filter((one): one is [string, number] => typeof one[1] === 'number'),
        )
      : {};
  }

  get list(): readonly ClientClaim[] {
    return this.approved.map(({ name, preset }) => ({ name, ...(preset ? { preset: preset.name } : {}) }));
  }

  /** Called when the user has connected an app. The first client of the app within a day is approved without asking. */
  expect(app: string): Promise<void> {
    return this.saveExpected({ ...this.expected, [app]: this.now() + firstUseMs });
  }

  /** Removes the approvals of connected apps that have not used the gateway yet. */
  unexpectAll(): Promise<void> {
    return this.saveExpected({});
  }

  /**
   * The user has disconnected an app. Removes the approvals that connecting it gave. Returns the names of their
   * clients.
   */
  async disconnect(app: string): Promise<readonly string[]> {
    const names = this.approved.filter((one) => one.app === app).map(({ name }) => name);
    for (const name of names) this.audit.note({ event: 'agent', client: name, outcome: 'forgotten', app });
    await this.unexpect(app);
    if (names.length > 0) await this.save(this.approved.filter((one) => one.app !== app));
    return names;
  }

  /** An approved client uses the entry of this app. Another client of the entry needs an approval. */
  connected(app: string): void {
    if (Object.hasOwn(this.expected, app)) void this.unexpect(app);
  }

  private unexpect(app: string): Promise<void> {
    return this.saveExpected(Object.fromEntries(Object.entries(this.expected).filter(([one]) => one !== app)));
  }

  isApproved(claim: ClientClaim): boolean {
    const approval = this.find(claim);
    if (!approval?.preset) return approval !== undefined;
    const written = this.written(approval.preset.name);
    return !written || isWithin(written, approval.preset);
  }

  /**
   * The reason why a client is refused without asking: its preset does not exist. The files are read again first,
   * because the file watcher reports an edit with a delay.
   */
  refusal({ name, preset }: ClientClaim): Promise<string | undefined> | undefined {
    if (preset === undefined || this.presetFor(name, preset)) return undefined;
    const text = `There is no preset "${preset.slice(0, 100)}" in .vscode/mcp-deck.json.`;
    return this.presets.refresh().then(() => (this.presetFor(name, preset) ? undefined : text));
  }

  /**
   * The preset as its file defines it now. If the file enables more servers or tools than the user approved, the
   * approved preset. Undefined if no file contains the preset.
   */
  presetFor(name: string, preset: string): Preset | undefined {
    const written = this.written(preset);
    const approved = this.find({ name, preset })?.preset;
    return !written || !approved || isWithin(written, approved) ? written : approved;
  }

  async ask({ name, version, preset, app }: ClientClaim, signal: AbortSignal): Promise<boolean> {
    if (app !== undefined && preset === undefined && this.isExpected(app)) {
      await this.unexpect(app);
      await this.approve({ name, app });
      return true;
    }
    const chosen = preset === undefined ? undefined : this.written(preset);
    try {
      const isAllowed = await this.queue.askAgent(
        {
          name,
          ...(version === undefined ? {} : { version }),
          ...(chosen ? { preset: chosen } : {}),
        },
        signal,
      );
      if (isAllowed) await this.approve({ name, ...(chosen ? { preset: chosen } : {}) });
      else this.audit.note({ event: 'agent', client: name, outcome: 'refused' });
      return isAllowed;
    } catch (error) {
      if (isCancelled(error)) this.audit.note({ event: 'agent', client: name, outcome: 'left' });
      throw error;
    }
  }

  async forget(name: string): Promise<void> {
    this.audit.note({ event: 'agent', client: name, outcome: 'forgotten' });
    // An approval that was not used yet could be used by this client.
    await this.unexpectAll();
    await this.save(this.approved.filter((one) => one.name !== name));
  }

  private approve(approval: Approval): Promise<void> {
    const { name, preset, app } = approval;
    this.audit.note({ event: 'agent', client: name, outcome: 'allowed', ...(app === undefined ? {} : { app }) });
    return this.save([
      ...this.approved.filter((one) => one.name !== name || one.preset?.name !== preset?.name),
      approval,
    ]);
  }

  private isExpected(app: string): boolean {
    return Object.hasOwn(this.expected, app) && (this.expected[app] ?? 0) > this.now();
  }

  private find({ name, preset }: ClientClaim): Approval | undefined {
    return this.approved.find((one) => one.name === name && one.preset?.name === preset);
  }

  private written(name: string): Preset | undefined {
    return this.presets.presets.find((preset) => preset.name === name);
  }

  private async saveExpected(expected: Readonly<Record<string, number>>): Promise<void> {
    this.expected = expected;
    await this.state.set(stateKeys.expectedAgents, expected);
  }

  private async save(approved: readonly Approval[]): Promise<void> {
    this.approved = approved.slice(-maxApprovals);
    await this.state.set(stateKeys.agents, this.approved);
  }
}

function isApproval(value: unknown): value is Approval {
  if (!isObject(value) || typeof value['name'] !== 'string') return false;
  const { preset, app } = value;
  if (app !== undefined && typeof app !== 'string') return false;
  return preset === undefined || (preset !== null && isActivePreset(preset));
}

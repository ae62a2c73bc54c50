/** The clients of a gateway: which have connected, and which the user has approved. */
import type { CallSignal } from '../base/lightAbort.js';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { HostError } from '../base/hostError.js';
import { visibleClientName, visibleName } from '../base/visibleName.js';
import { untilAborted } from '../base/withTimeLimit.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { Implementation } from '../protocol/mcp.js';
import type { Revision } from '../protocol/revisions.js';
import type { ArrivedClient, ClientGate, ConnectionInfo } from '../serving/clientGate.js';

/** The name and version that a client states, and the preset in its URL. Both are unverified. */
export interface ClientClaim {
  /** Escaped and bounded. */
  name: string;
  version?: string;
  /** The preset as in the URL, limited in length. Escape it before display. */
  preset?: string;
}

/** A client that used the gateway since it was started. */
export interface GatewayClient extends ClientClaim {
  revision: Revision;
  /** The kind of connection: `http` or `stdio`. */
  transport: string;
  state: 'approved' | 'waiting' | 'refused';
  /** Number of calls, reads and prompts. */
  calls: number;
  /** Time of the last request, in milliseconds since the epoch. */
  lastSeenAt: number;
}

/** The user's decisions about clients. */
export interface ClientApprovals {
  isApproved(claim: ClientClaim): boolean;
  /**
   * Undefined if nothing speaks against the client. Otherwise, checks again, and resolves to the reason for a refusal, or
   * to undefined if there is none.
   */
  refusal?(claim: ClientClaim): Promise<string | undefined> | undefined;
  /** Asks the user, and stores an approval. Rejects when the question was dismissed or withdrawn. */
  ask(claim: ClientClaim, signal: AbortSignal): Promise<boolean>;
}

export interface GatewayClientsOptions {
  approvals: ClientApprovals;
  /** Called before the first request of an approved client. The request waits until it has settled. */
  prepare: () => Promise<void>;
  clock?: Clock;
}

/** Maximum number of clients that are remembered. The oldest one is removed first. */
const maxClients = 100;

/** Maximum number of clients that wait for the user at the same time. */
const maxWaiting = 5;

/** How long a request waits for the user's decision about its client, in milliseconds. Clients wait 30 seconds or more. */
const patienceMs = 20_000;

/** Maximum number of requests that wait for the user's decision at the same time. */
const maxWaitingRequests = 64;
/** Maximum size of such a request, bytes. */
const maxWaitingBytes = 64 * 1024;

/** Maximum length of a preset's name, in characters. The names of presets are never longer. */
const maxPresetLength = 100;

/** The name that a client states, for display and for rules; unverified, escaped, at most 60 characters. */
export function clientName(client: Implementation | undefined): string {
  return visibleClientName(client?.name ?? '');
}

/** The preset that a client chose in the URL, as in `/mcp?preset=review`. A name that is too long ends with "…". */
export function presetOf(query: string): string | undefined {
  const name = query === '' ? undefined : (new URLSearchParams(query).get('preset') ?? undefined);
  return name === undefined || name.length <= maxPresetLength ? name : `${name.slice(0, maxPresetLength)}…`;
}

export class GatewayClients implements ClientGate, Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly approved = new Emitter<void>();
  /** Fired when the user has approved a client. */
  readonly onDidApprove = this.approved.event;
  private readonly forgotten = new Emitter<string>();
  /** Fired with the name of the clients that the user has forgotten. */
  readonly onDidForget = this.forgotten.event;
  private readonly known = new Map<string, GatewayClient>();
  private readonly questions = new Map<string, Promise<boolean>>();
  private readonly refused = new Set<string>();
  private readonly end = new AbortController();
  private readonly clock: Clock;
  private ready: Promise<void> | undefined;
  private isReady = false;
  private waitingRequests = 0;

  constructor(private readonly options: GatewayClientsOptions) {
    this.clock = options.clock ?? systemClock;
  }

  /** The clients in the order in which they first connected. */
  get list(): readonly GatewayClient[] {
    return [...this.known.values()];
  }

  arrived(arrived: ArrivedClient): void {
    const client = this.note(arrived);
    const check = this.options.approvals.refusal?.(client);
    if (check === undefined) void this.decisionAbout(client);
    else
      void check.then((refusal) => {
        if (refusal === undefined) void this.decisionAbout(client);
      });
  }

  admit(arrived: ArrivedClient, signal: CallSignal, size = 0): Promise<void> | undefined {
    const client = this.note(arrived);
    return (
      this.options.approvals.refusal?.(client)?.then((refusal) => {
        if (refusal !== undefined) throw new ProtocolError(ErrorCode.invalidParams, refusal);
        return this.decided(client, signal, size);
      }) ?? this.decided(client, signal, size)
    );
  }

  isAdmitted(client: Implementation | undefined, { query }: ConnectionInfo): boolean {
    const preset = presetOf(query);
    return this.options.approvals.isApproved({ name: clientName(client), ...(preset === undefined ? {} : { preset }) });
  }

  private decided(client: GatewayClient, signal: CallSignal, size: number): Promise<void> | undefined {
    const decision = this.decisionAbout(client);
    if (decision === true && this.isReady) return undefined;
    // Requests that wait are kept in memory, so only a few small ones wait. The user is asked in any case.
    const mayWait = size <= maxWaitingBytes && this.waitingRequests < maxWaitingRequests;
    const decided =
      decision === true
        ? Promise.resolve()
        : this.untilDecided(client, mayWait || decision === false ? decision : undefined, signal);
    return decided
      .then(() => untilAborted(this.prepared(), signal))
      .then(() => {
        // Meanwhile, the preset may turn on more after an edit, or the user may have forgotten the client.
        const later = this.decisionAbout(client);
        if (later !== true) throw notAllowed(client, later === false ? false : undefined);
      });
  }

  /** Counts a call of a client. */
  count(arrived: ArrivedClient): void {
    this.note(arrived).calls++;
    this.changed.fire();
  }

  /** Removes the clients of this name and ends their sessions. Their next request asks the user again. */
  forget(name: string): void {
    for (const [key, client] of [...this.known]) {
      if (client.name !== name) continue;
      this.refused.delete(claimKey(client));
      this.known.delete(key);
    }
    this.forgotten.fire(name);
    this.changed.fire();
  }

  dispose(): void {
    this.end.abort(new HostError('cancelled', 'The gateway was stopped.'));
    this.changed.dispose();
    this.approved.dispose();
    this.forgotten.dispose();
  }

  private prepared(): Promise<void> {
    return (this.ready ??= this.options.prepare().then(() => void (this.isReady = true)));
  }

  private note({ client, revision, connectionInfo }: ArrivedClient): GatewayClient {
    const name = clientName(client);
    const version = typeof client?.version === 'string' ? visibleName(client.version, 30) : '';
    const preset = presetOf(connectionInfo.query);
    const key = JSON.stringify([name, revision, connectionInfo.transport, preset]);
    const known = this.known.get(key);
    const now = Date.now();
    if (known) {
      known.lastSeenAt = now;
      return known;
    }
    const added: GatewayClient = {
      name,
      ...(version === '' ? {} : { version }),
      ...(preset === undefined ? {} : { preset }),
      revision,
      transport: connectionInfo.transport,
      state: 'waiting',
      calls: 0,
      lastSeenAt: now,
    };
    this.known.set(key, added);
    const [oldest] = this.known.keys();
    if (this.known.size > maxClients && oldest !== undefined) this.known.delete(oldest);
    this.changed.fire();
    return added;
  }

  /** Whether the client is approved; a promise until the user decides. Undefined if too many clients wait. */
  private decisionAbout(client: GatewayClient): boolean | Promise<boolean> | undefined {
    if (this.options.approvals.isApproved(client)) {
      this.setState(client, 'approved');
      return true;
    }
    const key = claimKey(client);
    if (this.refused.has(key)) {
      this.setState(client, 'refused');
      return false;
    }
    this.setState(client, 'waiting');
    return this.questions.get(key) ?? (this.questions.size < maxWaiting ? this.ask(client, key) : undefined);
  }

  private ask(client: GatewayClient, key: string): Promise<boolean> {
    const question = this.options.approvals.ask(client, this.end.signal).finally(() => this.questions.delete(key));
    this.questions.set(key, question);
    question.then(
      (isAllowed) => {
        if (!isAllowed) this.refused.add(key);
        this.setState(client, isAllowed ? 'approved' : 'refused');
        if (isAllowed) this.approved.fire();
      },
      // The question was dismissed, so the next request of the client asks again.
      () => undefined,
    );
    return question;
  }

  private setState(client: GatewayClient, state: GatewayClient['state']): void {
    if (client.state === state) return;
    client.state = state;
    this.changed.fire();
  }

  private async untilDecided(
    client: GatewayClient,
    decision: false | Promise<boolean> | undefined,
    signal: CallSignal,
  ): Promise<void> {
    let limit: Disposable | undefined;
    let onAbort: (() => void) | undefined;
    const isLate = new Promise<undefined>((resolve) => {
      limit = this.clock.after(patienceMs, () => resolve(undefined));
      onAbort = () => resolve(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    this.waitingRequests++;
    try {
      const isAllowed =
        decision === undefined
          ? undefined
          : await Promise.race([Promise.resolve(decision).catch(() => undefined), isLate]);
      if (isAllowed === true) return;
      throw notAllowed(client, isAllowed);
    } finally {
      this.waitingRequests--;
      limit?.dispose();
      if (onAbort) signal.removeEventListener('abort', onAbort);
    }
  }
}

/** @param isAllowed the decision of the user; undefined if there is none yet. */
function notAllowed({ name }: GatewayClient, isAllowed: false | undefined): ProtocolError {
  return new ProtocolError(
    ErrorCode.invalidRequest,
    isAllowed === false
      ? `The user does not let "${name}" use MCP Deck. To change this, the user selects "Forget Agent" in the Gateway view of VS Code.`
      : `The user has not approved "${name}" yet. The question is in the Requests view of VS Code. Try again after it is answered.`,
  );
}

function claimKey({ name, preset }: ClientClaim): string {
  return JSON.stringify([name, preset]);
}

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
  /** The ID of the app whose entry started the door, as in its query; undefined for clients over HTTP. */
  app?: string;
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
  /** A client of the entry of this app was approved before it connected, so that it needs no other approval. */
  connected?(app: string): void;
  /**
   * Undefined if there is no reason to refuse the client without asking. Otherwise, checks the reason again, and
   * resolves to it, or to undefined if it no longer applies.
   */
  refusal?(claim: ClientClaim): Promise<string | undefined> | undefined;
  /** Asks the user, and stores an approval. Rejects when the question was dismissed or canceled. */
  ask(claim: ClientClaim, signal: AbortSignal): Promise<boolean>;
}

export interface GatewayClientsOptions {
  approvals: ClientApprovals;
  /** Called once, on the first request of an approved client. The request waits until the promise has settled. */
  prepare: () => Promise<void>;
  clock?: Clock;
}

/** Maximum number of clients that are remembered. The oldest one is removed first. */
const maxClients = 100;

/** Maximum number of clients that wait for the user at the same time. */
const maxWaiting = 5;

/** How long a call waits for the user's decision about its client, in milliseconds. Clients wait 30 seconds or more. */
const patienceMs = 20_000;

/**
 * How long lists wait for the decision, in milliseconds from the question. Some clients give a server 10 seconds for
 * its start and its first list, and after an approval the first list also waits 3 seconds for servers (`ServerStarts`).
 * The time is not counted for each request, because a client may request one list after the other.
 */
const listPatienceMs = 5_000;

/** Maximum number of requests that wait for the user's decision at the same time. */
const maxWaitingRequests = 64;
/** Maximum size of a request that waits for the user's decision, bytes. */
const maxWaitingBytes = 64 * 1024;

/** Maximum length of a preset's name, in characters. The names of presets are never longer. */
const maxPresetLength = 100;

/** Maximum length of the ID of an app, in characters. */
const maxAppLength = 100;

/** The name that a client states, for display and for rules; unverified, escaped, at most 60 characters. */
export function clientName(client: Implementation | undefined): string {
  return visibleClientName(client?.name ?? '');
}

/** The preset that a client chose in the URL, as in `/mcp?preset=review`. A name that is too long ends with "…". */
export function presetOf(query: string): string | undefined {
  const name = parameterOf(query, 'preset');
  return name === undefined || name.length <= maxPresetLength ? name : `${name.slice(0, maxPresetLength)}…`;
}

/** The app that the entry of "Connect Agent…" names, as in `/mcp?agent=codex`. */
function agentOf(query: string): string | undefined {
  const app = parameterOf(query, 'agent');
  return app === undefined || app.length > maxAppLength ? undefined : app;
}

function parameterOf(query: string, name: string): string | undefined {
  return query === '' ? undefined : (new URLSearchParams(query).get(name) ?? undefined);
}

/** An open question to the user about a client. */
interface Question {
  decision: Promise<boolean>;
  /** Resolves when lists no longer wait for the decision. */
  isOld: Promise<undefined>;
}

/** A request of a client that is not approved. */
interface Wait {
  signal: CallSignal;
  /** The size of the request, bytes. */
  size: number;
  isList: boolean;
}

export class GatewayClients implements ClientGate, Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly approved = new Emitter<ClientClaim>();
  /** Fired when the user has approved a client. */
  readonly onDidApprove = this.approved.event;
  private readonly forgotten = new Emitter<string>();
  /** Fired with the name of the clients that the user removed with *Forget Agent*. */
  readonly onDidForget = this.forgotten.event;
  private readonly known = new Map<string, GatewayClient>();
  private readonly questions = new Map<string, Question>();
  /** The refused clients, and why: the user denied them, or disconnected their app. */
  private readonly refused = new Map<string, 'denied' | 'disconnected'>();
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
    return this.admission(client, { signal, size, isList: false })?.then((isApproved) => {
      if (!isApproved) throw notApprovedYet(client);
    });
  }

  admitSoon(arrived: ArrivedClient, signal: CallSignal, size = 0): Promise<boolean> | undefined {
    return this.admission(this.note(arrived), { signal, size, isList: true });
  }

  isAdmitted(client: Implementation | undefined, { query }: ConnectionInfo): boolean {
    const preset = presetOf(query);
    return this.options.approvals.isApproved({ name: clientName(client), ...(preset === undefined ? {} : { preset }) });
  }

  /**
   * Resolves to false if there is no decision in time. Rejects if the client is refused. Undefined if the client is
   * approved and the servers are prepared.
   */
  private admission(client: GatewayClient, wait: Wait): Promise<boolean> | undefined {
    return (
      this.options.approvals.refusal?.(client)?.then((refusal) => {
        if (refusal !== undefined) throw new ProtocolError(ErrorCode.invalidParams, refusal);
        return this.decided(client, wait) ?? true;
      }) ?? this.decided(client, wait)
    );
  }

  private decided(client: GatewayClient, wait: Wait): Promise<boolean> | undefined {
    const decision = this.decisionAbout(client);
    return decision === true && this.isReady ? undefined : this.whenDecided(client, decision, wait);
  }

  private async whenDecided(
    client: GatewayClient,
    decision: boolean | Question | undefined,
    wait: Wait,
  ): Promise<boolean> {
    const isApproved = typeof decision === 'object' ? await this.inTime(decision, wait) : decision;
    if (isApproved === true) await untilAborted(this.prepared(), wait.signal);
    // Meanwhile, the preset may turn on more after an edit, or the user may have forgotten the client.
    const later = isApproved === true ? this.decisionAbout(client) : isApproved;
    if (later === false) throw refused(client);
    return later === true;
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

  /**
   * The user has disconnected an app: ends the sessions of the clients of this name, and refuses them without asking,
   * because an agent that is still running connects again at once.
   */
  refuse(name: string): void {
    for (const client of this.known.values()) {
      if (client.name !== name || this.refused.has(claimKey(client))) continue;
      this.refused.set(claimKey(client), 'disconnected');
      this.setState(client, 'refused');
    }
    this.forgotten.fire(name);
  }

  /** The user has connected an app again: the clients that `refuse` refused may connect. */
  allowAgain(app: string): void {
    for (const client of this.known.values()) {
      const key = claimKey(client);
      if (client.app === app && this.refused.get(key) === 'disconnected') this.refused.delete(key);
    }
  }

  dispose(): void {
    this.end.abort(new HostError('cancelled', 'The gateway was stopped.'));
    this.changed.dispose();
    this.approved.dispose();
    this.forgotten.dispose();
  }

  /** Prepares the servers for clients, once (`prepare` of the options). */
  prepared(): Promise<void> {
    return (this.ready ??= this.options.prepare().then(() => void (this.isReady = true)));
  }

  private note({ client, revision, connectionInfo }: ArrivedClient): GatewayClient {
    const name = clientName(client);
    const version = typeof client?.version === 'string' ? visibleName(client.version, 30) : '';
    const preset = presetOf(connectionInfo.query);
    const app = connectionInfo.transport === 'stdio' ? agentOf(connectionInfo.query) : undefined;
    const key = JSON.stringify([name, revision, connectionInfo.transport, preset]);
    const known = this.known.get(key);
    const now = Date.now();
    if (known) {
      known.lastSeenAt = now;
      if (app === undefined) delete known.app;
      else known.app = app;
      return known;
    }
    const added: GatewayClient = {
      name,
      ...(version === '' ? {} : { version }),
      ...(preset === undefined ? {} : { preset }),
      ...(app === undefined ? {} : { app }),
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

  /** Whether the client is approved; the question until the user decides. Undefined if too many clients wait. */
  private decisionAbout(client: GatewayClient): boolean | Question | undefined {
    const { approvals } = this.options;
    if (approvals.isApproved(client)) {
      if (client.app !== undefined) approvals.connected?.(client.app);
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

  private ask(client: GatewayClient, key: string): Question {
    let age: Disposable | undefined;
    const isOld = new Promise<undefined>((resolve) => {
      age = this.clock.after(listPatienceMs, () => resolve(undefined));
    });
    const decision = this.options.approvals.ask(client, this.end.signal).finally(() => {
      this.questions.delete(key);
      age?.dispose();
    });
    const question = { decision, isOld };
    this.questions.set(key, question);
    decision.then(
      (isAllowed) => {
        if (!isAllowed) this.refused.set(key, 'denied');
        this.setState(client, isAllowed ? 'approved' : 'refused');
        if (isAllowed) this.approved.fire(client);
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

  /** The decision; undefined if there is none in time, or if the request must not wait. */
  private async inTime({ decision, isOld }: Question, { signal, size, isList }: Wait): Promise<boolean | undefined> {
    // Requests that wait are kept in memory, so only a few small ones wait. The user is asked in any case.
    if (size > maxWaitingBytes || this.waitingRequests >= maxWaitingRequests) return undefined;
    let limit: Disposable | undefined;
    let onAbort: (() => void) | undefined;
    const isLate = new Promise<undefined>((resolve) => {
      if (!isList) limit = this.clock.after(patienceMs, () => resolve(undefined));
      onAbort = () => resolve(undefined);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    this.waitingRequests++;
    try {
      return await Promise.race([decision.catch(() => undefined), isLate, ...(isList ? [isOld] : [])]);
    } finally {
      this.waitingRequests--;
      limit?.dispose();
      if (onAbort) signal.removeEventListener('abort', onAbort);
    }
  }
}

function refused({ name }: GatewayClient): ProtocolError {
  return new ProtocolError(
    ErrorCode.invalidRequest,
    `The user does not let "${name}" use MCP Deck. To change this, the user selects "Forget Agent" in the Gateway view of VS Code.`,
  );
}

function notApprovedYet({ name }: GatewayClient): ProtocolError {
  return new ProtocolError(
    ErrorCode.invalidRequest,
    `The user has not approved "${name}" yet. The question is in the Requests view of VS Code. Try again after it is answered.`,
  );
}

function claimKey({ name, preset }: ClientClaim): string {
  return JSON.stringify([name, preset]);
}

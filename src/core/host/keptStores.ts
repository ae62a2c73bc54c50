/**
 * Secret storage and workspace state as the host uses them. Reads and writes have a time limit, and a value that cannot
 * be stored is kept in memory until the window closes. Therefore, a locked keyring or a full disk does not stop any
 * server. The user gets one message, which states the affected server and the next step. Kept values are stored as soon
 * as the store works again.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { HostError } from '../base/hostError.js';
import { storageFailure } from '../base/storageFailure.js';
import type { StorageOperation } from '../base/hostErrorData.js';
import { withTimeLimit } from '../base/withTimeLimit.js';
import { failureLogLine } from '../present/failure/failureText.js';
import type { SecretStore, StateStore } from '../base/stores.js';
import type { HostPorts } from './ports.js';

/**
 * Time limit of a read or write of secret storage, ms. It is long because the keyring may ask the user for its
 * password.
 */
const secretsLimitMs = 30_000;
/** Time limit of a write of the workspace state, ms. */
const stateLimitMs = 10_000;

export interface KeptStoreOptions {
  clock?: Clock | undefined;
  /** Time limit of an operation, ms. Default: `secretsLimitMs` or `stateLimitMs`. */
  limitMs?: number;
  /**
   * Shows a failure to the user. Called once per series of failures: after a call, the next one follows only if the
   * store has worked in between.
   */
  tell: (failure: HostError) => void;
}

/** The part that both stores share: it keeps the values that are not stored yet, and reports failures. */
class Kept<T> {
  readonly values = new Map<string, T | undefined>();
  /** Keys whose write failed. */
  private readonly failed = new Set<string>();
  private hasReported = false;

  constructor(
    private readonly write: (key: string, value: T | undefined) => PromiseLike<void>,
    private readonly facts: { thing: string; store: 'secrets' | 'state' },
    private readonly limitMs: number,
    private readonly options: KeptStoreOptions,
    /** Called when the store rejected a value and the value is kept in memory. */
    private readonly onKept: (key: string) => void = () => undefined,
  ) {}

  /** Stores a value. Resolves when it is stored, or when it is kept in memory because the store failed. */
  async store(key: string, value: T | undefined, server: string | undefined): Promise<void> {
    this.values.set(key, value);
    try {
      await this.limited(this.attempt(key, value), value === undefined ? 'remove' : 'write', server);
    } catch (error) {
      this.tell(error as HostError);
      this.onKept(key);
    }
  }

  /** Waits for the store, up to the limit. Rejects with HostError `storage-failed`. */
  async limited<R>(work: PromiseLike<R>, operation: StorageOperation, server?: string): Promise<R> {
    try {
      return await withTimeLimit(
        work,
        this.limitMs,
        () => this.failure(new Error('There was no answer.'), operation, server, true),
        this.options.clock ?? systemClock,
      );
    } catch (error) {
      throw this.failure(error, operation, server);
    }
  }

  /** Called when the store has worked: retries the writes that failed before. */
  works(): void {
    this.hasReported = false;
    for (const key of this.failed) {
      this.failed.delete(key);
      // A value that fails again is kept for the next retry.
      this.attempt(key, this.values.get(key)).then(undefined, () => undefined);
    }
  }

  tell(failure: HostError): void {
    if (this.hasReported) return;
    this.hasReported = true;
    this.options.tell(failure);
  }

  private async attempt(key: string, value: T | undefined): Promise<void> {
    try {
      await this.write(key, value);
    } catch (error) {
      if (this.values.has(key) && this.values.get(key) === value) this.failed.add(key);
      throw error;
    }
    // A newer value may have replaced this one in the meantime; it must stay in the list.
    if (this.values.get(key) === value) this.values.delete(key);
    this.works();
  }

  private failure(
    error: unknown,
    operation: StorageOperation,
    server: string | undefined,
    isSilent = false,
  ): HostError {
    const failure = storageFailure(error, {
      operation,
      thing: this.facts.thing,
      ...(server === undefined ? {} : { server }),
      ...(operation === 'read' ? {} : { isKept: true }),
      ...(isSilent ? { cause: 'silent' } : {}),
    });
    const known =
      failure instanceof HostError ? failure : new HostError('storage-failed', failure.message, { cause: failure });
    if (known.code === 'storage-failed')
      Object.assign(known.data, { store: this.facts.store }, isSilent ? { waitedMs: this.limitMs } : {});
    return known;
  }
}

/** The secret storage that `KeptSecrets` wraps. */
export interface RawSecrets extends SecretStore {
  readonly onDidChange?: Event<string>;
}

/** The ports of the host, with stores whose failures do not stop any server. */
export type KeptPorts = Omit<HostPorts, 'state' | 'secrets'> & { state: KeptState; secrets: KeptSecrets };

/** Wraps the stores of `ports`; stores that are wrapped already are used unchanged. */
export function withKeptStores(ports: HostPorts): KeptPorts {
  const options = keptOptions(ports);
  const { state, secrets } = ports;
  return {
    ...ports,
    state: state instanceof KeptState ? state : new KeptState(state, options),
    secrets: secrets instanceof KeptSecrets ? secrets : new KeptSecrets(secrets, options),
  };
}

/** Options for a store: failures go to the log in English and to the user in the display language. */
export function keptOptions({ clock, log, tell }: Pick<HostPorts, 'clock' | 'log' | 'tell'>): KeptStoreOptions {
  return {
    clock,
    tell: (failure) => {
      log.write('warn', failureLogLine(failure, undefined));
      tell?.(failure);
    },
  };
}

/**
 * Secret storage with a time limit. `get` rejects with HostError `storage-failed`; changes with `set` and `delete`
 * always take effect in this window.
 */
export class KeptSecrets implements SecretStore {
  /** Fired when any window has stored a value, or when this window keeps a value in memory. */
  readonly onDidChange?: Event<string>;
  private readonly kept: Kept<string>;
  private readonly didChange = new Emitter<string>();

  constructor(
    private readonly secrets: RawSecrets,
    options: KeptStoreOptions,
  ) {
    if (secrets.onDidChange) {
      this.onDidChange = this.didChange.event;
      secrets.onDidChange((key) => this.didChange.fire(key));
    }
    const write = (key: string, value: string | undefined) =>
      value === undefined ? secrets.delete(key) : secrets.set(key, value);
    this.kept = new Kept(
      write,
      { thing: 'Secret storage', store: 'secrets' },
      options.limitMs ?? secretsLimitMs,
      options,
      (key) => this.didChange.fire(key),
    );
  }

  async get(key: string): Promise<string | undefined> {
    if (this.kept.values.has(key)) return this.kept.values.get(key);
    const value = await this.kept.limited(this.secrets.get(key), 'read');
    this.kept.works();
    return value;
  }

  set(key: string, value: string, server?: string): Promise<void> {
    return this.kept.store(key, value, server);
  }

  delete(key: string, server?: string): Promise<void> {
    return this.kept.store(key, undefined, server);
  }

  /**
   * Keeps a value in memory until the window closes, without storing it. Used if the stored value could not be read,
   * because it must not be overwritten.
   */
  keep(key: string, value: string | undefined): void {
    this.kept.values.set(key, value);
    this.didChange.fire(key);
  }

  /** Reports a failed read to the user when work continues without the value. */
  report(failure: HostError): void {
    this.kept.tell(failure);
  }
}

/**
 * Workspace state whose changes always take effect in this window. `set` resolves within the limit and never rejects.
 */
export class KeptState implements StateStore {
  private readonly kept: Kept<unknown>;

  constructor(
    private readonly state: StateStore,
    options: KeptStoreOptions,
  ) {
    this.kept = new Kept(
      (key, value) => state.set(key, value),
      { thing: 'The stored data of MCP Deck', store: 'state' },
      options.limitMs ?? stateLimitMs,
      options,
    );
  }

  get(key: string): unknown {
    return this.kept.values.has(key) ? this.kept.values.get(key) : this.state.get(key);
  }

  set(key: string, value: unknown, server?: string): Promise<void> {
    return this.kept.store(key, value, server);
  }

  /** Keeps a value in memory until the window closes. Only `set` stores it. */
  keep(key: string, value: unknown): void {
    this.kept.values.set(key, value);
  }
}

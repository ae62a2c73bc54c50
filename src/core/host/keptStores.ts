/**
 * Secret storage and state as the host uses them: they answer within a limit, and what cannot be stored is kept until the
 * window closes. A locked keyring or a full disk therefore stops nothing; the user is told once, with the server and the
 * way on, and what was kept is stored when the store works again.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { HostError } from '../base/hostError.js';
import { storageFailure } from '../base/storageFailure.js';
import type { StorageOperation } from '../base/hostErrorData.js';
import { within } from '../base/within.js';
import { failureLogLine } from '../present/failure/failureText.js';
import type { SecretStore, StateStore } from '../base/stores.js';
import type { HostPorts } from './ports.js';

/**
 * How long a read or write of secret storage is waited for, milliseconds: the keyring may ask the user for its
 * password.
 */
const secretsLimitMs = 30_000;
/** How long a write of the state is waited for, milliseconds. */
const stateLimitMs = 10_000;

export interface KeptStoreOptions {
  clock?: Clock | undefined;
  /** Milliseconds; default as above. */
  limitMs?: number;
  /** Told of a failure that stopped nothing: once, until the store has worked again. */
  tell: (failure: HostError) => void;
}

/** What both stores have in common: values that are not stored yet, and the report of failures. */
class Kept<T> {
  readonly values = new Map<string, T | undefined>();
  /** Keys whose writing failed. */
  private readonly failed = new Set<string>();
  private hasTold = false;

  constructor(
    private readonly write: (key: string, value: T | undefined) => PromiseLike<void>,
    private readonly facts: { thing: string; store: 'secrets' | 'state' },
    private readonly limitMs: number,
    private readonly options: KeptStoreOptions,
    /** A value is kept that its store did not take. */
    private readonly onKept: (key: string) => void = () => undefined,
  ) {}

  /** Stores a value; resolves when it is stored, or when it is known that it is kept for this window only. */
  async store(key: string, value: T | undefined, server: string | undefined): Promise<void> {
    this.values.set(key, value);
    try {
      await this.limited(this.attempt(key, value), value === undefined ? 'remove' : 'write', server);
    } catch (error) {
      this.tell(error as HostError);
      this.onKept(key);
    }
  }

  /** Waits for an answer of the store. Rejects with HostError `storage-failed`. */
  async limited<R>(work: PromiseLike<R>, operation: StorageOperation, server?: string): Promise<R> {
    try {
      return await within(
        work,
        this.limitMs,
        () => this.failure(new Error('There was no answer.'), operation, server, true),
        this.options.clock ?? systemClock,
      );
    } catch (error) {
      throw this.failure(error, operation, server);
    }
  }

  /** The store has worked: what it did not take before is offered once more. */
  works(): void {
    this.hasTold = false;
    for (const key of this.failed) {
      this.failed.delete(key);
      // A failure keeps it for the next time.
      this.attempt(key, this.values.get(key)).then(undefined, () => undefined);
    }
  }

  tell(failure: HostError): void {
    if (this.hasTold) return;
    this.hasTold = true;
    this.options.tell(failure);
  }

  private async attempt(key: string, value: T | undefined): Promise<void> {
    try {
      await this.write(key, value);
    } catch (error) {
      if (this.values.has(key) && this.values.get(key) === value) this.failed.add(key);
      throw error;
    }
    // A newer value may wait meanwhile.
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

/** What `KeptSecrets` stands in front of. */
export interface RawSecrets extends SecretStore {
  readonly onDidChange?: Event<string>;
}

/** The ports of the host with stores that stop nothing. */
export type KeptPorts = Omit<HostPorts, 'state' | 'secrets'> & { state: KeptState; secrets: KeptSecrets };

/** Puts limits on the stores of `ports`; those that have them already stay. */
export function withKeptStores(ports: HostPorts): KeptPorts {
  const options = keptOptions(ports);
  const { state, secrets } = ports;
  return {
    ...ports,
    state: state instanceof KeptState ? state : new KeptState(state, options),
    secrets: secrets instanceof KeptSecrets ? secrets : new KeptSecrets(secrets, options),
  };
}

/** Failures go into the log in English and to the user in their language. */
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
 * Secret storage with a limit. `get` rejects with HostError `storage-failed`; `set` and `delete` take effect in this
 * window in any case.
 */
export class KeptSecrets implements SecretStore {
  /** A value was stored by any window, or is kept by this one. */
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
   * Holds a value until the window closes without storing it: what is stored could not be read and must not be
   * written over.
   */
  keep(key: string, value: string | undefined): void {
    this.kept.values.set(key, value);
    this.didChange.fire(key);
  }

  /** Tells of a failure to read, where work goes on without the value. */
  report(failure: HostError): void {
    this.kept.tell(failure);
  }
}

/** State whose changes take effect in this window in any case. `set` resolves within the limit and never rejects. */
export class KeptState implements StateStore {
  private readonly kept: Kept<unknown>;

  constructor(
    private readonly state: StateStore,
    options: KeptStoreOptions,
  ) {
    this.kept = new Kept(
      (key, value) => state.set(key, value),
      { thing: 'The state of this workspace', store: 'state' },
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

  /** Holds a value until the window closes; it is stored by `set`. */
  keep(key: string, value: unknown): void {
    this.kept.values.set(key, value);
  }
}

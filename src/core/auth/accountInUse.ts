/**
 * The account in use with one server: the state of its authorization, kept in sync with the store, and an event for
 * each change.
 */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { HostError, isCancelled } from '../base/hostError.js';
import type { AuthorizationState, AuthState, HeldTokens } from './authorizationState.js';
import { afterReading, heldIn, shownState, withHeld } from './authorizationState.js';
import type { TokenStore } from './tokenStore.js';
import type { AccountInfo, ServerRecord, StoredAccount } from './serverRecord.js';
import { secretKey } from './tokenStore.js';
import { accountInfo, currentAccount } from './serverRecord.js';

/**
 * Time after issue during which a token counts as fresh, ms. If the server refuses a fresh token, the token is not
 * refreshed, because a new one would be refused as well.
 */
const freshMs = 30_000;

export interface AccountInUseOptions {
  /** The server's key in the store. */
  server: string;
  /** The store of the account. Absent for a grant without a user, whose tokens are not stored. */
  store: TokenStore | undefined;
  /** The account to use. Default: the account that is selected in the store. */
  account: string | undefined;
  clock: Clock;
  /** Creates the error for an account that is not signed in. */
  signInNeeded: () => HostError;
}

export class AccountInUse implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly didChange = this.disposables.add(new Emitter<AuthState>());
  private current: AuthorizationState = { kind: 'unread' };
  /** The first read of the store, while it is in progress; later callers join it. */
  private reading: Promise<void> | undefined;

  /** Fired after `shown` changed. */
  readonly onDidChange: Event<AuthState> = this.didChange.event;

  constructor(private readonly options: AccountInUseOptions) {
    const { store, server } = options;
    if (!store) this.current = { kind: 'open' };
    else
      this.disposables.add(
        store.onDidChange((key) => {
          // A failed reload is retried at the next refusal.
          if (key === secretKey(server) && this.isRead) this.reload().catch(() => undefined);
        }),
      );
  }

  get state(): AuthorizationState {
    return this.current;
  }

  /** The state to show. */
  get shown(): AuthState {
    return shownState(this.current);
  }

  /** The tokens in use. */
  get held(): HeldTokens | undefined {
    return heldIn(this.current);
  }

  /** Whether the store has been read. */
  get isRead(): boolean {
    return this.current.kind !== 'unread';
  }

  /** Reads the store if it has not been read yet. */
  read(): Promise<void> {
    if (this.isRead) return Promise.resolve();
    return (this.reading ??= this.reload().finally(() => (this.reading = undefined)));
  }

  /** Reads the store and updates the state with its current values. */
  async reload(): Promise<void> {
    const { store, server, account, signInNeeded } = this.options;
    if (!store) return;
    const record = await store.read(server);
    this.set(afterReading(this.current, record, currentAccount(record, account), signInNeeded));
  }

  /** Uses tokens that were just issued by a sign-in. */
  adopt(record: ServerRecord, account: StoredAccount): AccountInfo {
    const info = accountInfo(record, account);
    this.set({ kind: 'signedIn', held: { account, info, freshUntil: this.options.clock.now() + freshMs } });
    return info;
  }

  /** Whether the access token was just issued. */
  isFresh({ freshUntil = -Infinity }: HeldTokens): boolean {
    return this.options.clock.now() < freshUntil;
  }

  /** Marks the tokens in use as just issued. Called after a refresh. */
  refreshed(): void {
    const { held } = this;
    if (held) this.set(withHeld(this.current, { ...held, freshUntil: this.options.clock.now() + freshMs }));
  }

  /** Marks the tokens in use as refused by the server. @returns those tokens. */
  refused(): HeldTokens | undefined {
    const { held } = this;
    if (!held) return undefined;
    const isFresh = held.refusal === 'whenFresh' || this.isFresh(held);
    const refused: HeldTokens = { ...held, refusal: isFresh ? 'whenFresh' : 'refused' };
    this.set(withHeld(this.current, refused));
    return refused;
  }

  /** Allows one more refresh if the server refuses the tokens again. Called when the user asks for a sign-in. */
  allowRefresh(): void {
    const { held } = this;
    if (held?.refusal) this.set(withHeld(this.current, { ...held, refusal: 'refused' }));
  }

  beginSignIn(): void {
    this.set({ kind: 'signingIn', held: this.held });
  }

  /** Returns to the previous tokens, if any, when a sign-in has ended. */
  endSignIn(): void {
    const { current } = this;
    if (current.kind === 'signingIn' && current.held) this.set({ kind: 'signedIn', held: current.held });
  }

  /** Records that only a sign-in can restore access. The current tokens remain in use. */
  needSignIn(error: HostError): void {
    this.set({ kind: 'signInNeeded', error, held: this.held });
  }

  /**
   * Called after a failed request or sign-in. If tokens that the server accepts remain, returns to them; otherwise, the
   * state shows the error.
   */
  async failed(error: unknown): Promise<void> {
    const { held } = this;
    if (held && !held.refusal) {
      this.endSignIn();
      await this.reload();
    } else if (error instanceof HostError) this.needSignIn(isCancelled(error) ? this.options.signInNeeded() : error);
    else if (this.current.kind === 'signingIn') this.needSignIn(this.options.signInNeeded());
  }

  /** Drops the tokens of a grant without a user. */
  drop(): void {
    this.set({ kind: 'open' });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private set(state: AuthorizationState): void {
    const before = this.shown;
    this.current = state;
    const after = this.shown;
    const isSame =
      after.kind === 'signInNeeded'
        ? before.kind === 'signInNeeded' && before.error === after.error
        : JSON.stringify(before) === JSON.stringify(after);
    if (!isSame) this.didChange.fire(after);
  }
}

/**
 * The account in use with one server: the state of its authorization, kept in step with the store, and each change of it
 * as an event.
 */
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { HostError, isCancelled } from '../base/hostError.js';
import type { AuthorizationState, AuthState, HeldTokens } from './authorizationState.js';
import { afterReading, heldIn, shownState, withHeld } from './authorizationState.js';
import type { AccountInfo, ServerRecord, StoredAccount, TokenStore } from './tokenStore.js';
import { accountInfo, currentAccount, secretKey } from './tokenStore.js';

/** How long a new token counts as fresh: refused within this time, it is not refreshed again. Milliseconds. */
const freshMs = 30_000;

/** What an account in use works with. */
export interface AccountInUseOptions {
  /** The server's key in the store. */
  server: string;
  /** Absent: the account has no place in the store, because its tokens come from a grant without a person. */
  store: TokenStore | undefined;
  /** The account to use; default: the one selected in the store. */
  account: string | undefined;
  clock: Clock;
  /** Makes the error that says that a sign-in is needed. */
  signInNeeded: () => HostError;
}

export class AccountInUse implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly didChange = this.disposables.add(new Emitter<AuthState>());
  private current: AuthorizationState = { kind: 'unread' };
  /** The first reading of the store, for those who join it. */
  private reading: Promise<void> | undefined;

  /** Fired after `shown` changed. */
  readonly onDidChange: Event<AuthState> = this.didChange.event;

  constructor(private readonly options: AccountInUseOptions) {
    const { store, server } = options;
    if (!store) this.current = { kind: 'open' };
    else
      this.disposables.add(
        store.onDidChange((key) => {
          // A failure is left to the next refusal, which reads again.
          if (key === secretKey(server) && this.isRead) this.reload().catch(() => undefined);
        }),
      );
  }

  get state(): AuthorizationState {
    return this.current;
  }

  /** What to show of the state. */
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

  /** Reads the store unless that was done. */
  read(): Promise<void> {
    if (this.isRead) return Promise.resolve();
    return (this.reading ??= this.reload().finally(() => (this.reading = undefined)));
  }

  /** Takes over what the store has now. */
  async reload(): Promise<void> {
    const { store, server, account, signInNeeded } = this.options;
    if (!store) return;
    const record = await store.read(server);
    this.set(afterReading(this.current, record, currentAccount(record, account), signInNeeded));
  }

  /** Uses the tokens that were just issued. */
  adopt(record: ServerRecord, account: StoredAccount): AccountInfo {
    const info = accountInfo(record, account);
    this.set({ kind: 'signedIn', held: { account, info, freshUntil: this.options.clock.now() + freshMs } });
    return info;
  }

  /** Whether the access token has just been issued. */
  isFresh({ freshUntil = -Infinity }: HeldTokens): boolean {
    return this.options.clock.now() < freshUntil;
  }

  /** The tokens in use have just been issued by a refresh. */
  refreshed(): void {
    const { held } = this;
    if (held) this.set(withHeld(this.current, { ...held, freshUntil: this.options.clock.now() + freshMs }));
  }

  /** Notes that the server did not accept the tokens in use. @returns those tokens. */
  refused(): HeldTokens | undefined {
    const { held } = this;
    if (!held) return undefined;
    const isFresh = held.refusal === 'whenFresh' || this.isFresh(held);
    const refused: HeldTokens = { ...held, refusal: isFresh ? 'whenFresh' : 'refused' };
    this.set(withHeld(this.current, refused));
    return refused;
  }

  /** The user asked for a sign-in: when the server refuses the tokens again, they may be refreshed once more. */
  allowRefresh(): void {
    const { held } = this;
    if (held?.refusal) this.set(withHeld(this.current, { ...held, refusal: 'refused' }));
  }

  beginSignIn(): void {
    this.set({ kind: 'signingIn', held: this.held });
  }

  /** Back from a sign-in to the tokens of before, where there are any. */
  endSignIn(): void {
    const { current } = this;
    if (current.kind === 'signingIn' && current.held) this.set({ kind: 'signedIn', held: current.held });
  }

  /** Only a sign-in helps now. Tokens that there are stay in use. */
  needSignIn(error: HostError): void {
    this.set({ kind: 'signInNeeded', error, held: this.held });
  }

  /** A request or sign-in failed: back to the tokens that still work, or to what is needed instead of them. */
  async failed(error: unknown): Promise<void> {
    const { held } = this;
    if (held && !held.refusal) {
      this.endSignIn();
      await this.reload();
    } else if (error instanceof HostError) this.needSignIn(isCancelled(error) ? this.options.signInNeeded() : error);
    else if (this.current.kind === 'signingIn') this.needSignIn(this.options.signInNeeded());
  }

  /** Drops the tokens of a grant without a person. */
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

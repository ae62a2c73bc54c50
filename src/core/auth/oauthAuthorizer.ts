/**
 * OAuth authorization of one server; combines the parts of this folder. Only `signIn` opens the browser and asks the
 * user. After a refused request, tokens are renewed if possible; otherwise, the error states that a sign-in is needed
 * (security requirements A11, A12; specification 2026-07-28, basic/authorization, "Error Handling"). `SignInQuestions`
 * then asks the user.
 *
 * Each refusal is handled with the server's current metadata, so that after the server has moved to another
 * authorization server, the old client and tokens are never sent to the new one.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import type { HostError } from '../base/hostError.js';
import { Sequencer } from '../base/sequencer.js';
import type { Flow } from './authHttp.js';
import { AuthHttp } from './authHttp.js';
import { AccountInUse } from './accountInUse.js';
import type { AuthState, HeldTokens, SignedIn } from './authorizationState.js';
import type { AuthChallenge, Authorizer } from './authorizer.js';
import type { ScopeChoice } from './authorizationFlow.js';
import type { AuthProblem } from '../base/hostErrorData.js';
import type { ProblemFacts } from './authProblem.js';
import { authError, isAuthError, problemOf } from './authProblem.js';
import type { Discovery } from './discovery.js';
import { canonicalResource, discover } from './discovery.js';
import { hostsOf } from './machineGrant.js';
import { MachineSignIn } from './machineSignIn.js';
import type { OAuthAuthorizerOptions, SignInOptions } from './oauthOptions.js';
import { signInPerson } from './personSignIn.js';
import { refreshAccount, refreshNeed } from './refresh.js';
import { SignInTrace } from './signInTrace.js';
import type { OutgoingRequest } from './tokenHeaders.js';
import { httpUrl, TokenHeaders } from './tokenHeaders.js';
import { TokenRenewal } from './tokenRenewal.js';
import { revokeToken } from './tokenRequest.js';
import type { AccountInfo } from './serverRecord.js';
import { accountInfo, defaultAccount } from './serverRecord.js';
import type { RefusalDetails } from './refusalDetails.js';
import { withSentKey } from './refusalDetails.js';
import type { AuthHints } from './wwwAuthenticate.js';
import { neededAfter, readHints } from './wwwAuthenticate.js';

/** Pause after a failed grant without a user, ms. Without it, each request would repeat the failed grant. */
const machinePauseMs = 60_000;

export class OAuthAuthorizer implements Authorizer, Disposable {
  /** The key of the server in the store: its canonical URL. */
  readonly server: string;
  private readonly http: AuthHttp;
  private readonly clock: Clock;
  private readonly now: () => number;
  private readonly tokenHeaders: TokenHeaders;
  private readonly machine: MachineSignIn | undefined;
  private readonly renewal: TokenRenewal;
  private readonly queue = new Sequencer();
  private readonly disposables = new DisposableStore();
  private readonly account: AccountInUse;
  private readonly didBeginTrace = this.disposables.add(new Emitter<SignInTrace>());
  /** The content of the latest challenge. */
  private hints: AuthHints = readHints([]);
  /** The server's own message in its latest refusal, and the header for an API key that it named. */
  private details: RefusalDetails = {};
  /** Aborts the sign-in that waits for the user. Replaced after each use. */
  private ending = new AbortController();
  /** The sign-in in progress; later callers join it. */
  private signingIn: Promise<AccountInfo> | undefined;

  /** Fired after `state` changed. */
  readonly onDidChangeState: Event<AuthState>;
  /** Fired when a sign-in or token request begins, with the trace that will receive its steps. */
  readonly onDidBeginTrace: Event<SignInTrace> = this.didBeginTrace.event;

  constructor(private readonly options: OAuthAuthorizerOptions) {
    const { serverUrl, serverName, clock = systemClock, now = Date.now, http = {}, machine, scopes, store } = options;
    const url = new URL(httpUrl(serverUrl));
    this.server = canonicalResource(url);
    this.clock = clock;
    this.now = now;
    const trustedHosts = [...(http.trustedHosts ?? []), ...hostsOf(machine)];
    this.http = new AuthHttp(url, { clock, ...http, trustedHosts });
    const serverTime = () => Math.floor(now() / 1000) + (this.http.skewOf(url.origin) ?? 0);
    this.tokenHeaders = new TokenHeaders(serverUrl, url, serverTime);
    this.renewal = new TokenRenewal(clock);
    const { nonces } = this.tokenHeaders;
    this.machine =
      machine && new MachineSignIn({ server: this.server, serverName, grant: machine, scopes, store, clock, nonces });
    this.account = this.disposables.add(
      new AccountInUse({
        server: this.server,
        store: machine ? undefined : store,
        account: options.account,
        clock,
        signInNeeded: () => this.problem('sign-in-needed'),
      }),
    );
    this.onDidChangeState = this.account.onDidChange;
  }

  /** The state to show. */
  get state(): AuthState {
    return this.account.shown;
  }

  /** The most recently sent tokens and the secrets in use, to be masked: a server may repeat them in its output. */
  get secretValues(): readonly string[] {
    const { accessToken, refreshToken, client } = this.account.held?.account.tokens ?? {};
    return [accessToken, refreshToken, client?.clientSecret, ...this.tokenHeaders.sentTokens].filter(
      (value): value is string => value !== undefined && value !== '',
    );
  }

  headers(request: OutgoingRequest): Record<string, string> | Promise<Record<string, string>> {
    if (!this.account.isRead) return this.account.read().then(() => this.headers(request));
    const tokens = this.account.held?.account.tokens;
    if (!tokens || !this.tokenHeaders.mayGoTo(request.url)) return {};
    const need = this.machine || tokens.refreshToken !== undefined ? refreshNeed(tokens, this.now()) : 'no';
    if (need === 'now')
      return this.renew().then(() =>
        this.account.held ? this.tokenHeaders.of(this.account.held.account.tokens, request) : {},
      );
    if (need === 'soon') this.renew().catch(() => undefined); // The old token still works.
    return this.tokenHeaders.of(tokens, request);
  }

  async handleChallenge(challenge: AuthChallenge): Promise<boolean> {
    return this.noting(() => this.queue.run(() => this.answer(challenge)));
  }

  /**
   * Signs in at the request of the user; joins a sign-in in progress. Rejects with HostError `cancelled` or
   * `auth-failed`, or with `auth-required` if users cannot sign in here.
   */
  signIn(options: SignInOptions = {}): Promise<AccountInfo> {
    if (this.signingIn) return this.signingIn;
    const signIn = this.noting(() => this.queue.run(() => this.signInNow(options)));
    const done = () => void (this.signingIn = undefined);
    signIn.then(done, done);
    return (this.signingIn = signIn);
  }

  /**
   * Deletes accounts of this server (default: all) after revoking their tokens at the issuers. If an issuer does not
   * answer, the accounts are deleted anyway.
   */
  async signOut(account?: string): Promise<void> {
    const { store } = this.options;
    // The flow has no abort signal, because the tokens must be revoked even if the server is removed from the
    // configuration and this object is disposed.
    const flow: Flow = { ...this.begin(), signal: undefined };
    for (const { issuer, account: name, tokens } of (await store.read(this.server)).accounts) {
      const { revocationEndpoint: endpoint, refreshToken, accessToken, client } = tokens;
      if ((account !== undefined && name !== account) || endpoint === undefined) continue;
      await revokeToken(flow, issuer, endpoint, client, refreshToken ?? accessToken).catch((error: unknown) =>
        flow.trace.stop(error),
      );
    }
    await store.forgetAccounts(this.server, { account });
    if (this.machine) this.account.drop();
    await this.account.reload();
  }

  /** The issuer of the server, read from the server's metadata at the time of the call. Rejects with `auth-failed`. */
  async findIssuer(): Promise<string> {
    await this.account.read();
    return this.tracing(undefined, async (flow) => (await this.find(flow)).issuer.issuer);
  }

  /** Cancels a sign-in that waits for the browser; the promise of the sign-in rejects with `cancelled`. */
  cancelSignIn(): void {
    this.ending.abort();
    this.ending = new AbortController();
  }

  /** Cancels a running sign-in and disposes the events. */
  dispose(): void {
    this.ending.abort();
    this.disposables.dispose();
  }

  /**
   * Renews the tokens, one renewal at a time. Rejects if a request fails, except if the issuer refuses the refresh
   * token.
   */
  private renew(): Promise<void> {
    const { machine } = this;
    const work = async (flow: Flow) => {
      const before = this.account.held?.account.tokens.requestedScopes;
      if (machine) await this.askMachine(machine, flow, await this.find(flow), before);
      else await this.refresh(flow);
    };
    return this.renewal.run(() => this.noting(() => this.tracing(undefined, work)));
  }

  /** Refreshes the tokens of the account in use. Resolves to true when there are new tokens. */
  private async refresh(flow: Flow): Promise<boolean> {
    const seen = this.account.held?.account;
    if (!seen) return false;
    const ports = { store: this.options.store, clock: this.clock, nonces: this.tokenHeaders.nonces };
    const renewed = await refreshAccount(flow, ports, this.server, seen);
    this.renewal.resume();
    await this.account.reload();
    if (!renewed) this.account.needSignIn(this.problem('sign-in-needed', { issuer: seen.issuer }));
    return renewed !== undefined;
  }

  private async answer({
    status,
    url,
    wwwAuthenticate,
    dpopNonce,
    sentHeaders,
    details = {},
  }: AuthChallenge): Promise<boolean> {
    if (!this.tokenHeaders.mayGoTo(url)) return false;
    const hints = readHints(wwwAuthenticate);
    if (hints.error === 'use_dpop_nonce' && dpopNonce !== undefined && this.tokenHeaders.takeNonce(dpopNonce))
      return true;
    await this.account.read();
    const sent = sentHeaders['authorization']?.replace(/^\S+ /, '');
    const needed = neededAfter(status, hints, sent !== undefined);
    if (needed === 'none') return false;
    this.hints = hints;
    this.details = withSentKey(details, this.options.sentHeaders ?? []);
    await this.renewal.settled(); // The decision uses the tokens after the renewal.
    await this.account.reload();
    const { held } = this.account;
    if (held && held.account.tokens.accessToken !== sent) return true;
    await (needed === 'scopes' && held ? this.stepUp(held) : this.unauthorized());
    return true;
  }

  /**
   * Obtains new tokens without the user, after the server refused the tokens or received none. Rejects if that is not
   * possible.
   */
  private async unauthorized(): Promise<void> {
    const { state } = this.account;
    const held = this.account.refused();
    // A concurrent call may just have found that the tokens are no longer valid. Its error contains their issuer.
    const ended = state.kind === 'signInNeeded' && isAuthError(state.error) ? state.error.data.issuer : undefined;
    const facts = { issuer: held?.account.issuer ?? ended };
    const { machine } = this;
    if (machine) {
      if (held?.refusal === 'whenFresh') throw this.problem('token-not-accepted', facts);
      const { paused } = this.renewal;
      if (paused) throw paused;
    } else if (held?.account.tokens.refreshToken === undefined || held.refusal === 'whenFresh')
      throw this.problem('sign-in-needed', facts);
    await this.tracing(this.hints, async (flow) => {
      const discovery = await this.find(flow);
      const { issuer } = discovery.issuer;
      const isSameIssuer = held?.account.issuer === issuer;
      if (machine)
        await this.askMachine(machine, flow, discovery, isSameIssuer ? held.account.tokens.requestedScopes : []);
      else if (isSameIssuer && (await this.refresh(flow))) this.account.refreshed();
      else throw this.problem('sign-in-needed', { issuer });
    });
  }

  /**
   * Requests more scopes with a grant that needs no user, because the server requires more than the tokens have.
   * Without such a grant, rejects with `more-scopes-needed`, so that the user can be asked. Rejects with
   * `scope-not-granted` if another request would not help.
   */
  private async stepUp(held: HeldTokens): Promise<void> {
    const { machine } = this;
    const { tokens } = held.account;
    const before = [...new Set([...tokens.requestedScopes, ...tokens.scopes])];
    const challenged = this.hints.scopes ?? [];
    const missing = challenged.filter((scope) => !before.includes(scope));
    const facts = {
      detail: (missing.length > 0 ? missing : challenged).join(' ') || 'it does not say which',
      scopes: [...before, ...missing],
    };
    // A request for scopes that were just granted would return the same tokens again.
    const isPointless = missing.length === 0 && (machine !== undefined || this.account.isFresh(held));
    if (isPointless || machine?.takeStepUp() === false) throw this.problem('scope-not-granted', facts);
    if (!machine) throw this.problem('more-scopes-needed', facts);
    await this.tracing(this.hints, async (flow) => this.askMachine(machine, flow, await this.find(flow), before));
  }

  private async signInNow({ account, scopes, isStepUp = false }: SignInOptions): Promise<AccountInfo> {
    this.renewal.resume();
    await this.account.read();
    this.account.allowRefresh();
    return this.tracing(this.hints, async (flow) => {
      const discovery = await this.find(flow);
      if (this.machine) return this.askMachine(this.machine, flow, discovery);
      const held = this.account.held?.account;
      const before =
        account === undefined && held?.issuer === discovery.issuer.issuer ? held.tokens.requestedScopes : [];
      const challenged = scopes ?? this.hints.scopes;
      return this.askPerson(flow, discovery, account, { challenged, before }, isStepUp);
    });
  }

  /**
   * Runs a discovery that prefers the issuer of the current tokens or, without tokens, that of the configured client or
   * grant.
   */
  private find(flow: Flow): Promise<Discovery> {
    const preferred = this.account.held?.account.issuer ?? this.options.client?.issuer ?? this.machine?.issuer;
    return discover(flow, this.hints, (issuer) => issuer === preferred);
  }

  private async askMachine(
    machine: MachineSignIn,
    flow: Flow,
    discovery: Discovery,
    before?: readonly string[],
  ): Promise<AccountInfo> {
    const scopes = { challenged: this.hints.scopes, before };
    const signedIn = await machine.signIn(flow, discovery, scopes).catch((error: unknown) => {
      this.renewal.pauseFor(machinePauseMs, error as Error);
      throw error;
    });
    return this.adopt(signedIn);
  }

  /** Runs the sign-in of a user. @param account a new name adds an account. */
  private async askPerson(
    flow: Flow,
    discovery: Discovery,
    account: string | undefined,
    scopes: Pick<ScopeChoice, 'challenged' | 'before'>,
    isStepUp: boolean,
  ): Promise<AccountInfo> {
    const { signIn, store, scopes: configured } = this.options;
    if (!signIn) throw this.problem('sign-in-needed');
    const { held } = this.account;
    const name = account ?? held?.account.account ?? this.options.account ?? defaultAccount;
    this.account.beginSignIn();
    const signedIn = await signInPerson(
      flow,
      { store, signIn: { ...signIn, clock: this.clock }, client: this.options, nonces: this.tokenHeaders.nonces },
      {
        server: this.server,
        account: name,
        discovery,
        scopes: { ...scopes, configured },
        isStepUp,
        choosesAccount: held !== undefined && name !== held.account.account,
      },
    );
    if (name === (this.options.account ?? name)) return this.adopt(signedIn);
    // The user signed in to another account than the configured one, so the account in use does not change.
    this.account.endSignIn();
    await this.account.reload();
    return accountInfo(signedIn.record, signedIn.account);
  }

  private adopt({ record, account }: SignedIn): AccountInfo {
    this.renewal.resume();
    return this.account.adopt(record, account);
  }

  private begin(): Flow {
    const { serverName: server } = this.options;
    const trace = new SignInTrace(server, this.now);
    this.didBeginTrace.fire(trace);
    return { server, http: this.http, trace, now: this.now, signal: this.ending.signal };
  }

  /** Runs one flow with its own trace. */
  private async tracing<T>(hints: AuthHints | undefined, work: (flow: Flow) => Promise<T>): Promise<T> {
    const flow = this.begin();
    if (hints) flow.trace.add('challenge', { received: { ...hints, schemes: [...hints.schemes] } });
    try {
      return await work(flow);
    } catch (error) {
      flow.trace.stop(error);
      throw error;
    }
  }

  /** Runs `work`. After a failure, updates the authorization state and rethrows the error. */
  private async noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (problemOf(error) === 'no-metadata' && isAuthError(error)) Object.assign(error.data, this.details);
      await this.account.failed(error);
      throw error;
    }
  }

  private problem(problem: AuthProblem, facts: Omit<ProblemFacts, 'server'> = {}): HostError {
    return authError(problem, { server: this.options.serverName, ...this.details, ...facts });
  }
}

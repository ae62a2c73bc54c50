/**
 * Authorization of one server by OAuth: puts the parts of this room together and keeps the limits. Without a user's
 * action nothing opens and nobody is asked: a background start renews what can be renewed and otherwise says that a
 * sign-in is needed (security requirements A11, A12; specification 2026-07-28, basic/authorization, "Error Handling").
 *
 * Each refusal is judged anew against the server's current metadata, so that a server which moved to another
 * authorization server never gets the client or the tokens of the old one there.
 */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore, toDisposable } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { Sequencer } from '../base/sequencer.js';
import type { AuthHttpOptions, Flow } from './authHttp.js';
import { AuthHttp } from './authHttp.js';
import type { AuthChallenge, Authorizer } from './authorizer.js';
import type { SignInPorts } from './authorizationFlow.js';
import { chooseScopes } from './authorizationFlow.js';
import type { AuthProblem } from '../base/hostErrorData.js';
import type { ProblemFacts } from './authProblem.js';
import { authError, isAuthError } from './authProblem.js';
import type { Discovery } from './discovery.js';
import { canonicalResource, discover } from './discovery.js';
import { createDpopKey, DpopProver } from './jwtSigner.js';
import type { MachineGrant } from './machineGrant.js';
import { hostsOf, machineClientId, requestMachineTokens } from './machineGrant.js';
import type { ClientOptions } from './personSignIn.js';
import { signInPerson } from './personSignIn.js';
import { refreshAccount, refreshNeed } from './refresh.js';
import { SignInTrace } from './signInTrace.js';
import type { DpopNonces, TokenAnswer } from './tokenRequest.js';
import { revokeToken } from './tokenRequest.js';
import type { AccountInfo, ServerRecord, StoredAccount, TokenSet, TokenStore } from './tokenStore.js';
import { accountInfo, currentAccount, defaultAccount, secretKey, tokensFrom } from './tokenStore.js';
import type { AuthHints } from './wwwAuthenticate.js';
import { readHints } from './wwwAuthenticate.js';

/** What an authorizer is made of. */
export interface OAuthAuthorizerOptions extends ClientOptions {
  /** http(s) or ws(s). */
  serverUrl: string;
  /** Our name for the server. */
  serverName: string;
  /** One for all servers. */
  store: TokenStore;
  /** Sign-in by a person. Absent: never possible. */
  signIn?: Omit<SignInPorts, 'clock'>;
  /** Tokens without a person. Present: nobody is ever asked, and nothing is stored. */
  machine?: MachineGrant;
  /** Scopes from the configuration; a challenge overrides them. */
  scopes?: readonly string[];
  /** The account to use; default: the one selected in the store. */
  account?: string;
  http?: AuthHttpOptions;
  clock?: Clock;
  /** Milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
}

/** What to show of a server's authorization. */
export type AuthState =
  /** The server has not asked for anything. */
  | { kind: 'open' }
  | { kind: 'signedIn'; account: AccountInfo }
  | { kind: 'signingIn' }
  /** A click is needed; the error says why. */
  | { kind: 'signInNeeded'; error: HostError };

/** Options of an explicit sign-in. */
export interface SignInOptions {
  /** A new name adds an account; default: the one in use. */
  account?: string;
  /** Asked for in addition to what was asked for before. */
  scopes?: readonly string[];
  /** A server that has been signed in to wants these scopes as well. */
  isStepUp?: boolean;
}

/** How long a new token counts as fresh: refused within this time, it is not refreshed again. Milliseconds. */
const freshMs = 30_000;
/**
 * Pause after a failed renewal, so that a dead issuer is not asked at each call; longer after a grant that is tried
 * only once. Milliseconds.
 */
const renewPauseMs = 5_000;
const machinePauseMs = 60_000;
/** Tokens that were sent and are remembered, to be masked in what is kept of the server. */
const maxRemembered = 20;

export class OAuthAuthorizer implements Authorizer, Disposable {
  /** Identifies the server in the store: its address. */
  readonly server: string;
  private readonly url: URL;
  private readonly http: AuthHttp;
  private readonly clock: Clock;
  private readonly now: () => number;
  private readonly nonces: DpopNonces = new Map();
  private readonly queue = new Sequencer();
  private readonly disposables = new DisposableStore();
  private readonly didChangeState = this.disposables.add(new Emitter<AuthState>());
  private readonly didBeginTrace = this.disposables.add(new Emitter<SignInTrace>());
  private ending = new AbortController();
  private loading: Promise<void> | undefined;
  private isLoaded = false;
  /** What is in use: an account of the store, or the tokens of a machine grant. */
  private held: StoredAccount | undefined;
  private prover: DpopProver | undefined;
  private renewing: Promise<void> | undefined;
  private pause: { error: Error; until: number } | undefined;
  private fresh: { token: string; until: number } | undefined;
  /** The newest token that the server did not take. */
  private refused: string | undefined;
  /** The same, when it had just been issued: refreshing once more would only repeat that. */
  private hopeless: string | undefined;
  private hints: AuthHints = readHints([]);
  private current: AuthState = { kind: 'open' };
  private latestTrace: SignInTrace | undefined;
  private readonly sent = new Set<string>();
  private action: { count: number; signIns: number; stepUps: number } | undefined;
  private machineStepUps = { left: 2, until: 0 };
  private signingIn: Promise<AccountInfo> | undefined;

  /** Fired after `state` changed. */
  readonly onDidChangeState: Event<AuthState> = this.didChangeState.event;
  /** Fired when a sign-in or token request begins, with the trace that will show its steps. */
  readonly onDidBeginTrace: Event<SignInTrace> = this.didBeginTrace.event;

  constructor(private readonly options: OAuthAuthorizerOptions) {
    const { serverUrl, clock = systemClock, now = Date.now, http = {}, machine, store } = options;
    this.url = new URL(serverUrl.replace(/^ws/, 'http'));
    this.server = canonicalResource(this.url);
    this.clock = clock;
    this.now = now;
    this.http = new AuthHttp(this.url, {
      clock,
      ...http,
      trustedHosts: [...(http.trustedHosts ?? []), ...hostsOf(machine)],
    });
    this.disposables.add(
      store.onDidChange((key) => {
        if (key === secretKey(this.server) && this.isLoaded) this.reload().catch(() => undefined); // the next refusal reads again
      }),
    );
  }

  /** What to show now. */
  get state(): AuthState {
    return this.current;
  }

  /** The steps of the newest sign-in or token request. */
  get trace(): SignInTrace | undefined {
    return this.latestTrace;
  }

  /**
   * Until the result is disposed, refusals may lead to the browser: at most one sign-in and two step-ups. To be called
   * around what a person asked for (Start, Run Tool), never around automatic starts.
   */
  beginUserAction(): Disposable {
    const action = (this.action ??= { count: 0, signIns: 1, stepUps: 2 });
    action.count++;
    this.hopeless = this.pause = undefined;
    return toDisposable(() => {
      if (--action.count === 0) this.action = undefined;
    });
  }

  /** Tokens that were sent, the latest, and what goes with those in use: a server may repeat them. */
  get secretValues(): readonly string[] {
    const { accessToken, refreshToken, client } = this.held?.tokens ?? {};
    return [accessToken, refreshToken, client?.clientSecret, ...this.sent].filter(
      (value): value is string => value !== undefined && value !== '',
    );
  }

  headers(request: { method: string; url: string }): Record<string, string> | Promise<Record<string, string>> {
    if (!this.isLoaded) return this.load().then(() => this.headers(request));
    const tokens = this.held?.tokens;
    if (!tokens || !this.isOurs(request.url)) return {};
    const need = this.options.machine || tokens.refreshToken !== undefined ? refreshNeed(tokens, this.now()) : 'no';
    if (need === 'now') return this.renew().then(() => (this.held ? this.headersFor(this.held.tokens, request) : {}));
    if (need === 'soon') this.renew().catch(() => undefined); // the token still works; the failure is shown when it ends
    return this.headersFor(tokens, request);
  }

  async handleChallenge(challenge: AuthChallenge): Promise<boolean> {
    return this.noting(() => this.queue.run(() => this.answer(challenge)));
  }

  /**
   * Signs in now, because the user asked for it; joins a sign-in that is under way. Rejects with HostError
   * `cancelled` or `auth-failed`.
   */
  signIn(options: SignInOptions = {}): Promise<AccountInfo> {
    return this.signingIn ?? this.joinable(this.noting(() => this.queue.run(() => this.signInNow(options))));
  }

  /**
   * Forgets accounts of this server (default: all), after asking their issuers to end the tokens; an issuer that does
   * not answer does not keep us.
   */
  async signOut(account?: string): Promise<void> {
    const { store } = this.options;
    // The server may be removed from the configuration meanwhile, which disposes this; its tokens have to end all the
    // same.
    const flow: Flow = { ...this.begin(), signal: undefined };
    for (const { issuer, account: name, tokens } of (await store.read(this.server)).accounts) {
      const { revocationEndpoint: endpoint, refreshToken, accessToken, client } = tokens;
      if ((account !== undefined && name !== account) || endpoint === undefined) continue;
      await revokeToken(flow, issuer, endpoint, client, refreshToken ?? accessToken).catch((error: unknown) =>
        flow.trace.stop(error),
      );
    }
    await store.forgetAccounts(this.server, { account });
    if (this.options.machine) {
      this.held = undefined;
      this.setState({ kind: 'open' });
    }
    await this.reload();
  }

  /** Where the server signs in, read from its metadata now. Rejects with `auth-failed`. */
  async findIssuer(): Promise<string> {
    await this.load();
    return this.tracing(undefined, async (flow) => (await this.find(flow)).issuer.issuer);
  }

  /** Ends a sign-in that waits for the browser; it rejects with `cancelled`. */
  cancelSignIn(): void {
    this.ending.abort();
    this.ending = new AbortController();
  }

  /** Ends a running sign-in and the events. */
  dispose(): void {
    this.ending.abort();
    this.disposables.dispose();
  }

  /** Tokens go to the server's own origin and nowhere else, whatever a redirect or an endpoint event says. */
  private isOurs(url: string): boolean {
    return (
      url === this.options.serverUrl ||
      (URL.canParse(url) && new URL(url.replace(/^ws/, 'http')).origin === this.url.origin)
    );
  }

  private headersFor(
    { accessToken, type, dpopKey }: TokenSet,
    { method, url }: { method: string; url: string },
  ): Record<string, string> {
    if (!this.sent.has(accessToken)) this.remember(accessToken);
    if (type === 'Bearer' || !dpopKey) return { authorization: `Bearer ${accessToken}` };
    const { origin } = this.url;
    if (this.prover?.stored !== dpopKey) this.prover = new DpopProver(dpopKey);
    const issuedAt = Math.floor(this.now() / 1000) + (this.http.skewOf(origin) ?? 0);
    const proof = this.prover.proof({
      method,
      url: url.replace(/^ws/, 'http'),
      issuedAt,
      accessToken,
      nonce: this.nonces.get(origin),
    });
    return { authorization: `DPoP ${accessToken}`, dpop: proof };
  }

  private remember(token: string): void {
    this.sent.add(token);
    const [oldest] = this.sent;
    if (this.sent.size > maxRemembered && oldest !== undefined) this.sent.delete(oldest);
  }

  private load(): Promise<void> {
    return (this.loading ??= this.reload().then(
      () => void (this.isLoaded = true),
      (error: unknown) => {
        this.loading = undefined;
        throw error;
      },
    ));
  }

  /** Takes over what the store has now. */
  private async reload(): Promise<void> {
    const { store, account, machine } = this.options;
    if (machine) return;
    const record = await store.read(this.server);
    const held = (this.held = currentAccount(record, account));
    if (held && held.tokens.accessToken !== this.refused)
      this.setState({ kind: 'signedIn', account: accountInfo(record, held) });
    else if (!held && this.current.kind === 'signedIn')
      this.setState({ kind: 'signInNeeded', error: this.problem('sign-in-needed') });
  }

  /** Renews, once at a time. Rejects when the issuer could not be asked. */
  private renew(): Promise<void> {
    if (this.pause && this.clock.now() < this.pause.until) return Promise.reject(this.pause.error);
    return (this.renewing ??= this.noting(() =>
      this.tracing(undefined, async (flow) => {
        try {
          if (this.options.machine)
            await this.askMachine(flow, await this.find(flow), this.held?.tokens.requestedScopes);
          else await this.refresh(flow);
        } catch (error) {
          this.pause ??= { error: error as Error, until: this.clock.now() + renewPauseMs };
          throw error;
        }
      }),
    ).finally(() => (this.renewing = undefined)));
  }

  /** True when there are other tokens now. */
  private async refresh(flow: Flow): Promise<boolean> {
    const seen = this.held;
    if (!seen) return false;
    const renewed = await refreshAccount(
      flow,
      { store: this.options.store, clock: this.clock, nonces: this.nonces },
      this.server,
      seen,
    );
    this.pause = undefined;
    await this.reload();
    if (!renewed)
      this.setState({ kind: 'signInNeeded', error: this.problem('sign-in-needed', { issuer: seen.issuer }) });
    return renewed !== undefined;
  }

  private async answer({ status, url, wwwAuthenticate, dpopNonce, sentHeaders }: AuthChallenge): Promise<boolean> {
    if (!this.isOurs(url)) return false;
    const hints = readHints(wwwAuthenticate);
    const { origin } = this.url;
    if (hints.error === 'use_dpop_nonce' && dpopNonce !== undefined && dpopNonce !== this.nonces.get(origin)) {
      this.nonces.set(origin, dpopNonce);
      return true;
    }
    await this.load();
    const sent = sentHeaders['authorization']?.replace(/^\S+ /, '');
    const isScopeProblem = status === 403 && hints.error === 'insufficient_scope';
    // A plain 403 is the server's last word, unless it stands for a missing sign-in.
    if (
      status === 403 &&
      !isScopeProblem &&
      (sent !== undefined || !(hints.schemes.has('bearer') || hints.schemes.has('dpop')))
    )
      return false;
    this.hints = hints;
    await this.renewing?.catch(() => undefined); // judged by what is there afterwards
    await this.reload();
    const tokens = this.held?.tokens;
    if (tokens && tokens.accessToken !== sent) return true;
    await (isScopeProblem && tokens ? this.stepUp(tokens) : this.unauthorized());
    return true;
  }

  private async unauthorized(): Promise<void> {
    const { held, action, current } = this;
    const { machine, signIn } = this.options;
    // A call beside this one may have ended the tokens just now, and said whose they were.
    const needed =
      current.kind === 'signInNeeded' && isAuthError(current.error) ? current.error.data.issuer : undefined;
    const token = (this.refused = held?.tokens.accessToken);
    if (token !== undefined && this.isFresh(token)) this.hopeless = token;
    const isHopeless = token !== undefined && this.hopeless === token;
    const mayRefresh = held?.tokens.refreshToken !== undefined && !isHopeless;
    const maySignIn = !machine && signIn !== undefined && action !== undefined && action.signIns > 0;
    const facts = { issuer: held?.issuer ?? needed };
    if (isHopeless && (machine !== undefined || (action && !maySignIn)))
      throw this.problem('token-not-accepted', facts);
    if (!machine && !mayRefresh && !maySignIn) throw this.problem('sign-in-needed', facts);
    if (machine && this.pause && this.clock.now() < this.pause.until) throw this.pause.error;
    await this.tracing(this.hints, async (flow) => {
      const discovery = await this.find(flow);
      const { issuer } = discovery.issuer;
      const isSameIssuer = held?.issuer === issuer;
      const before = isSameIssuer ? held.tokens.requestedScopes : [];
      if (machine) {
        await this.askMachine(flow, discovery, before);
        return;
      }
      if (mayRefresh && isSameIssuer && (await this.refresh(flow))) {
        this.markFresh();
        return;
      }
      if (!maySignIn) throw this.problem('sign-in-needed', { issuer });
      action.signIns--;
      await this.joinable(this.askPerson(flow, discovery, { challenged: this.hints.scopes, before }));
    });
  }

  private async stepUp({ accessToken, requestedScopes, scopes }: TokenSet): Promise<void> {
    const { action } = this;
    const { machine, signIn } = this.options;
    const before = [...new Set([...requestedScopes, ...scopes])];
    const challenged = this.hints.scopes ?? [];
    const missing = challenged.filter((scope) => !before.includes(scope));
    const facts = {
      detail: (missing.length > 0 ? missing : challenged).join(' ') || 'it does not say which',
      scopes: [...before, ...missing],
    };
    if (!machine && (!action || !signIn)) throw this.problem('more-scopes-needed', facts);
    if (machine && this.clock.now() >= this.machineStepUps.until)
      this.machineStepUps = { left: 2, until: this.clock.now() + 60_000 };
    const isPointless = missing.length === 0 && (machine !== undefined || this.isFresh(accessToken));
    if (isPointless || (machine ? this.machineStepUps.left-- : (action?.stepUps ?? 0)) <= 0)
      throw this.problem('scope-not-granted', facts);
    if (!machine && action) action.stepUps--;
    await this.tracing(this.hints, async (flow) => {
      const discovery = await this.find(flow);
      if (machine) await this.askMachine(flow, discovery, before);
      // Another issuer never heard of the scopes of the one before.
      else
        await this.joinable(
          this.askPerson(flow, discovery, {
            challenged,
            before: this.held?.issuer === discovery.issuer.issuer ? before : [],
            isStepUp: true,
          }),
        );
    });
  }

  private async signInNow({ account, scopes, isStepUp }: SignInOptions): Promise<AccountInfo> {
    this.hopeless = this.pause = undefined;
    await this.load();
    return this.tracing(this.hints, async (flow) => {
      const discovery = await this.find(flow);
      if (this.options.machine) return this.askMachine(flow, discovery);
      const { held } = this;
      const before =
        account === undefined && held?.issuer === discovery.issuer.issuer ? held.tokens.requestedScopes : [];
      return this.askPerson(flow, discovery, { account, challenged: scopes ?? this.hints.scopes, before, isStepUp });
    });
  }

  /** Discovery that prefers the issuer that we already have something at. */
  private find(flow: Flow): Promise<Discovery> {
    const preferred = this.held?.issuer ?? this.options.client?.issuer;
    return discover(flow, this.hints, (issuer) => issuer === preferred);
  }

  private async askMachine(flow: Flow, discovery: Discovery, before?: readonly string[]): Promise<AccountInfo> {
    const { machine } = this.options;
    if (!machine) throw new HostError('internal', 'There is no machine grant.');
    const { resource, issuer } = discovery;
    const scopes = chooseScopes({
      challenged: this.hints.scopes,
      configured: this.options.scopes,
      ofServer: discovery.scopes,
      before,
    });
    const dpop = proverFor(discovery);
    let answer: TokenAnswer;
    try {
      await this.bindMachine(machine, issuer.issuer);
      answer = await requestMachineTokens(flow, machine, discovery, scopes, this.nonces, dpop);
    } catch (error) {
      this.pause = { error: error as Error, until: this.clock.now() + machinePauseMs };
      throw error;
    }
    flow.trace.add('done', { note: `A token of ${issuer.issuer}.` });
    // Renewed by asking again, so that the client need not be kept.
    const client = { clientId: '', authMethod: 'none' as const };
    const tokens = tokensFrom(answer, this.now(), {
      requestedScopes: scopes,
      resource,
      tokenEndpoint: issuer.token_endpoint,
      client,
      dpopKey: dpop?.stored,
    });
    const account = { issuer: issuer.issuer, account: machine.kind, tokens };
    return this.adopt(
      { server: this.server, name: this.options.serverName, accounts: [account], clients: [] },
      account,
    );
  }

  /**
   * What a grant without a person sends is good at one issuer. Where none is written down, that is the first one that this
   * server named: a server that names another later gets nothing of it (security requirement A12).
   */
  private async bindMachine(machine: MachineGrant, issuer: string): Promise<void> {
    const { store } = this.options;
    const clientId = machineClientId(machine);
    const { bound } = await store.read(this.server);
    if (bound?.clientId === clientId && bound.issuer !== issuer)
      throw this.problem('client-moved', { issuer, detail: bound.issuer });
    if (bound?.clientId !== clientId)
      await store.update(this.server, (record) => (record.bound = { clientId, issuer }));
  }

  private joinable(signIn: Promise<AccountInfo>): Promise<AccountInfo> {
    const done = () => {
      if (this.signingIn === signIn) this.signingIn = undefined;
    };
    signIn.then(done, done);
    return (this.signingIn = signIn);
  }

  private async askPerson(
    flow: Flow,
    discovery: Discovery,
    {
      account,
      challenged,
      before,
      isStepUp = false,
    }: { account?: string; challenged: readonly string[] | undefined; before?: readonly string[]; isStepUp?: boolean },
  ): Promise<AccountInfo> {
    const { signIn, store, scopes: configured } = this.options;
    if (!signIn) throw this.problem('sign-in-needed');
    this.setState({ kind: 'signingIn' });
    const scopes = chooseScopes({
      challenged,
      configured,
      ofServer: discovery.scopes,
      ofIssuer: discovery.issuer.scopes_supported,
      before,
    });
    const name = account ?? this.held?.account ?? this.options.account ?? defaultAccount;
    const run = {
      server: this.server,
      account: name,
      discovery,
      scopes,
      isStepUp,
      choosesAccount: this.held !== undefined && name !== this.held.account,
      dpop: proverFor(discovery),
    };
    await signInPerson(flow, store, { ...signIn, clock: this.clock }, this.options, this.nonces, run);
    const record = await store.read(this.server);
    const signedIn = currentAccount(record, name);
    if (!signedIn) throw new HostError('internal', 'The secret store did not keep the sign-in.');
    if (name === (this.options.account ?? name)) return this.adopt(record, signedIn);
    // Another account than the one that this server is told to use.
    await this.reload();
    return accountInfo(record, signedIn);
  }

  private adopt(record: ServerRecord, signedIn: StoredAccount): AccountInfo {
    this.held = signedIn;
    this.pause = undefined;
    this.markFresh();
    const account = accountInfo(record, signedIn);
    this.setState({ kind: 'signedIn', account });
    return account;
  }

  private isFresh(token: string): boolean {
    return this.fresh?.token === token && this.clock.now() < this.fresh.until;
  }

  private markFresh(): void {
    this.fresh = { token: this.held?.tokens.accessToken ?? '', until: this.clock.now() + freshMs };
  }

  private begin(): Flow {
    const { serverName: server } = this.options;
    const trace = (this.latestTrace = new SignInTrace(server, this.now));
    this.didBeginTrace.fire(trace);
    return { server, http: this.http, trace, now: this.now, signal: this.ending.signal };
  }

  /** Runs one flow with a trace of its own. */
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

  /** After a failure the state goes back to the account that still works, or says why none does. */
  private async noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const token = this.held?.tokens.accessToken;
      if (token !== undefined && token !== this.refused) await this.reload();
      else if (error instanceof HostError)
        this.setState({ kind: 'signInNeeded', error: isCancelled(error) ? this.problem('sign-in-needed') : error });
      throw error;
    }
  }

  private problem(problem: AuthProblem, facts: Omit<ProblemFacts, 'server'> = {}): HostError {
    return authError(problem, { server: this.options.serverName, ...facts });
  }

  private setState(state: AuthState): void {
    const isSame = state.kind !== 'signInNeeded' && JSON.stringify(state) === JSON.stringify(this.current);
    this.current = state;
    if (!isSame) this.didChangeState.fire(state);
  }
}

/** A key for DPoP when the server wants bound tokens and the issuer can make them. */
function proverFor({ wantsDpop, issuer }: Discovery): DpopProver | undefined {
  return wantsDpop && (issuer.dpop_signing_alg_values_supported ?? ['ES256']).includes('ES256')
    ? new DpopProver(createDpopKey())
    : undefined;
}

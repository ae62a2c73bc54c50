/**
 * The sign-ins of all servers: the authorizer of each server, the actions for accounts and registrations, and the
 * decision whether a refused request leads to a question. The code of `core/auth` is loaded for the first remote
 * server.
 *
 * The question comes after the request has ended, so no request timeout runs while the user is in the browser. The
 * server did not process the refused request, so the request is sent again afterwards.
 */
import type { CallSignal } from '../base/lightAbort.js';
import path from 'node:path';
import { authorizerOptions } from './authorizerOptions.js';
import type { Authorizer } from '../auth/authorizer.js';
import { configuredCredentials } from '../auth/authorizer.js';
import type { AuthState } from '../auth/authorizationState.js';
import type { OAuthAuthorizer } from '../auth/oauthAuthorizer.js';
import type { SignInOptions } from '../auth/oauthOptions.js';
import { askingWhenRefused } from '../auth/signInQuestions.js';
import type { SignInTrace } from '../auth/signInTrace.js';
import type { TokenStore } from '../auth/tokenStore.js';
import type { AccountInfo, RegistrationInfo } from '../auth/serverRecord.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { parsedUrl } from '../base/parsedUrl.js';
import type { ServerAuth } from '../catalog/hostTypes.js';
import type { SignInApi } from './signInApi.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import { KeptSecrets, keptOptions } from './keptStores.js';
import type { SignInPorts } from '../auth/signInPorts.js';
import { SecretMemory } from './secretMemory.js';
import type { HostPorts } from './ports.js';
import { noteServer } from '../present/failure/failureText.js';
import type { ServerEntry } from '../registry/serverEntry.js';

/** A remote server whose variables are filled in. */
export type ResolvedRemote = Exclude<ResolvedServer, { type: 'stdio' }>;

export interface SignInsOwner {
  /** Requires approval, resolves variables, and then calls `authorizerFor`. Rejects with the same errors as a start. */
  prepare(server: string): Promise<void>;
  onDidChange(server: string, state: AuthState): void;
  onDidBeginTrace(server: string, trace: SignInTrace): void;
}

/** The sign-in data of one server. Created when a connection, a sign-in or a diagnosis first needs the authorizer. */
interface Known {
  /** Identifies the configuration of the authorizer. */
  key: string;
  authorizer: OAuthAuthorizer;
  isPersonal: boolean;
  host: string;
  traces: SignInTrace[];
  subscriptions: DisposableStore;
}

const maxTraces = 5;

export class SignIns implements SignInApi, Disposable {
  private readonly known = new Map<string, Known>();
  /** Tokens of authorizers that were replaced. */
  private readonly past = new SecretMemory();
  /** Sign-ins whose outcome will be written to the audit log. The key is the promise of the authorizer. */
  private readonly noting = new WeakMap<Promise<AccountInfo>, Promise<AccountInfo>>();
  private opening: Promise<{ surroundings: SignInPorts; store: TokenStore }> | undefined;

  private readonly didTrace = new Emitter<string>();
  readonly onDidTrace = this.didTrace.event;

  constructor(
    private readonly ports: Pick<HostPorts, 'signIn' | 'clock' | 'machine' | 'log' | 'audit' | 'tell'>,
    private readonly owner: SignInsOwner,
  ) {}

  /** The authorizer for requests to a server. */
  async authorizerFor(entry: ServerEntry, resolved: ResolvedRemote): Promise<Authorizer> {
    const { url, headers, oauth, ca } = resolved;
    if (hasAuthorization(headers)) {
      this.forget(entry.id);
      return configuredCredentials(entry.name, 'header-refused', Object.keys(headers));
    }
    // A local socket has no URL at which metadata could be found.
    if (!this.ports.signIn || oauth === false || !/^(http|ws)s?:/i.test(url)) {
      this.forget(entry.id);
      return configuredCredentials(entry.name, 'no-sign-in', Object.keys(headers));
    }
    // The key includes the headers: with other headers, the server may no longer require a sign-in, so the state of the
    // old authorizer is discarded.
    const key = JSON.stringify([entry.name, url, oauth, ca, headers]);
    const known = this.known.get(entry.id);
    if (known?.key === key) return known.authorizer;
    const { surroundings, store } = await this.open(this.ports.signIn);
    const { OAuthAuthorizer: Class } = await import('../auth/oauthAuthorizer.js');
    const { openBrowser, receiver, askClient } = surroundings;
    const { http, ...configured } = await authorizerOptions(oauth ?? {}, (file) => this.readFile(entry, file));
    const trusting = ca === undefined ? {} : { fetch: (await import('../auth/authFetch.js')).fetchTrusting(ca, url) };
    const authorizer = new Class({
      serverUrl: url,
      serverName: entry.name,
      sentHeaders: Object.keys(headers),
      store,
      signIn: { openBrowser, receiver },
      askClient,
      clock: this.ports.clock,
      ...configured,
      http: { ...http, ...trusting },
    });
    this.forget(entry.id);
    const subscriptions = new DisposableStore();
    const traces: SignInTrace[] = [];
    subscriptions.add(authorizer);
    subscriptions.add(authorizer.onDidChangeState((state) => this.owner.onDidChange(entry.id, state)));
    subscriptions.add(
      authorizer.onDidBeginTrace((trace) => {
        traces.splice(0, traces.length + 1 - maxTraces);
        traces.push(trace);
        trace.onDidAdd(() => this.didTrace.fire(entry.id));
        this.owner.onDidBeginTrace(entry.id, trace);
      }),
    );
    this.known.set(entry.id, {
      key,
      authorizer,
      isPersonal: oauth?.grant === undefined,
      host: new URL(url).host,
      traces,
      subscriptions,
    });
    return authorizer;
  }

  /** The sign-in state to show for a server; undefined while the server has not requested authorization. */
  authOf(server: string): ServerAuth | undefined {
    const known = this.known.get(server);
    if (!known) return undefined;
    const { authorizer, host, isPersonal } = known;
    const { state } = authorizer;
    return state.kind === 'open' ? undefined : { state, host, isPersonal };
  }

  /** The tokens that were or may be sent to a server. They are masked in all stored output of the server. */
  secretValues(server: string): readonly string[] {
    return [...(this.known.get(server)?.authorizer.secretValues ?? []), ...this.past.of(server)];
  }

  /**
   * Runs `work`. If the server refuses because a sign-in is required, and the user can be asked, asks the user to sign
   * in and runs `work` again. If the user declines, rejects with the refusal, whose `data.declined` is then true.
   * @param isInteractive whether the user can be asked. It is called when the server refuses, because the user may have
   * joined in the meantime.
   */
  async askingWhenRefused<T>(
    server: string,
    isInteractive: () => boolean,
    signal: CallSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    return askingWhenRefused(work, {
      mayAsk: () => this.known.get(server)?.isPersonal === true && isInteractive(),
      signIn: async (options) => {
        const known = this.known.get(server);
        if (known) await this.ask(server, known.authorizer, options, signal);
      },
      signal,
    });
  }

  async signIn(server: string, options?: SignInOptions): Promise<AccountInfo> {
    return this.noted(server, (await this.require(server)).authorizer.signIn(options));
  }

  cancel(server: string): void {
    const authorizer = this.known.get(server)?.authorizer;
    if (authorizer?.state.kind === 'signingIn') authorizer.cancelSignIn();
  }

  async signOut({ server, serverName, account }: AccountInfo): Promise<void> {
    this.ports.audit?.note({ event: 'sign-out', server: serverName, account });
    const known = [...this.known.values()].find(({ authorizer }) => authorizer.server === server);
    if (known) return known.authorizer.signOut(account);
    const store = await this.store();
    const { OAuthAuthorizer: Class } = await import('../auth/oauthAuthorizer.js');
    const authorizer = new Class({ serverUrl: server, serverName, store });
    return authorizer.signOut(account).finally(() => authorizer.dispose());
  }

  async select({ server, account }: AccountInfo): Promise<void> {
    await (await this.store()).update(server, (record) => (record.selected = account));
  }

  async accounts(server?: string): Promise<AccountInfo[]> {
    const store = await this.store();
    const address = server === undefined ? undefined : (await this.require(server)).authorizer.server;
    return (await store.accounts()).filter((account) => address === undefined || account.server === address);
  }

  async registrations(server?: string): Promise<RegistrationInfo[]> {
    const store = await this.store();
    const address = server === undefined ? undefined : (await this.require(server)).authorizer.server;
    return (await store.registrations()).filter(
      (registration) => address === undefined || registration.server === address,
    );
  }

  async forgetRegistration({ server, issuer }: RegistrationInfo): Promise<void> {
    await (await this.store()).forgetRegistrations(server, issuer);
  }

  /**
   * The canonical form of a URL, under which its sign-ins are stored; undefined if sign-ins are not possible for the
   * URL.
   */
  async addressOf(url: string): Promise<string | undefined> {
    const parsed = this.ports.signIn && /^(http|ws)s?:/i.test(url) ? parsedUrl(url.replace(/^ws/i, 'http')) : undefined;
    if (!parsed) return undefined;
    const { canonicalResource } = await import('../auth/discovery.js');
    return canonicalResource(parsed);
  }

  /** Whether accounts or registrations are stored for a result of `addressOf`. */
  async isKnown(address: string): Promise<boolean> {
    const { accounts, clients, bound } = await (await this.store()).read(address);
    return accounts.length > 0 || clients.length > 0 || bound !== undefined;
  }

  /** Signs out all accounts of a result of `addressOf`, and deletes everything that is stored for it. */
  async forgetAddress(address: string): Promise<void> {
    const store = await this.store();
    for (const account of (await store.accounts()).filter(({ server }) => server === address))
      await this.signOut(account);
    await store.forgetServer(address);
  }

  async findIssuer(server: string): Promise<string> {
    return (await this.require(server)).authorizer.findIssuer();
  }

  async setClient(server: string, issuer: string, client: { clientId: string; clientSecret?: string }): Promise<void> {
    const { authorizer } = await this.require(server);
    await (await this.store()).setClient(authorizer.server, server, issuer, client);
  }

  traces(server: string): readonly SignInTrace[] {
    return this.known.get(server)?.traces ?? [];
  }

  serversOf(of: { server: string }): string[] {
    return [...this.known].filter(([, { authorizer }]) => authorizer.server === of.server).map(([id]) => id);
  }

  /**
   * Discards the authorizer of a server, for example when the server is no longer configured. Stored values are kept.
   */
  forget(server: string): void {
    const known = this.known.get(server);
    // A run that began with these tokens may still be in progress.
    this.past.remember(server, known?.authorizer.secretValues ?? []);
    known?.subscriptions.dispose();
    this.known.delete(server);
  }

  dispose(): void {
    for (const server of [...this.known.keys()]) this.forget(server);
    this.didTrace.dispose();
  }

  /** Records the outcome of a sign-in in the audit log. */
  private noted(server: string, signIn: Promise<AccountInfo>): Promise<AccountInfo> {
    // Callers that join a sign-in in progress share its promise, so that the one decision causes one log entry.
    const known = this.noting.get(signIn);
    if (known) return known;
    const noted = this.note(server, signIn);
    this.noting.set(signIn, noted);
    return noted;
  }

  private async note(server: string, signIn: Promise<AccountInfo>): Promise<AccountInfo> {
    try {
      const account = await signIn;
      this.ports.audit?.note({ event: 'sign-in', server, outcome: 'allowed', account: account.account });
      return account;
    } catch (error) {
      this.ports.audit?.note({ event: 'sign-in', server, outcome: isCancelled(error) ? 'refused' : 'failed' });
      throw error;
    }
  }

  private async ask(
    server: string,
    authorizer: OAuthAuthorizer,
    options: SignInOptions,
    signal: CallSignal | undefined,
  ): Promise<void> {
    const onAbort = () => authorizer.cancelSignIn();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await this.noted(server, authorizer.signIn(options));
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    signal?.throwIfAborted();
  }

  private async readFile({ name, source }: ServerEntry, file: string): Promise<string> {
    try {
      return (
        await this.ports.machine.readFile(path.resolve(source.folderPath ?? this.ports.machine.userHome, file))
      ).trim();
    } catch (error) {
      throw new HostError(
        'bad-configuration',
        `The file ${visibleLine(file)} for the sign-in of "${name}" could not be read.`,
        { cause: error, data: { problem: 'sign-in-file', subject: file }, hint: 'Correct the path in "oauth".' },
      );
    }
  }

  private async require(server: string): Promise<Known> {
    await this.owner.prepare(server);
    const known = this.known.get(server);
    if (!known) {
      throw new HostError('unsupported', `The server "${server}" does not use sign-in.`, {
        data: { server, why: 'no-sign-in' },
        hint: 'Sign-in is for remote servers without an Authorization header in their configuration.',
      });
    }
    return known;
  }

  /** The ID of the server with this result of `addressOf`; the URL itself if no server is known for it. */
  private nameAt(address: string): string {
    return [...this.known].find(([, { authorizer }]) => authorizer.server === address)?.[0] ?? address;
  }

  private async store(): Promise<TokenStore> {
    if (!this.ports.signIn)
      throw new HostError('unsupported', 'Sign-in is not available here.', { data: { why: 'no-sign-in-here' } });
    return (await this.open(this.ports.signIn)).store;
  }

  private open(surroundingsOf: () => Promise<SignInPorts>): Promise<{ surroundings: SignInPorts; store: TokenStore }> {
    this.opening ??= (async () => {
      const [surroundings, { TokenStore: Class }] = await Promise.all([
        surroundingsOf(),
        import('../auth/tokenStore.js'),
      ]);
      const options = keptOptions(this.ports);
      const secrets = new KeptSecrets(surroundings.secrets, options);
      const onUnread = (error: unknown, server: string) => {
        noteServer(error, this.nameAt(server));
        if (error instanceof HostError) secrets.report(error);
      };
      return {
        surroundings,
        store: new Class(secrets, surroundings.lock, (line) => this.ports.log.write('warn', line), onUnread),
      };
    })().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

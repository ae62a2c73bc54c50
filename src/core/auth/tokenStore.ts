/**
 * What is remembered of sign-ins: tokens per (server, issuer, account), and client registrations per (server, issuer).
 * The server is known by its address, not by its name, so that another server under the same name gets nothing
 * (security requirement S4). One secret per server plus one list of all servers, since a secret store cannot be listed.
 * Every change reads, changes and writes under the lock; a value that cannot be read counts as absent.
 */
import { createHash } from 'node:crypto';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { isObject, isStringArray } from '../base/guards.js';
import type { AuthLock } from './authLock.js';
import type { DpopKey } from './jwtSigner.js';
import type { ClientIdentity, TokenAnswer } from './tokenRequest.js';

/** Where secrets live; VS Code's SecretStorage has this shape. */
export interface AuthSecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Holds a value for this window without storing it; undefined: nothing. Absent: a value that cannot be read cannot
   * be changed.
   */
  keep?(key: string, value: string | undefined): void;
  /**
   * Fires with the key when any window changed a value. Absent: changes of other windows are noticed at the next
   * refusal.
   */
  readonly onDidChange?: Event<string>;
}

/** The tokens of one account, with all that is needed to renew them without asking anybody else. Secret as a whole. */
export interface TokenSet {
  accessToken: string;
  type: 'Bearer' | 'DPoP';
  /**
   * Milliseconds since the epoch, by our clock: counted from the arrival of the answer, so the issuer's clock does
   * not matter.
   */
  obtainedAt: number;
  /** Undefined: unknown, valid until refused. */
  expiresAt?: number;
  refreshToken?: string;
  /** Granted, as far as the issuer says; else as requested. */
  scopes: string[];
  /** Asked for, to be kept in a step-up. */
  requestedScopes: string[];
  resource: string;
  tokenEndpoint: string;
  revocationEndpoint?: string;
  client: ClientIdentity;
  dpopKey?: DpopKey;
}

/** An account at an issuer, as used with one server. */
export interface StoredAccount {
  issuer: string;
  /** Chosen by us; `default` for the first. */
  account: string;
  /** A name from the issuer, unverified and hostile. */
  label?: string;
  tokens: TokenSet;
}

/** A dynamic registration. */
export interface DynamicClient extends ClientIdentity {
  /** What it was registered with; an issuer may insist on exactly this. */
  redirectUri: string;
  /** Milliseconds since the epoch. */
  secretExpiresAt?: number;
}

/** Our clients at one issuer. */
export interface StoredClients {
  issuer: string;
  /** Typed in by the user. */
  entered?: { clientId: string; clientSecret?: string };
  dynamic?: DynamicClient;
}

/** Everything about one server. */
export interface ServerRecord {
  server: string;
  name: string;
  /** The account in use. */
  selected?: string;
  accounts: StoredAccount[];
  clients: StoredClients[];
  /** Which issuer a configured client id was first used with; it is never sent to another. */
  bound?: { clientId: string; issuer: string };
}

/** An account as it may be shown: no secrets. */
export interface AccountInfo {
  server: string;
  serverName: string;
  issuer: string;
  account: string;
  /** Hostile text. */
  label?: string;
  scopes: string[];
  /** Milliseconds since the epoch. */
  expiresAt?: number;
  canRefresh: boolean;
  isSelected: boolean;
}

/** A client registration as it may be shown: no secrets. */
export interface RegistrationInfo {
  server: string;
  serverName: string;
  issuer: string;
  clientId: string;
  kind: 'entered' | 'dynamic';
}

const prefix = 'mcpDeck.auth.';
const indexKey = `${prefix}servers`;
/** The account that is used when none is named. */
export const defaultAccount = 'default';

export class TokenStore {
  private readonly didChange = new Emitter<string>();
  /** Servers whose record could not be read when it was changed: changes count in this window only. */
  private readonly unread = new Set<string>();
  /**
   * Fired with the `secretKey` of a server after its record was changed; by other windows too when the secret store
   * tells.
   */
  readonly onDidChange: Event<string> = this.didChange.event;

  constructor(
    private readonly secrets: AuthSecretStore,
    private readonly lock: AuthLock,
    /** Told what could not be read, which is set aside then; ready to be logged. */
    private readonly report: (line: string) => void = () => undefined,
    /** Told why the store could not be read. */
    private readonly onUnread: (error: unknown, server: string) => void = () => undefined,
  ) {
    secrets.onDidChange?.((key) => this.didChange.fire(key));
  }

  /** The record of `server`, empty when there is none. */
  async read(server: string): Promise<ServerRecord> {
    return readRecord((await this.stored(secretKey(server), server)).value, server) ?? noRecord(server);
  }

  /**
   * What is stored. Where the store can hold values for this window, one that does not answer counts as empty: the
   * server is asked for a sign-in, if it wants one.
   */
  private async stored(key: string, server: string): Promise<{ value: string | undefined; isUnread?: true }> {
    try {
      return { value: await this.secrets.get(key) };
    } catch (error) {
      if (!this.secrets.keep) throw error;
      this.onUnread(error, server);
      return { value: undefined, isUnread: true };
    }
  }

  /**
   * Runs `work` while nobody else renews or replaces the tokens of an account, and tells the next holder what it left:
   * secret stores reach other windows with a delay.
   */
  exclusively<T>(
    server: string,
    account: string,
    work: (turn: { lastNote: string | undefined; left: (tokens: TokenSet) => void }) => Promise<T>,
  ): Promise<T> {
    return this.lock.run(`tokens ${account} ${server}`, (turn) =>
      work({ lastNote: turn.lastNote, left: (tokens) => turn.leaveNote(noteOf(tokens)) }),
    );
  }

  /** Changes the record in one step, after reading its newest state; an empty one is removed. */
  async update(server: string, change: (record: ServerRecord) => void): Promise<ServerRecord> {
    const record = await this.lock.run('store', async () => {
      const { value, isUnread } = await this.stored(secretKey(server), server);
      const current = readRecord(value, server) ?? (await this.begunAnew(server));
      change(current);
      current.clients = current.clients.filter(({ entered, dynamic }) => entered ?? dynamic);
      if (isUnread) this.unread.add(server);
      if (this.unread.has(server)) {
        // What is stored and could not be read may be much more: this window never writes over it.
        this.secrets.keep?.(secretKey(server), JSON.stringify(current));
        return current;
      }
      const servers = await this.servers();
      const isEmpty = current.accounts.length === 0 && current.clients.length === 0 && !current.bound;
      if (isEmpty) await this.secrets.delete(secretKey(server));
      else await this.secrets.set(secretKey(server), JSON.stringify(current));
      if (isEmpty === servers.includes(server)) {
        await this.secrets.set(
          indexKey,
          JSON.stringify(isEmpty ? servers.filter((other) => other !== server) : [...servers, server]),
        );
      }
      return current;
    });
    if (!this.secrets.onDidChange) this.didChange.fire(secretKey(server));
    return record;
  }

  /** All accounts of all servers. */
  async accounts(): Promise<AccountInfo[]> {
    return (await this.records()).flatMap((record) => record.accounts.map((account) => accountInfo(record, account)));
  }

  /** All registrations of all servers. */
  async registrations(): Promise<RegistrationInfo[]> {
    return (await this.records()).flatMap(({ server, name, clients }) =>
      clients.flatMap(({ issuer, entered, dynamic }) => {
        const row = (kind: 'entered' | 'dynamic', client?: { clientId: string }) =>
          client ? [{ server, serverName: name, issuer, clientId: client.clientId, kind }] : [];
        return [...row('entered', entered), ...row('dynamic', dynamic)];
      }),
    );
  }

  /**
   * Forgets accounts of a server: one, those of an issuer, or all. The tokens stay valid at the issuer; see
   * `OAuthAuthorizer.signOut`.
   */
  async forgetAccounts(server: string, which: { issuer?: string; account?: string } = {}): Promise<void> {
    await this.update(server, (record) => {
      const { issuer, account } = which;
      record.accounts = record.accounts.filter(
        (other) =>
          (issuer !== undefined && other.issuer !== issuer) || (account !== undefined && other.account !== account),
      );
    });
  }

  /** Forgets what we are registered as at an issuer, or everywhere; tokens stay. */
  async forgetRegistrations(server: string, issuer?: string): Promise<void> {
    await this.update(server, (record) => {
      record.clients = record.clients.filter((other) => issuer !== undefined && other.issuer !== issuer);
      delete record.bound;
    });
  }

  /** Sets or, with undefined, removes the client that the user entered for an issuer. */
  async setClient(
    server: string,
    name: string,
    issuer: string,
    client: { clientId: string; clientSecret?: string } | undefined,
  ): Promise<void> {
    await this.update(server, (record) => {
      record.name = name;
      const entry = clientsAt(record, issuer);
      if (client) entry.entered = client;
      else delete entry.entered;
    });
  }

  /** Forgets everything about a server: accounts, registrations, and which issuer its client belongs to. */
  async forgetServer(server: string): Promise<void> {
    await this.update(server, (record) => {
      Object.assign(record, { accounts: [], clients: [], bound: undefined });
    });
  }

  private async servers(): Promise<string[]> {
    const stored = await this.secrets.get(indexKey);
    const value = stored === undefined ? [] : parse(stored);
    if (isStringArray(value)) return value;
    await this.setAside(
      indexKey,
      stored,
      'The list of servers that you signed in to cannot be read. Each is listed again when it is used; what was signed in to stays signed in.',
    );
    await this.secrets.set(indexKey, '[]');
    return [];
  }

  /** In place of what cannot be read, before it is written over. */
  private async begunAnew(server: string): Promise<ServerRecord> {
    await this.setAside(
      secretKey(server),
      await this.secrets.get(secretKey(server)),
      `What was stored of the sign-in to ${server} cannot be read. Sign in again.`,
    );
    return noRecord(server);
  }

  private async setAside(key: string, content: string | undefined, what: string): Promise<void> {
    if (content === undefined) return;
    await this.secrets.set(`${key}.unreadable`, content);
    this.report(`${what} Its content was set aside in the secret store as "${key}.unreadable".`);
  }

  private async records(): Promise<ServerRecord[]> {
    return Promise.all((await this.servers()).map((server) => this.read(server)));
  }
}

/** The key of a server in the secret store. */
export function secretKey(server: string): string {
  return `${prefix}server.${createHash('sha256').update(server).digest('hex').slice(0, 32)}`;
}

/** The account in use: the named one, else the selected, else the first. */
export function currentAccount(record: ServerRecord, named?: string): StoredAccount | undefined {
  const wanted = named ?? record.selected;
  return (
    record.accounts.find(({ account }) => account === wanted) ?? (named === undefined ? record.accounts[0] : undefined)
  );
}

/** The clients at `issuer`, added to the record when there are none. */
export function clientsAt(record: ServerRecord, issuer: string): StoredClients {
  let entry = record.clients.find((other) => other.issuer === issuer);
  if (!entry) record.clients.push((entry = { issuer }));
  return entry;
}

/** Puts an account in place of all with its name: also of one at another issuer, which the server has left. */
export function putAccount(record: ServerRecord, account: StoredAccount): void {
  record.accounts = [...record.accounts.filter((other) => other.account !== account.account), account];
}

/** What may be shown of an account. */
export function accountInfo(record: ServerRecord, { issuer, account, label, tokens }: StoredAccount): AccountInfo {
  return {
    server: record.server,
    serverName: record.name,
    issuer,
    account,
    label,
    scopes: tokens.scopes,
    expiresAt: tokens.expiresAt,
    canRefresh: tokens.refreshToken !== undefined,
    isSelected: currentAccount(record)?.account === account,
  };
}

/** The tokens that follow from an answer; what a refresh does not repeat is taken from `before`. */
export function tokensFrom(
  answer: TokenAnswer,
  now: number,
  rest: Pick<TokenSet, 'requestedScopes' | 'resource' | 'tokenEndpoint' | 'revocationEndpoint' | 'client' | 'dpopKey'>,
  before?: TokenSet,
): TokenSet {
  const refreshToken = answer.refreshToken ?? before?.refreshToken;
  return {
    ...rest,
    client: { ...rest.client, privateKey: undefined },
    accessToken: answer.accessToken,
    type: answer.type,
    obtainedAt: now,
    expiresAt: answer.expiresInS === undefined ? undefined : now + answer.expiresInS * 1000,
    refreshToken,
    scopes: answer.scopes ?? before?.scopes ?? rest.requestedScopes,
  };
}

/** Recognizes tokens without revealing them: what a holder of the lock leaves for the next. */
export function noteOf({ accessToken }: TokenSet): string {
  return createHash('sha256').update(accessToken).digest('hex').slice(0, 16);
}

function noRecord(server: string): ServerRecord {
  return { server, name: server, accounts: [], clients: [] };
}

/** Undefined where something is stored that cannot be read. */
function readRecord(value: string | undefined, server: string): ServerRecord | undefined {
  const record = noRecord(server);
  if (value === undefined) return record;
  const parsed = parse(value);
  // We wrote it ourselves; the check is for a value that was cut or comes from another version.
  if (
    !isObject(parsed) ||
    parsed['server'] !== server ||
    !Array.isArray(parsed['accounts']) ||
    !Array.isArray(parsed['clients'])
  )
    return undefined;
  const accounts = parsed['accounts'].filter(
    (entry) => isObject(entry) && isObject(entry['tokens']) && typeof entry['tokens']['accessToken'] === 'string',
  );
  return { ...record, ...parsed, accounts, clients: parsed['clients'].filter(isObject) } as unknown as ServerRecord;
}

function parse(value: string | undefined): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(value);
  } catch {
    return undefined;
  }
}

/**
 * Stores sign-ins: tokens per (server, issuer, account), and client registrations per (server, issuer). The key is the
 * URL of the server, not its name, so that another server with the same name cannot use them (security requirement S4).
 * There is one secret per server. One more secret contains the list of servers, because the entries of secret storage
 * cannot be enumerated. Every change reads, modifies and writes while holding the lock. An unreadable value counts as
 * absent.
 */
import { createHash } from 'node:crypto';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import type { AuthLock } from './authLock.js';
import type { AccountInfo, RegistrationInfo, ServerRecord, TokenSet } from './serverRecord.js';
import { accountInfo, clientsAt, noRecord, noteOf, readRecord, readServers } from './serverRecord.js';

/** Secret storage, with the interface of VS Code's SecretStorage. */
export interface AuthSecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Keeps a value for this window without storing it; undefined means no value. If this function is absent, a value
   * that cannot be read cannot be changed.
   */
  keep?(key: string, value: string | undefined): void;
  /**
   * Fires with the key when any window has changed a value. If it is absent, changes by other windows are noticed only
   * at the next refusal.
   */
  readonly onDidChange?: Event<string>;
}

const prefix = 'mcpDeck.auth.';
const indexKey = `${prefix}servers`;
export class TokenStore {
  private readonly didChange = new Emitter<string>();
  /** Servers whose stored record could not be read when a change was made. Their changes apply to this window only. */
  private readonly unread = new Set<string>();
  /**
   * Fired with the `secretKey` of a server after its record has changed. Changes by other windows are included if the
   * secret storage reports them.
   */
  readonly onDidChange: Event<string> = this.didChange.event;

  constructor(
    private readonly secrets: AuthSecretStore,
    private readonly lock: AuthLock,
    /** Receives a line for the log about a value that could not be read and was set aside. */
    private readonly report: (line: string) => void = () => undefined,
    /** Receives the error if the store could not be read. */
    private readonly onUnread: (error: unknown, server: string) => void = () => undefined,
  ) {
    secrets.onDidChange?.((key) => this.didChange.fire(key));
  }

  /** The record of `server`; empty if there is none. */
  async read(server: string): Promise<ServerRecord> {
    return readRecord((await this.stored(secretKey(server), server)).value, server) ?? noRecord(server);
  }

  /**
   * Reads the stored value. If the store can keep values for this window, a failed read counts as empty: the user has
   * to sign in again if the server requires it.
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
   * Runs `work` while no other caller renews or replaces the tokens of an account. Leaves a note about the stored
   * tokens for the next holder, because secret storage reaches other windows with a delay.
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

  /** Changes the record in one step, based on its latest state. A record that becomes empty is removed. */
  async update(server: string, change: (record: ServerRecord) => void): Promise<ServerRecord> {
    const record = await this.lock.run('store', async () => {
      const { value, isUnread } = await this.stored(secretKey(server), server);
      const current = readRecord(value, server) ?? (await this.begunAnew(server));
      change(current);
      current.clients = current.clients.filter(({ entered, dynamic }) => entered ?? dynamic);
      if (isUnread) this.unread.add(server);
      if (this.unread.has(server)) {
        // The stored record could not be read and may contain more data, so this window never overwrites it.
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
   * Deletes one account of a server, all accounts of one issuer, or all accounts. The tokens stay valid at the issuer;
   * see `OAuthAuthorizer.signOut`.
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

  /**
   * Deletes the registrations at one issuer or at all issuers, and the issuer that a configured client is bound to;
   * keeps tokens.
   */
  async forgetRegistrations(server: string, issuer?: string): Promise<void> {
    await this.update(server, (record) => {
      record.clients = record.clients.filter((other) => issuer !== undefined && other.issuer !== issuer);
      delete record.bound;
    });
  }

  /** Sets the client that the user entered for an issuer; undefined removes it. */
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

  /** Deletes all data of a server: accounts, registrations, and the issuer that its client is bound to. */
  async forgetServer(server: string): Promise<void> {
    await this.update(server, (record) => {
      Object.assign(record, { accounts: [], clients: [], bound: undefined });
    });
  }

  private async servers(): Promise<string[]> {
    const stored = await this.secrets.get(indexKey);
    const servers = readServers(stored);
    if (servers) return servers;
    await this.setAside(
      indexKey,
      stored,
      'The list of servers that you signed in to cannot be read. A server is listed again when it is used. Sign-ins are kept.',
    );
    await this.secrets.set(indexKey, '[]');
    return [];
  }

  /** A new record that replaces an unreadable one. The content of the unreadable record is set aside first. */
  private async begunAnew(server: string): Promise<ServerRecord> {
    await this.setAside(
      secretKey(server),
      await this.secrets.get(secretKey(server)),
      `The stored sign-in to ${server} cannot be read. Sign in again.`,
    );
    return noRecord(server);
  }

  private async setAside(key: string, content: string | undefined, what: string): Promise<void> {
    if (content === undefined) return;
    await this.secrets.set(`${key}.unreadable`, content);
    this.report(`${what} The unreadable value was set aside in secret storage as "${key}.unreadable".`);
  }

  private async records(): Promise<ServerRecord[]> {
    return Promise.all((await this.servers()).map((server) => this.read(server)));
  }
}

/** The key of a server in secret storage. */
export function secretKey(server: string): string {
  return `${prefix}server.${createHash('sha256').update(server).digest('hex').slice(0, 32)}`;
}

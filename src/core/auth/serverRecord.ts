/** The stored data of one server: its accounts with their tokens, and the clients of MCP Deck at its issuers. */
import { createHash } from 'node:crypto';
import { isObject, isStringArray } from '../base/guards.js';
import { parsedJson } from '../base/jsonText.js';
import type { DpopKey } from './jwtSigner.js';
import type { ClientIdentity, TokenAnswer } from './tokenRequest.js';

/** The account that is used if none is specified. */
export const defaultAccount = 'default';

/** The tokens of one account, with all data that their renewal needs. All of it is secret. */
export interface TokenSet {
  accessToken: string;
  type: 'Bearer' | 'DPoP';
  /**
   * The time when the response arrived, in milliseconds since the epoch. It is measured by the local clock, not by the
   * issuer's clock.
   */
  obtainedAt: number;
  /**
   * When the tokens expire. If it is undefined, the time is unknown, and the tokens count as valid until they are
   * refused.
   */
  expiresAt?: number;
  refreshToken?: string;
  /** The granted scopes if the issuer states them, otherwise the requested ones. */
  scopes: string[];
  /** The requested scopes, which a step-up keeps. */
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
  /** Name of the account in MCP Deck; `default` for the first account. */
  account: string;
  /** A name from the issuer; unverified and untrusted. */
  label?: string;
  tokens: TokenSet;
}

/** A client from a dynamic registration. */
export interface DynamicClient extends ClientIdentity {
  /** The registered redirect URI; an issuer may accept only this one. */
  redirectUri: string;
  /** Milliseconds since the epoch. */
  secretExpiresAt?: number;
}

/** The clients of MCP Deck at one issuer. */
export interface StoredClients {
  issuer: string;
  /** The client that the user entered. */
  entered?: { clientId: string; clientSecret?: string };
  dynamic?: DynamicClient;
}

/** All stored data of one server. */
export interface ServerRecord {
  server: string;
  name: string;
  /** The name of the account in use. */
  selected?: string;
  accounts: StoredAccount[];
  clients: StoredClients[];
  /** The issuer that a configured client ID was first used with. The client is never sent to another issuer. */
  bound?: { clientId: string; issuer: string };
}

/** An account without its secrets, for display. */
export interface AccountInfo {
  server: string;
  serverName: string;
  issuer: string;
  account: string;
  /** A name from the issuer; untrusted text. */
  label?: string;
  scopes: string[];
  /** Milliseconds since the epoch. */
  expiresAt?: number;
  canRefresh: boolean;
  isSelected: boolean;
}

/** A client registration without its secrets, for display. */
export interface RegistrationInfo {
  server: string;
  serverName: string;
  issuer: string;
  clientId: string;
  kind: 'entered' | 'dynamic';
}

/**
 * The account in use. If an account is specified, only that one; undefined if the record does not contain it. Otherwise
 * the selected account, or the first one of the record.
 */
export function currentAccount(record: ServerRecord, named?: string): StoredAccount | undefined {
  const wanted = named ?? record.selected;
  return (
    record.accounts.find(({ account }) => account === wanted) ?? (named === undefined ? record.accounts[0] : undefined)
  );
}

/** The clients at `issuer`. Adds an entry to the record if the issuer has none. */
export function clientsAt(record: ServerRecord, issuer: string): StoredClients {
  let entry = record.clients.find((other) => other.issuer === issuer);
  if (!entry) record.clients.push((entry = { issuer }));
  return entry;
}

/**
 * Replaces all accounts of the same name with `account`, including one at another issuer that the server no longer
 * uses.
 */
export function putAccount(record: ServerRecord, account: StoredAccount): void {
  record.accounts = [...record.accounts.filter((other) => other.account !== account.account), account];
}

/** The displayable data of an account. */
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

/** The tokens of a response; values that a refresh response omits are taken from `before`. */
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

/** A short hash that identifies tokens without revealing them. It is the note for the next holder of the lock. */
export function noteOf({ accessToken }: TokenSet): string {
  return createHash('sha256').update(accessToken).digest('hex').slice(0, 16);
}

/** The record of a server of which nothing is stored. */
export function noRecord(server: string): ServerRecord {
  return { server, name: server, accounts: [], clients: [] };
}

/** The record in a stored value; undefined if the value cannot be read. */
export function readRecord(value: string | undefined, server: string): ServerRecord | undefined {
  const record = noRecord(server);
  if (value === undefined) return record;
  const parsed = parsedJson(value);
  // MCP Deck wrote the value, so this check only has to detect a value that is truncated or from another version.
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

/** The list of servers in a stored value; undefined if the value cannot be read. */
export function readServers(value: string | undefined): string[] | undefined {
  const servers = value === undefined ? [] : parsedJson(value);
  return isStringArray(servers) ? servers : undefined;
}

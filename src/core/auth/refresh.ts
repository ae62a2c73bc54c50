/**
 * Refreshes tokens before they expire, one refresh at a time across all calls and windows. A rotated refresh token is
 * stored before the new tokens are used (security requirement A13). When the issuer rejects the refresh token or the
 * client, the tokens are deleted; any other failure keeps them.
 */
import { isAuthError } from './authProblem.js';
import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import type { Flow } from './authHttp.js';
import { DpopProver } from './jwtSigner.js';
import type { DpopNonces } from './tokenRequest.js';
import { requestTokens } from './tokenRequest.js';
import type { TokenStore } from './tokenStore.js';
import type { StoredAccount, TokenSet } from './serverRecord.js';
import { clientsAt, currentAccount, noteOf, putAccount, tokensFrom } from './serverRecord.js';

/**
 * Whether to refresh before the next use: `soon` if the tokens still work, `now` if they may expire before a request
 * arrives.
 */
export type RefreshNeed = 'no' | 'soon' | 'now';

/**
 * Whether to refresh tokens. The time margins shrink with the lifetime, so that short-lived tokens are usable. Pure.
 * @param now milliseconds since the epoch.
 */
export function refreshNeed(
  { obtainedAt, expiresAt }: Pick<TokenSet, 'obtainedAt' | 'expiresAt'>,
  now: number,
): RefreshNeed {
  if (expiresAt === undefined) return 'no';
  const lifetime = expiresAt - obtainedAt;
  const left = expiresAt - now;
  // The second condition detects a clock that was set back. Without it, an expired token would look valid.
  if (left <= Math.min(10_000, lifetime / 10) || now < obtainedAt - 60_000) return 'now';
  return left <= Math.min(120_000, lifetime / 4) ? 'soon' : 'no';
}

export interface RefreshPorts {
  store: TokenStore;
  clock: Clock;
  nonces: DpopNonces;
}

/**
 * Replaces the tokens of `seen` with newer ones: those that another window has stored, or refreshed ones.
 * @returns undefined if there are no tokens to use: the account is no longer stored, has no refresh token, or the
 * issuer refused the refresh token or the client. Throws HostError for any other failure, for example if the issuer
 * could not be reached; the stored tokens are then unchanged.
 */
export function refreshAccount(
  flow: Flow,
  ports: RefreshPorts,
  server: string,
  seen: StoredAccount,
): Promise<StoredAccount | undefined> {
  const { store, clock, nonces } = ports;
  const read = async () => currentAccount(await store.read(server), seen.account);
  return store.exclusively(server, seen.account, async ({ lastNote, left }) => {
    let stored = await read();
    // Secret storage reaches other windows with a delay, so this function waits briefly for the value that the previous
    // holder stored.
    const isBehind = () =>
      stored !== undefined &&
      lastNote !== undefined &&
      lastNote !== noteOf(stored.tokens) &&
      stored.tokens.accessToken === seen.tokens.accessToken;
    for (let waits = 0; waits < 20 && isBehind(); waits++) {
      await delay(clock, 100, flow.signal);
      stored = await read();
    }
    if (!stored) return undefined;
    if (stored.tokens.accessToken !== seen.tokens.accessToken) return stored;
    const { tokens, issuer } = stored;
    if (tokens.refreshToken === undefined) return undefined;
    try {
      const answer = await requestTokens(
        // This request must not be canceled: its response may contain the only valid refresh token.
        { ...flow, signal: undefined },
        {
          endpoint: { issuer, token_endpoint: tokens.tokenEndpoint },
          client: tokens.client,
          grantType: 'refresh_token',
          params: { refresh_token: tokens.refreshToken, resource: tokens.resource },
          dpop: tokens.dpopKey && new DpopProver(tokens.dpopKey),
        },
        nonces,
      );
      const renewed = { ...stored, tokens: tokensFrom(answer, flow.now(), tokens, tokens) };
      await store.update(server, (record) => putAccount(record, renewed));
      left(renewed.tokens);
      return renewed;
    } catch (error) {
      const code = isAuthError(error) ? (error.data.error ?? '') : '';
      if (!/^(invalid_grant|invalid_client|unauthorized_client)$/.test(code)) throw error;
      await store.update(server, (record) => {
        record.accounts = record.accounts.filter(({ tokens: other }) => other.refreshToken !== tokens.refreshToken);
        // The issuer no longer knows the client, so it has to be registered again.
        const clients = clientsAt(record, issuer);
        if (code !== 'invalid_grant' && clients.dynamic?.clientId === tokens.client.clientId) delete clients.dynamic;
      });
      return undefined;
    }
  });
}

/**
 * Renews tokens: ahead of their end, once at a time over all calls and windows, with rotation stored before anybody
 * uses the new token (security requirement A13). A refresh token that the issuer no longer takes clears the tokens; any
 * other failure leaves them.
 */
import { isAuthError } from './authProblem.js';
import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import type { Flow } from './authHttp.js';
import { DpopProver } from './jwtSigner.js';
import type { DpopNonces } from './tokenRequest.js';
import { requestTokens } from './tokenRequest.js';
import type { StoredAccount, TokenSet, TokenStore } from './tokenStore.js';
import { clientsAt, currentAccount, noteOf, putAccount, tokensFrom } from './tokenStore.js';

/**
 * Whether tokens should be renewed before the next use: `soon` while they still work, `now` when they may not arrive
 * in time.
 */
export type RefreshNeed = 'no' | 'soon' | 'now';

/**
 * Pure. @param now milliseconds since the epoch. Margins shrink with short lifetimes, so that those are usable at
 * all.
 */
export function refreshNeed(
  { obtainedAt, expiresAt }: Pick<TokenSet, 'obtainedAt' | 'expiresAt'>,
  now: number,
): RefreshNeed {
  if (expiresAt === undefined) return 'no';
  const lifetime = expiresAt - obtainedAt;
  const left = expiresAt - now;
  // A clock that was set back would keep a dead token alive for as long as it was set back.
  if (left <= Math.min(10_000, lifetime / 10) || now < obtainedAt - 60_000) return 'now';
  return left <= Math.min(120_000, lifetime / 4) ? 'soon' : 'no';
}

/** What a refresh works with. */
export interface RefreshPorts {
  store: TokenStore;
  clock: Clock;
  nonces: DpopNonces;
}

/**
 * Replaces the tokens of `seen` by newer ones: those that somebody else has stored meanwhile, or refreshed ones.
 * @returns undefined when there are none any more: nothing to refresh with, or the issuer refused for good.
 * Throws HostError when the issuer could not be asked; everything is left as it was.
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
    // Secret stores reach other windows with a delay; what the holder before us stored is waited for, shortly.
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
        // Not to be canceled: an answer that nobody reads may hold the only valid refresh token.
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
        // The issuer no longer knows the client: registering once more is the only way on.
        const clients = clientsAt(record, issuer);
        if (code !== 'invalid_grant' && clients.dynamic?.clientId === tokens.client.clientId) delete clients.dynamic;
      });
      return undefined;
    }
  });
}

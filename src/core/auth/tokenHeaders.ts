/** The tokens in the headers of requests: only to the server's own origin, bound by DPoP where the issuer made them so. */
import { DpopProver } from './jwtSigner.js';
import type { DpopNonces } from './tokenRequest.js';
import type { TokenSet } from './tokenStore.js';

/** The most tokens that were sent and are remembered, to be masked in what is kept of the server. */
const maxRemembered = 60;

/** A request as far as its headers depend on it. */
export interface OutgoingRequest {
  method: string;
  /** http(s) or ws(s). */
  url: string;
}

export class TokenHeaders {
  /** The latest nonce of each origin, also of issuers. */
  readonly nonces: DpopNonces = new Map();
  private prover: DpopProver | undefined;
  private readonly sent = new Set<string>();

  /**
   * @param serverUrl as it is configured.
   * @param server the same address as http(s).
   * @param serverTime seconds since the epoch, by the clock of the server as far as it is known.
   */
  constructor(
    private readonly serverUrl: string,
    private readonly server: URL,
    private readonly serverTime: () => number,
  ) {}

  /** Tokens go to the server's own origin and nowhere else, whatever a redirect or an endpoint event says. */
  mayGoTo(url: string): boolean {
    return url === this.serverUrl || (URL.canParse(url) && new URL(httpUrl(url)).origin === this.server.origin);
  }

  /** The headers that carry `tokens` in a request. */
  of(
    { accessToken, refreshToken, client, type, dpopKey }: TokenSet,
    { method, url }: OutgoingRequest,
  ): Record<string, string> {
    if (!this.sent.has(accessToken)) this.remember(accessToken, refreshToken, client?.clientSecret);
    if (type === 'Bearer' || !dpopKey) return { authorization: `Bearer ${accessToken}` };
    if (this.prover?.stored !== dpopKey) this.prover = new DpopProver(dpopKey);
    const nonce = this.nonces.get(this.server.origin);
    const proof = this.prover.proof({ method, url: httpUrl(url), issuedAt: this.serverTime(), accessToken, nonce });
    return { authorization: `DPoP ${accessToken}`, dpop: proof };
  }

  /** Takes over the nonce that the server wants in the next proof. False when it is the one that was sent. */
  takeNonce(nonce: string): boolean {
    if (nonce === this.nonces.get(this.server.origin)) return false;
    this.nonces.set(this.server.origin, nonce);
    return true;
  }

  /** The tokens that were sent last, which the server may repeat. */
  get sentTokens(): Iterable<string> {
    return this.sent;
  }

  /** Also remembers what belongs to the token: it may be replaced during a run that began with it. */
  private remember(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) if (secret !== undefined) this.sent.add(secret);
    for (const oldest of this.sent) {
      if (this.sent.size <= maxRemembered) return;
      this.sent.delete(oldest);
    }
  }
}

/** The address with the scheme that its handshake has: `http` for `ws`. */
export function httpUrl(url: string): string {
  return url.replace(/^ws/, 'http');
}

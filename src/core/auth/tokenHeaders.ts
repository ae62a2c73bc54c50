/**
 * Puts tokens into request headers. They are sent only to the server's own origin, and with a DPoP proof if the issuer
 * bound them to a key.
 */
import { DpopProver } from './jwtSigner.js';
import type { DpopNonces } from './tokenRequest.js';
import type { TokenSet } from './serverRecord.js';

/** Maximum number of tokens and client secrets that are remembered, so that they are masked in data of the server. */
const maxRemembered = 60;

/** The parts of a request that determine its headers. */
export interface OutgoingRequest {
  method: string;
  /** The URL of the request: http(s) or ws(s). */
  url: string;
}

export class TokenHeaders {
  /** The latest nonce by origin, including the origins of issuers. */
  readonly nonces: DpopNonces = new Map();
  private prover: DpopProver | undefined;
  private readonly sent = new Set<string>();

  /**
   * @param serverUrl the URL of the server as configured.
   * @param server the same URL with http(s).
   * @param serverTime returns seconds since the epoch, by the clock of the server if that is known.
   */
  constructor(
    private readonly serverUrl: string,
    private readonly server: URL,
    private readonly serverTime: () => number,
  ) {}

  /**
   * Whether tokens may be sent to a URL. Only the server's own origin receives tokens, even if a redirect or an
   * `endpoint` event points to another origin.
   */
  mayGoTo(url: string): boolean {
    return url === this.serverUrl || (URL.canParse(url) && new URL(httpUrl(url)).origin === this.server.origin);
  }

  /** The headers that contain the tokens in a request. */
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

  /** Stores the nonce for the next proof. Returns false if it is the nonce that was just sent. */
  takeNonce(nonce: string): boolean {
    if (nonce === this.nonces.get(this.server.origin)) return false;
    this.nonces.set(this.server.origin, nonce);
    return true;
  }

  /** The most recently sent tokens, to be masked: the server may repeat them in its output. */
  get sentTokens(): Iterable<string> {
    return this.sent;
  }

  /** Remembers a token and its related secrets, because a run that used them may continue after they are replaced. */
  private remember(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) if (secret !== undefined) this.sent.add(secret);
    for (const oldest of this.sent) {
      if (this.sent.size <= maxRemembered) return;
      this.sent.delete(oldest);
    }
  }
}

/** The URL with the scheme of the WebSocket handshake: `http` instead of `ws`, `https` instead of `wss`. */
export function httpUrl(url: string): string {
  return url.replace(/^ws/, 'http');
}

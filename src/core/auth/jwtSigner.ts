/**
 * Signs the two kinds of JWT that a client creates itself: DPoP proofs (RFC 9449) and client assertions (RFC 7523). It
 * signs synchronously with node:crypto, because each request with a bound token needs a DPoP proof.
 */
import type { KeyObject } from 'node:crypto';
import type { Discovery } from './discovery.js';
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

/** A private key and its signature algorithm. */
export interface SigningKey {
  key: KeyObject;
  alg: 'ES256' | 'RS256';
  kid?: string;
}

/** The claims of a DPoP proof. */
export interface ProofTarget {
  method: string;
  /** The URL of the request. The proof leaves out its query and fragment. */
  url: string;
  /** Seconds since the epoch, by the clock of the receiver. */
  issuedAt: number;
  nonce?: string;
  /** The access token of the same request, for a resource server. */
  accessToken?: string;
}

/** Reads a PEM key for private_key_jwt. Throws an Error with a short reason. */
export function readSigningKey(pem: string, kid?: string): SigningKey {
  const key = createPrivateKey(pem);
  const isEs256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  if (!isEs256 && key.asymmetricKeyType !== 'rsa') throw new Error('it is neither a P-256 nor an RSA key');
  return { key, alg: isEs256 ? 'ES256' : 'RS256', kid };
}

/** Creates a compact JWT. */
function signJwt({ key, alg, kid }: SigningKey, header: object, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const input = `${encode({ alg, kid, ...header })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/**
 * The assertion that authenticates a client (private_key_jwt).
 * @param issuedAt seconds since the epoch, by the clock of the issuer.
 */
export function clientAssertion(key: SigningKey, clientId: string, audience: string, issuedAt: number): string {
  return signJwt(
    key,
    { typ: 'JWT' },
    {
      iss: clientId,
      sub: clientId,
      aud: audience,
      jti: randomUUID(),
      iat: issuedAt,
      nbf: issuedAt,
      exp: issuedAt + 60,
    },
  );
}

/** The stored form of the key that tokens are bound to: a private P-256 JWK. It is secret. */
export type DpopKey = Record<string, unknown>;

/** A new key pair for DPoP. */
function createDpopKey(): DpopKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

/** Creates proofs with one key. The imported key is kept, because an import costs more than a signature. */
export class DpopProver {
  private readonly key: KeyObject;
  private readonly jwk: object;

  constructor(readonly stored: DpopKey) {
    this.key = createPrivateKey({ key: stored, format: 'jwk' });
    const { kty, crv, x, y } = stored;
    this.jwk = { kty, crv, x, y };
  }

  /** Creates a new proof; a proof must be used only once. */
  proof({ method, url, issuedAt, nonce, accessToken }: ProofTarget): string {
    const { origin, pathname } = new URL(url);
    return signJwt(
      { key: this.key, alg: 'ES256' },
      { typ: 'dpop+jwt', jwk: this.jwk },
      {
        jti: randomUUID(),
        htm: method,
        htu: origin + pathname,
        iat: issuedAt,
        nonce,
        ath: accessToken === undefined ? undefined : createHash('sha256').update(accessToken).digest('base64url'),
      },
    );
  }
}

/** A prover with a new key if the server accepts bound tokens and the issuer supports them; otherwise undefined. */
export function dpopProver({ wantsDpop, issuer }: Pick<Discovery, 'wantsDpop' | 'issuer'>): DpopProver | undefined {
  return wantsDpop && (issuer.dpop_signing_alg_values_supported ?? ['ES256']).includes('ES256')
    ? new DpopProver(createDpopKey())
    : undefined;
}

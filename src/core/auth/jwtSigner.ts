/**
 * Signs the two kinds of JWT that a client makes itself: DPoP proofs (RFC 9449) and client assertions (RFC 7523).
 * Synchronous on node:crypto, because a DPoP proof stands in the path of every call.
 */
import type { KeyObject } from 'node:crypto';
import type { Discovery } from './discovery.js';
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

/** A private key with the algorithm that it signs with. */
export interface SigningKey {
  key: KeyObject;
  alg: 'ES256' | 'RS256';
  kid?: string;
}

/** What a DPoP proof is for. */
export interface ProofTarget {
  method: string;
  /** Query and fragment are left out of the proof. */
  url: string;
  /** Seconds since the epoch on the clock of the receiver. */
  issuedAt: number;
  nonce?: string;
  /** The token sent along, towards a resource server. */
  accessToken?: string;
}

/** Reads a PEM key for private_key_jwt. Throws an Error with a short reason. */
export function readSigningKey(pem: string, kid?: string): SigningKey {
  const key = createPrivateKey(pem);
  const isEs256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  if (!isEs256 && key.asymmetricKeyType !== 'rsa') throw new Error('it is neither a P-256 nor an RSA key');
  return { key, alg: isEs256 ? 'ES256' : 'RS256', kid };
}

/** A compact JWT. */
function signJwt({ key, alg, kid }: SigningKey, header: object, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const input = `${encode({ alg, kid, ...header })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/**
 * The assertion that authenticates a client (private_key_jwt). @param issuedAt seconds since the epoch on the
 * issuer's clock.
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

/** The key that tokens are bound to, as it is stored: a private P-256 JWK. Secret. */
export type DpopKey = Record<string, unknown>;

/** A new key pair for DPoP. */
function createDpopKey(): DpopKey {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

/** Makes proofs with one key; importing it costs more than a signature, so it is kept. */
export class DpopProver {
  private readonly key: KeyObject;
  private readonly jwk: object;

  constructor(readonly stored: DpopKey) {
    this.key = createPrivateKey({ key: stored, format: 'jwk' });
    const { kty, crv, x, y } = stored;
    this.jwk = { kty, crv, x, y };
  }

  /** A fresh proof: never use one twice. */
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

/** A new key for DPoP when the server wants bound tokens and the issuer can make them. */
export function dpopProver({ wantsDpop, issuer }: Pick<Discovery, 'wantsDpop' | 'issuer'>): DpopProver | undefined {
  return wantsDpop && (issuer.dpop_signing_alg_values_supported ?? ['ES256']).includes('ES256')
    ? new DpopProver(createDpopKey())
    : undefined;
}

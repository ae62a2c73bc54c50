import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Signs small JSON values that the client stores and returns, such as `requestState` and list cursors: any client can
 * read them, but a changed value is not accepted (specification 2026-07-28, basic/patterns/mrtr: state is
 * attacker-controlled input and its integrity has to be protected).
 */
export class StateSigner {
  private readonly secret: Buffer;

  /** @param secret the key. By default it is random, so that signed values become invalid when the process ends. */
  constructor(secret: Buffer = randomBytes(32)) {
    this.secret = secret;
  }

  /**
   * The value as a signed text.
   * @param purpose prevents a value that was signed for one use from being accepted for another.
   */
  sign(purpose: string, value: unknown): string {
    const body = Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
    return `${body}.${this.signatureOf(purpose, body).toString('base64url')}`;
  }

  /** The value; undefined if this server did not sign the text for this purpose. */
  verify(purpose: string, text: string): unknown {
    const dot = text.lastIndexOf('.');
    if (dot === -1) return undefined;
    const body = text.slice(0, dot);
    const given = Buffer.from(text.slice(dot + 1), 'base64url');
    const wanted = this.signatureOf(purpose, body);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    // base64url decoding is lenient, so only the canonical spelling of the signature is accepted.
    if (wanted.toString('base64url') !== text.slice(dot + 1)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
  }

  private signatureOf(purpose: string, body: string): Buffer {
    return createHmac('sha256', this.secret).update(purpose).update('\0').update(body).digest();
  }
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Small JSON values that travel through the client and come back, as `requestState` and list cursors do: readable by
 * anyone, changeable by no one (specification 2026-07-28, basic/patterns/mrtr: state is attacker-controlled input and its
 * integrity has to be protected).
 */
export class Sealer {
  private readonly secret: Buffer;

  /** @param secret default: random, so that nothing sealed survives the process. */
  constructor(secret: Buffer = randomBytes(32)) {
    this.secret = secret;
  }

  /** @param purpose keeps what was sealed for one use from being taken for another. */
  seal(purpose: string, value: unknown): string {
    const body = Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
    return `${body}.${this.sign(purpose, body).toString('base64url')}`;
  }

  /** The value, or undefined for whatever was not sealed here for this purpose. */
  open(purpose: string, text: string): unknown {
    const dot = text.lastIndexOf('.');
    if (dot === -1) return undefined;
    const body = text.slice(0, dot);
    const given = Buffer.from(text.slice(dot + 1), 'base64url');
    const wanted = this.sign(purpose, body);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    // base64url decoding is lenient, but the signature is over the text itself: only our own spelling gets here.
    if (wanted.toString('base64url') !== text.slice(dot + 1)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
  }

  private sign(purpose: string, body: string): Buffer {
    return createHmac('sha256', this.secret).update(purpose).update('\0').update(body).digest();
  }
}

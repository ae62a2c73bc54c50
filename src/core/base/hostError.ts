import type { HostErrorCode, HostErrorData } from './hostErrorData.js';

export type { HostErrorCode, HostErrorData } from './hostErrorData.js';

/** The data, hint and cause of a failure. */
export interface HostErrorOptions<Code extends HostErrorCode = HostErrorCode> {
  data?: HostErrorData[Code];
  /** What to do next, in one or more sentences. */
  hint?: string;
  cause?: unknown;
}

/** A failure of one code. */
interface HostErrorOf<Code extends HostErrorCode> extends Error {
  readonly code: Code;
  readonly data: HostErrorData[Code];
  /** What to do next, in one or more sentences. */
  readonly hint: string | undefined;
}

/**
 * A failure that MCP Deck itself found; a `ProtocolError` is the error response of a peer. `code` is the kind of
 * failure and determines the type of `data` (`HostErrorData`). The message is an English sentence for logs.
 * `core/present/failure` writes the sentences that users read.
 */
export type HostError = { [Code in HostErrorCode]: HostErrorOf<Code> }[HostErrorCode];

/** The failures with one of these codes. */
export type HostErrorWith<Code extends HostErrorCode> = Extract<HostError, { code: Code }>;

/** `data` is optional if all of its fields are optional. */
type Rest<Code extends HostErrorCode> =
  Partial<HostErrorData[Code]> extends HostErrorData[Code]
    ? [options?: HostErrorOptions<Code>]
    : [options: HostErrorOptions<Code> & { data: HostErrorData[Code] }];

interface HostErrorConstructor {
  new <Code extends HostErrorCode>(code: Code, message: string, ...rest: Rest<Code>): HostErrorWith<Code>;
  readonly prototype: HostError;
}

class AnyHostError extends Error {
  readonly data: object;
  readonly hint: string | undefined;

  constructor(
    readonly code: HostErrorCode,
    message: string,
    options: { data?: object; hint?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HostError';
    this.data = options.data ?? {};
    this.hint = options.hint;
  }
}

/** The constructor of failures. It requires the data that belongs to the error code. Works with `instanceof`. */
export const HostError = AnyHostError as unknown as HostErrorConstructor;

/** An error whose message is shown to the user unchanged. */
export class UserError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UserError';
  }
}

/** Whether the caller canceled. A cancellation is never shown or logged as an error. */
export function isCancelled(error: unknown): boolean {
  return (
    (error instanceof HostError && error.code === 'cancelled') ||
    (error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled'))
  );
}

/** Maximum length of a message, in UTF-16 code units: a server can put millions of characters into an error. */
const maxMessage = 100_000;

/** The message of anything that was thrown, at most its first 100,000 UTF-16 code units. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxMessage);
}

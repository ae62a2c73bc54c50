import { t } from '@vscode/l10n';
import type { HostErrorCode, HostErrorData } from '../../base/hostError.js';
import type { CommonErrorData } from '../../base/hostErrorData.js';
import { HostError, messageOf } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { storageProblem } from '../../base/storageFailure.js';
import { ErrorCode, ProtocolError } from '../../protocol/jsonRpc.js';
import { elapsedText } from '../text/runTexts.js';
import { firstSentence } from '../text/lines.js';

/** Maximum length of the part of a message that a server or library wrote, in characters. */
const maxDetail = 600;

/** The error that a server sent, if it caused the failure. */
function refusalIn(error: unknown): ProtocolError | undefined {
  const refusal = error instanceof HostError ? error.cause : error;
  return refusal instanceof ProtocolError ? refusal : undefined;
}

/** The data of a file system error that is not a `HostError`. */
function storageFacts(error: unknown): HostErrorData['storage-failed'] {
  const problem = storageProblem(error);
  return problem
    ? { cause: problem.cause, errno: problem.errno, ...(problem.path === undefined ? {} : { thing: problem.path }) }
    : {};
}

/** The unchanged error object that a server sent instead of a result (JSON-RPC 2.0); undefined if it sent none. */
export function errorAnswer(error: unknown): { error: { code: number; message: string; data?: unknown } } | undefined {
  const refusal = refusalIn(error);
  if (!refusal) return undefined;
  const { code, message, data } = refusal;
  return { error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** The classes of failures that are shown. A cancellation by the user is not shown. */
export type FailureClass = Exclude<HostErrorCode, 'cancelled'> | RefusalClass | 'unexpected';

/** The type of the data of a failure of this class. */
type DataOf<Class extends FailureClass> = Class extends HostErrorCode ? Partial<HostErrorData[Class]> : CommonErrorData;

/**
 * The values for the sentences about one failure. All texts are short and safe to show, even those that come from a
 * server.
 */
export class FailureFacts<Class extends FailureClass = FailureClass> {
  readonly data: DataOf<Class>;

  constructor(
    readonly error: unknown,
    private readonly serverId: string | undefined,
  ) {
    // The error code determines both the class of the failure and the type of its data, so the cast is safe.
    this.data = (error instanceof HostError ? error.data : storageFacts(error)) as DataOf<Class>;
  }

  /** The error that caused this failure, if there is one. */
  get cause(): unknown {
    return this.error instanceof HostError ? this.error.cause : undefined;
  }

  /** The facts of another failure of the same server. */
  of(error: unknown): FailureFacts {
    return new FailureFacts(error, this.serverId);
  }

  /** The name of the server in MCP Deck, safe to show; undefined if the failure is not about a server. */
  get server(): string | undefined {
    return this.serverId === undefined ? undefined : visibleLine(this.serverId, 80);
  }

  /** The server for use at the beginning of a sentence: `The server "db"`. */
  get subject(): string {
    return this.serverId === undefined ? t('The server') : t('The server "{0}"', visibleLine(this.serverId, 80));
  }

  /** The message of the error, as a sentence. */
  get detail(): string {
    const detail = sentence(messageOf(this.error));
    return /\w/.test(detail) ? detail : t('The error has no message.');
  }

  /** The server for use within a sentence: `the server "db"`. */
  get object(): string {
    return this.serverId === undefined ? t('the server') : t('the server "{0}"', visibleLine(this.serverId, 80));
  }

  /** Puts the server before a sentence, if the failure is about a server. */
  about(text: string): string {
    return this.serverId === undefined ? text : t('{0}: {1}', this.subject, text);
  }

  /**
   * The message of the error, for failures whose data does not specify a kind. It begins with the name of the server,
   * unless the message is complete without the name.
   */
  get named(): string {
    return this.data.isComplete === true ? this.detail : this.about(this.detail);
  }

  /** The beginning of the error's message, without the name of the server; undefined if it contains no letter. */
  get brief(): string | undefined {
    const brief = firstSentence(ended(messageOf(this.error)), 100);
    return brief !== undefined && /\p{L}/u.test(brief) ? brief : undefined;
  }

  /**
   * The reason that the server gave for its refusal, as the end of a sentence; undefined if it is a stack or a bare
   * code.
   */
  get said(): string | undefined {
    const refusal = refusalIn(this.error) ?? this.error;
    // A stack, an error class or a bare code explains nothing.
    const words = messageOf(refusal)
      .split(/\n[^\S\n]*at /, 1)[0]
      ?.replace(/^\s*at .*$/s, '')
      .replace(/^\s*(?:MCP error\s*)?(?:-?\d+)?\s*:?\s*/i, '')
      .replace(/^(?:Uncaught )?(?:[A-Z]\w*)?Error:\s*/, '');
    const line = visibleLine(words ?? '', maxDetail);
    return /[\p{L}\p{N}]/u.test(line) && line !== 'Error' ? line.replace(/\.$/, '') : undefined;
  }

  /** Whether the failure is a `HostError` that an error from the server caused. */
  get isRefusal(): boolean {
    return this.error instanceof HostError && refusalIn(this.error) !== undefined;
  }

  /** The advice that the thrown error contains, as a sentence; undefined if it contains none. */
  get hint(): string | undefined {
    return this.error instanceof HostError && this.error.hint !== undefined ? sentence(this.error.hint) : undefined;
  }

  text(key: keyof DataOf<Class>, maxLength = 200): string | undefined {
    const value: unknown = this.data[key];
    return typeof value === 'string' && value !== '' ? visibleLine(value, maxLength) : undefined;
  }

  /** The value as short, safe text, or a question mark if the value is missing. For sentences that need the value. */
  shown(key: keyof DataOf<Class>, maxLength = 200): string {
    return this.text(key, maxLength) ?? '?';
  }

  number(key: keyof DataOf<Class>): number | undefined {
    const value: unknown = this.data[key];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  /** The duration that `data` contains in milliseconds, as text. */
  span(key: keyof DataOf<Class>): string | undefined {
    const ms = this.number(key);
    if (ms === undefined) return undefined;
    if (ms >= 1_000 && ms < 10_000) return t('{0} s', Math.round(ms / 100) / 10);
    return ms < 1_000 ? t('{0} ms', Math.round(ms)) : elapsedText(ms);
  }
}

/** The classes of JSON-RPC errors from servers, grouped by what the user can do about them. */
export type RefusalClass =
  | 'refused'
  | 'refused-method'
  | 'refused-arguments'
  | 'refused-internal'
  | 'refused-missing'
  | 'refused-declined'
  | 'refused-needs-visit'
  | 'refused-capability';

/** The class of a JSON-RPC error by its code. Unknown codes are `refused`. */
export function refusalClass({ code }: ProtocolError): RefusalClass {
  switch (code) {
    case ErrorCode.methodNotFound:
      return 'refused-method';
    case ErrorCode.invalidParams:
      return 'refused-arguments';
    case ErrorCode.internalError:
      return 'refused-internal';
    case ErrorCode.resourceNotFound:
      return 'refused-missing';
    case ErrorCode.userRejected:
      return 'refused-declined';
    case ErrorCode.urlElicitationRequired:
      return 'refused-needs-visit';
    case ErrorCode.missingClientCapability:
      return 'refused-capability';
    default:
      return 'refused';
  }
}

/**
 * The text as one line that begins with a capital letter, unless it begins with a URL, and ends with a punctuation
 * mark, so that another sentence can follow.
 */
function sentence(text: string): string {
  const line = ended(text);
  return /^[a-z]+:/.test(line) ? line : line.charAt(0).toUpperCase() + line.slice(1);
}

/** The text as one line that ends with a punctuation mark. */
export function ended(text: string): string {
  const line = visibleLine(text, maxDetail);
  return line === '' || /[.!?…:]$/.test(line) ? line : `${line}.`;
}

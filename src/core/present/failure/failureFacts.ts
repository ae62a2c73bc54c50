import { t } from '@vscode/l10n';
import type { HostErrorCode, HostErrorData } from '../../base/hostError.js';
import type { CommonErrorData } from '../../base/hostErrorData.js';
import { HostError, messageOf } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { storageProblem } from '../../base/storageFailure.js';
import { ErrorCode, ProtocolError } from '../../protocol/jsonRpc.js';
import { elapsedText } from '../text/elapsed.js';
import { firstSentence } from '../text/lines.js';

/** Longest part of a message that others had a say in. */
const maxDetail = 600;

/** The error that a server sent, where one is behind a failure. */
function refusalIn(error: unknown): ProtocolError | undefined {
  const refusal = error instanceof HostError ? error.cause : error;
  return refusal instanceof ProtocolError ? refusal : undefined;
}

/** What an error of a file says of itself where no place told more. */
function storageFacts(error: unknown): HostErrorData['storage-failed'] {
  const problem = storageProblem(error);
  return problem
    ? { cause: problem.cause, errno: problem.errno, ...(problem.path === undefined ? {} : { thing: problem.path }) }
    : {};
}

/**
 * What a server answered instead of a result, as it came (JSON-RPC 2.0, error object); undefined where there was no
 * answer.
 */
export function errorAnswer(error: unknown): { error: { code: number; message: string; data?: unknown } } | undefined {
  const refusal = refusalIn(error);
  if (!refusal) return undefined;
  const { code, message, data } = refusal;
  return { error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** Every kind of failure that somebody is told of. A user's own cancelling is none. */
export type FailureClass = Exclude<HostErrorCode, 'cancelled'> | RefusalClass | 'unexpected';

/** What is known of a failure of this class. */
type DataOf<Class extends FailureClass> = Class extends HostErrorCode ? Partial<HostErrorData[Class]> : CommonErrorData;

/** What the sentences about one failure are made of. All of it is harmless and short, whoever wrote it. */
export class FailureFacts<Class extends FailureClass = FailureClass> {
  readonly data: DataOf<Class>;

  constructor(
    readonly error: unknown,
    private readonly serverId: string | undefined,
  ) {
    // The class of a failure is its code, so the data is that of the class.
    this.data = (error instanceof HostError ? error.data : storageFacts(error)) as DataOf<Class>;
  }

  /** What was thrown first, where this failure was made from another error. */
  get cause(): unknown {
    return this.error instanceof HostError ? this.error.cause : undefined;
  }

  /** The facts of another failure of the same server. */
  of(error: unknown): FailureFacts {
    return new FailureFacts(error, this.serverId);
  }

  /** Our name for the server, harmless; undefined where none is concerned. */
  get server(): string | undefined {
    return this.serverId === undefined ? undefined : visibleLine(this.serverId, 80);
  }

  /** The server as a sentence begins with it: `The server "db"`. */
  get subject(): string {
    return this.serverId === undefined ? t('The server') : t('The server "{0}"', visibleLine(this.serverId, 80));
  }

  /** What was noted where it failed, as a sentence. */
  get detail(): string {
    const detail = sentence(messageOf(this.error));
    return /\w/.test(detail) ? detail : t('There is no message about it.');
  }

  /** The server in the middle of a sentence: `the server "db"`. */
  get object(): string {
    return this.serverId === undefined ? t('the server') : t('the server "{0}"', visibleLine(this.serverId, 80));
  }

  /** A sentence with the server before it, where one is concerned. */
  about(text: string): string {
    return this.serverId === undefined ? text : t('{0}: {1}', this.subject, text);
  }

  /** What was noted where it failed, for failures whose data does not tell more. */
  get named(): string {
    return this.data.isComplete === true ? this.detail : this.about(this.detail);
  }

  /** The beginning of what was noted, for a place that shows the server anyway; undefined when it says nothing. */
  get brief(): string | undefined {
    const brief = firstSentence(ended(messageOf(this.error)), 100);
    return brief !== undefined && /\p{L}/u.test(brief) ? brief : undefined;
  }

  /**
   * What a server said about its refusal, as the end of a sentence; undefined when it said nothing that a person can
   * use.
   */
  get said(): string | undefined {
    const refusal = refusalIn(this.error) ?? this.error;
    // A stack, an error class or a bare code explains nothing.
    const words = messageOf(refusal)
      .split(/\n\s*at /, 1)[0]
      ?.replace(/^\s*at .*$/s, '')
      .replace(/^\s*(?:MCP error\s*)?(?:-?\d+)?\s*:?\s*/i, '')
      .replace(/^(?:Uncaught )?(?:[A-Z]\w*)?Error:\s*/, '');
    const line = visibleLine(words ?? '', maxDetail);
    return /[\p{L}\p{N}]/u.test(line) && line !== 'Error' ? line.replace(/\.$/, '') : undefined;
  }

  /** True when an error that the server sent is behind it. */
  get isRefusal(): boolean {
    return this.error instanceof HostError && refusalIn(this.error) !== undefined;
  }

  /** What the place that failed advises. */
  get hint(): string | undefined {
    return this.error instanceof HostError && this.error.hint !== undefined ? sentence(this.error.hint) : undefined;
  }

  text(key: keyof DataOf<Class>, maxLength = 200): string | undefined {
    const value: unknown = this.data[key];
    return typeof value === 'string' && value !== '' ? visibleLine(value, maxLength) : undefined;
  }

  /** `text`, or a question mark where the data does not tell: for a sentence that cannot do without it. */
  shown(key: keyof DataOf<Class>, maxLength = 200): string {
    return this.text(key, maxLength) ?? '?';
  }

  number(key: keyof DataOf<Class>): number | undefined {
    const value: unknown = this.data[key];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  /** A span of time that `data` contains in milliseconds. */
  span(key: keyof DataOf<Class>): string | undefined {
    const ms = this.number(key);
    if (ms === undefined) return undefined;
    if (ms >= 1_000 && ms < 10_000) return t('{0} s', Math.round(ms / 100) / 10);
    return ms < 1_000 ? t('{0} ms', Math.round(ms)) : elapsedText(ms);
  }
}

/** The kinds of refusal that a server can send as a JSON-RPC error, by what a person can do about them. */
export type RefusalClass =
  | 'refused'
  | 'refused-method'
  | 'refused-arguments'
  | 'refused-internal'
  | 'refused-missing'
  | 'refused-declined'
  | 'refused-needs-visit'
  | 'refused-capability';

/** The class of a JSON-RPC error by its code; any number may come. */
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

/** One line with a capital and a full stop, so that what follows reads as the next sentence. */
function sentence(text: string): string {
  const line = ended(text);
  // An address begins in small letters wherever it stands.
  return /^[a-z]+:/.test(line) ? line : line.charAt(0).toUpperCase() + line.slice(1);
}

/** One line that ends as a sentence does. */
export function ended(text: string): string {
  const line = visibleLine(text, maxDetail);
  return line === '' || /[.!?…:]$/.test(line) ? line : `${line}.`;
}

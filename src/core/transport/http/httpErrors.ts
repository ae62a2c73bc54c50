/** HTTP failures as HostErrors: the server, what failed, and what to do. */
import type { UnreachableWhy } from '../../base/failureKinds.js';
import type { HostErrorWith } from '../../base/hostError.js';
import { HostError, messageOf } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';

/** Maximum length of a body excerpt in a message, in UTF-16 code units. */
const excerptLength = 200;

/** Maximum wait that a server may request with `Retry-After`, ms. */
const maxRetryAfterMs = 300_000;

/** The error for a request without a response. */
export function connectionError(error: unknown, label: string): HostError {
  const errno = errnoOf(error);
  const isSocketFile = /^(?:unix|pipe):/.test(label);
  const fail = (why: UnreachableWhy, text: string, hint?: string) =>
    new HostError('connection-refused', text, {
      cause: error,
      data: { errno, why, place: label, isSocketFile, detail: messageOf(error) },
      ...(hint === undefined ? {} : { hint }),
    });
  switch (errno) {
    case 'ECONNREFUSED':
      return fail(
        'no-listener',
        `Nothing listens at ${label}.`,
        isSocketFile
          ? 'Is the server running? The socket file might be left over from an earlier run.'
          : 'Is the server running, and is the port correct?',
      );
    case 'ENOENT':
      return fail('no-socket', `There is no socket at ${label}.`, 'Is the server running?');
    case 'EACCES':
    case 'EPERM':
      return fail(
        'denied',
        `Access to ${label} is denied (${errno}).`,
        isSocketFile ? 'Check the permissions of the socket.' : 'Check the network connection and the firewall.',
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fail(
        'no-name',
        `The name in ${label} could not be resolved.`,
        'Check the URL and the network connection.',
      );
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return fail(
        'no-route',
        `${label} cannot be reached (${errno}).`,
        'Check the network connection and the proxy settings.',
      );
    case 'ECONNRESET':
    case 'EPIPE':
      return new HostError('closed', `${label} closed the connection without an answer.`, {
        cause: error,
        data: { why: 'no-answer', reason: errno, place: label },
      });
    case 'HPE_HEADER_OVERFLOW':
      return new HostError('invalid-message', `${label} answered with headers larger than 16 KiB.`, {
        data: { problem: 'headers-too-large', errno, place: label },
        hint: 'This is a fault of the server, for example an oversized session ID or cookie.',
      });
    default:
      break;
  }
  if (errno?.startsWith('HPE_')) {
    return new HostError('invalid-message', `${label} did not answer with valid HTTP (${errno}).`, {
      data: { problem: 'not-http', errno, place: label, isSocketFile },
      hint: isSocketFile
        ? 'If the server uses JSON lines without HTTP, set its "type" to "socket".'
        : 'Does something else listen on this port?',
    });
  }
  if (isTlsFailure(errno)) {
    return fail(
      tlsWhy(errno),
      `The secure connection to ${label} failed: ${visibleLine(messageOf(error))} (${errno}).`,
      tlsHint(errno),
    );
  }
  return fail('other', `The connection to ${label} failed: ${visibleLine(messageOf(error))}.`);
}

function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

function isTlsFailure(errno: string | undefined): boolean {
  return (
    errno !== undefined &&
    /^(ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/.test(errno)
  );
}

function tlsWhy(errno: string | undefined): UnreachableWhy {
  if (errno === 'EPROTO') return 'tls-protocol';
  if (errno === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'tls-name';
  return errno === 'CERT_HAS_EXPIRED' ? 'tls-expired' : 'tls';
}

function tlsHint(errno: string | undefined): string {
  if (errno === 'EPROTO') return 'The server might use HTTP without TLS on this port.';
  if (errno === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'The certificate is for another name: check the URL.';
  if (errno === 'CERT_HAS_EXPIRED') return 'The certificate has expired: the operator of the server must renew it.';
  return 'For a private certificate authority, set "caFile" of this server to the PEM file with its certificate. MCP Deck always checks certificates.';
}

/** The error for a response that ended before it was complete. */
export function brokenAnswer(what: string, detail: string, cause?: unknown): HostError {
  return new HostError('closed', `The connection broke before ${what} was answered: ${detail}.`, {
    data: { why: 'answer-broken', reason: detail, request: what, detail },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The error for a response stream that ended before the response arrived. */
export function streamEnded(what: string): HostError {
  const detail = 'the server ended the stream';
  return new HostError('closed', `The connection broke before ${what} was answered: ${detail}.`, {
    data: { why: 'answer-stream-ended', reason: detail, request: what },
  });
}

/** The error for a response stream that ended before the response arrived and could not be resumed. */
export function notResumed(what: string, cause: Error): HostError {
  const detail = `the stream ended and could not be resumed (${cause.message})`;
  return new HostError('closed', `The connection broke before ${what} was answered: ${detail}.`, {
    data: { why: 'not-resumed', reason: detail, request: what, detail: cause.message },
    cause,
  });
}

/** A response whose status ends a request. */
export interface FailedResponse {
  status: number;
  contentType: string;
  /** The beginning of the body. */
  text: string;
  /** Value of `Retry-After`. */
  retryAfter: string | undefined;
}

/** Creates HostError `http-status`. Its data contains `retryAfterMs` if the server specified a time. */
export function statusError(what: string, refusal: FailedResponse, now = Date.now()): HostErrorWith<'http-status'> {
  const { status, text, contentType } = refusal;
  const bodyText = visibleLine(text, excerptLength);
  const retryAfterMs = parseRetryAfter(refusal.retryAfter, now);
  const data = {
    why: 'plain' as const,
    request: what,
    status,
    bodyText,
    contentType,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return new HostError('http-status', `The server answered ${what} with HTTP status ${status}${quoted(bodyText)}`, {
    data,
    ...statusHint(status),
  });
}

/** The error for a 2xx response with unusable content: neither JSON nor events, or no content. */
export function contentError(what: string, status: number, contentType: string, text: string): HostError {
  const bodyText = visibleLine(text, excerptLength);
  const shown =
    contentType === ''
      ? ', without a content type, and with content'
      : ` and content of type ${visibleLine(contentType, 60)}`;
  const message =
    text === ''
      ? `The server answered ${what} with HTTP status ${status} and an empty body.`
      : `The server answered ${what} with HTTP status ${status}${shown} that is not MCP${quoted(bodyText)}`;
  const hint = /html/i.test(contentType)
    ? { hint: 'The response is a web page instead of an MCP message. Check the URL, or sign in to the network first.' }
    : {};
  return new HostError('invalid-message', message, {
    data: { status, contentType, bodyText, problem: text === '' ? 'empty' : 'content', request: what },
    ...hint,
  });
}

function quoted(bodyText: string): string {
  return bodyText === '' ? '.' : `: ${bodyText}`;
}

function statusHint(status: number): { hint?: string } {
  if (status === 403) return { hint: 'The server refuses access: check the credentials in its configuration.' };
  if (status === 407) return { hint: 'The proxy requires a sign-in: check the proxy settings of VS Code.' };
  if (status === 404 || status === 405)
    return { hint: 'Check the path of the URL. The paths /mcp and /sse are common.' };
  if (status === 429) return { hint: 'The server limits the number of requests: wait before trying again.' };
  if (status >= 500) return { hint: 'This is a fault of the server, or of a proxy in front of it.' };
  return {};
}

/**
 * Converts seconds or an HTTP date (RFC 9110 section 10.2.3) to a delay in milliseconds, which is limited to five
 * minutes; undefined for anything else.
 */
function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

/** The kind of a body, by its content type, which may have parameters. */
export function mediaKind(contentType: string): 'json' | 'events' | 'other' {
  // The common spellings are compared first; the slower comparison handles all others.
  if (contentType.startsWith('application/json')) return 'json';
  if (contentType.startsWith('text/event-stream')) return 'events';
  if (/^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) return 'json';
  return /^\s*text\/event-stream\s*(;|$)/i.test(contentType) ? 'events' : 'other';
}

/** The failures of a WebSocket as HostErrors. */
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { tooLarge } from '../protocol/lineSplitter.js';
import type { FailedResponse } from './http/httpErrors.js';
import { connectionError, statusError } from './http/httpErrors.js';

/** The subprotocol that the client and the server must agree on. */
export const subprotocol = 'mcp';

/** The close codes of RFC 6455 section 7.4.1 and of its IANA registry. */
const closeMeanings: Readonly<Record<number, string>> = {
  1000: 'normal end',
  1001: 'going away',
  1002: 'protocol error',
  1003: 'unsupported data',
  1005: 'no reason given',
  1006: 'connection lost',
  1007: 'invalid text',
  1008: 'policy violation',
  1009: 'message too big',
  1011: 'server error',
  1012: 'restarting',
  1013: 'try again later',
};

/** The error for a handshake that the server answered with a redirect, or with a status other than 101. */
export function refusalError(refusal: FailedResponse, location: string | undefined): HostError {
  const isRedirect = refusal.status >= 300 && refusal.status < 400 && location !== undefined;
  if (!isRedirect) return statusError('the WebSocket handshake', refusal);
  return new HostError(
    'http-status',
    `The server redirects the WebSocket to ${visibleLine(location, 100)}, which is not followed.`,
    {
      data: { why: 'websocket-redirect', status: refusal.status, bodyText: '', target: location },
      hint: 'If the server has moved to a location that you trust, change its URL in the configuration.',
    },
  );
}

/** The error for a failed handshake. */
export function handshakeError(error: NodeJS.ErrnoException, place: string): HostError {
  if (error.code !== undefined) return connectionError(error, place);
  // The error has no code if the server's answer to the handshake was invalid.
  return new HostError('invalid-message', `${place} does not open an MCP WebSocket: ${visibleLine(error.message)}.`, {
    cause: error,
    data: { problem: 'handshake', place, detail: error.message, subject: subprotocol },
    hint: `The server has to agree to the subprotocol "${subprotocol}".`,
  });
}

/** The error for an open connection that failed. */
export function brokenError(error: NodeJS.ErrnoException, maxMessageBytes: number): HostError {
  switch (error.code) {
    case 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH':
    case 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH':
      return tooLarge(maxMessageBytes);
    case 'WS_ERR_INVALID_UTF8':
      return new HostError('invalid-message', 'The server sent a WebSocket message that is not UTF-8.', {
        cause: error,
        data: { problem: 'encoding' },
      });
    default:
      break;
  }
  if (error.code?.startsWith('WS_ERR')) {
    return new HostError('invalid-message', `The server broke the WebSocket protocol: ${visibleLine(error.message)}.`, {
      cause: error,
      data: { problem: 'websocket', errno: error.code, detail: error.message },
    });
  }
  return new HostError('closed', `The connection broke: ${visibleLine(error.message)}.`, {
    cause: error,
    data: { why: 'broken', reason: error.code, detail: error.message },
  });
}

/** The error for an open connection that the server closed. */
export function closeError(code: number, reason: Buffer): HostError {
  const meaning = closeMeanings[code];
  const text = visibleLine(reason.toString('utf8'), 120);
  const message = `The server closed the WebSocket (code ${code}${meaning === undefined ? '' : `, ${meaning}`})${text === '' ? '' : `: ${text}`}.`;
  return new HostError('closed', message, { data: { why: 'websocket', reason: text, code } });
}

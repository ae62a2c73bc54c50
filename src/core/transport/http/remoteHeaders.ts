/** Validates configured headers, and redacts headers for the log. */
import { HostError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';

export type HeaderMap = Record<string, string>;

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 section 5.5, as Node's http module enforces it: no CR, LF or NUL, nothing beyond Latin-1. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that the transport sets itself; configured values would break the connection. */
const reserved: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
  'upgrade',
]);

const headerProblems = {
  'header-name': 'is not a valid header name',
  'header-reserved': 'is set by MCP Deck itself',
  'header-value': 'has a value with line breaks or characters that a header cannot contain',
};

/**
 * Validates the headers of a definition and returns them with lower-case names. Throws HostError `bad-configuration`,
 * whose message contains the header's name but never its value.
 */
export function checkedHeaders(configured: HeaderMap): HeaderMap {
  const headers: HeaderMap = {};
  for (const [name, value] of Object.entries(configured)) {
    const lower = name.toLowerCase();
    const problem = !headerName.test(name)
      ? 'header-name'
      : reserved.has(lower)
        ? 'header-reserved'
        : !headerValue.test(value)
          ? 'header-value'
          : undefined;
    if (problem)
      throw new HostError(
        'bad-configuration',
        `The configured header "${visibleLine(name, 60)}" cannot be used: it ${headerProblems[problem]}.`,
        { data: { problem, subject: name } },
      );
    headers[lower] = value;
  }
  return headers;
}

/** Whether `value` may be sent unchanged. */
export function isHeaderValue(value: string): boolean {
  return headerValue.test(value);
}

/** Headers whose values are never secret. All others are hidden, especially configured ones. */
const loggable: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'host',
  'mcp-method',
  'mcp-protocol-version',
  'retry-after',
  'server',
  'transfer-encoding',
  'user-agent',
]);

/** A copy for the log: all names, but only values that cannot be secret (security requirement S2). */
export function redactedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): HeaderMap {
  const copy: HeaderMap = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    copy[name] = loggable.has(name.toLowerCase()) ? visibleLine(String(value)) : '‹redacted›';
  }
  return copy;
}

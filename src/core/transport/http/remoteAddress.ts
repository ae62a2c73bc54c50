import type { HostErrorData } from '../../base/hostError.js';
import { HostError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { parsedUrl } from '../../base/parsedUrl.js';

/** The address of a remote server, parsed once so that requests need not parse a URL. */
export interface RemoteAddress {
  protocol: 'http:' | 'https:' | 'ws:' | 'wss:';
  /** The host name without the brackets of an IPv6 literal. */
  hostname: string;
  port: number;
  /** Path and query. */
  path: string;
  /** The Unix socket or named pipe to connect to instead of host and port. */
  socketPath?: string;
  /** Scheme, host and port, as in a URL. */
  origin: string;
  /** Whether the host is this machine, where unencrypted connections are safe. */
  isLoopback: boolean;
  /** The address for display and logs. It omits the query, which may contain a secret. */
  label: string;
}

/**
 * Parses the `url` of a definition: http(s), ws(s), `unix:///path/of.sock#/sub` or `pipe:///name#/sub`. Throws
 * HostError `bad-configuration`.
 */
export function parseRemoteAddress(text: string): RemoteAddress {
  // The parser leaves some of these characters out, so the URL could lead to another host than a reader expects.
  if (/\p{Cc}/u.test(text))
    throw badUrl({ problem: 'address-control' }, 'it contains a line break or another control character');
  const url = parsedUrl(text);
  if (!url) {
    // The text before an @ may be a password.
    const shown = visibleLine(text.replace(/(?<![^\s@])[^\s@]*@/g, '…@'), 100);
    throw badUrl({ problem: 'address-no-url', subject: shown }, `"${shown}" is not a URL`);
  }
  if (url.username !== '' || url.password !== '') {
    throw badUrl(
      { problem: 'address-password' },
      'the URL contains a user name or password',
      'Put credentials into "headers", where they are never logged.',
    );
  }
  switch (url.protocol) {
    case 'http:':
    case 'https:':
    case 'ws:':
    case 'wss:':
      return fromUrl(url, url.protocol);
    case 'unix:':
    case 'pipe:':
      return fromSocket(url, url.protocol);
    default:
      throw badUrl(
        { problem: 'address-scheme', subject: url.protocol },
        `the scheme "${visibleLine(url.protocol, 30)}" is not supported`,
        'MCP Deck supports http, https, ws, wss, unix, and pipe.',
      );
  }
}

/** The same address with a different path and query, after a redirect or an `endpoint` event. */
export function withUrl(address: RemoteAddress, url: URL): RemoteAddress {
  return {
    ...address,
    path: `${url.pathname}${url.search}`,
    label: address.socketPath === undefined ? labelOf(url) : address.label,
  };
}

/** The address as a URL, against which relative references are resolved. For sockets, the host is `localhost`. */
export function baseUrl(address: RemoteAddress): URL {
  // The parts are concatenated. Resolved as a relative reference, a path that begins with two slashes would change the
  // host.
  return new URL(address.origin + address.path);
}

function fromUrl(url: URL, protocol: RemoteAddress['protocol']): RemoteAddress {
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  return {
    protocol,
    hostname,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    origin: url.origin,
    isLoopback: isLoopbackHost(hostname),
    label: labelOf(url),
  };
}

/**
 * The address of a socket, in the notation of VS Code's configuration: the path is the socket, and the fragment is the
 * request path.
 */
function fromSocket(url: URL, scheme: 'unix:' | 'pipe:'): RemoteAddress {
  let file: string;
  try {
    file = decodeURIComponent(url.pathname);
  } catch {
    throw badUrl(
      { problem: 'address-percent', subject: scheme },
      `the path of a ${scheme} URL contains a % that is not followed by two hexadecimal digits`,
      'Write %25 for a percent sign.',
    );
  }
  if (url.hostname !== '' || !/^\/./.test(file))
    throw badUrl(
      { problem: 'address-path', subject: scheme },
      `a ${scheme} URL needs three slashes and a path`,
      'For example unix:///run/server.sock#/mcp.',
    );
  // The path stays encoded, as it is sent. A decoded path could contain a line break.
  const path = url.hash.slice(1);
  return {
    protocol: 'http:',
    hostname: 'localhost',
    port: 80,
    path: path.startsWith('/') ? path : `/${path}`,
    socketPath: scheme === 'unix:' ? file : pipePath(file),
    origin: 'http://localhost',
    isLoopback: true,
    label: `${scheme}//${file}`,
  };
}

function pipePath(file: string): string {
  return `\\\\.\\pipe\\${file.replace(/^\/(pipe\/)?/, '')}`;
}

function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

function labelOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function badUrl(data: HostErrorData['bad-configuration'], problem: string, hint?: string): HostError {
  return new HostError(
    'bad-configuration',
    `The server's URL cannot be used: ${problem}.`,
    hint === undefined ? { data } : { data, hint },
  );
}

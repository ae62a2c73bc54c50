/**
 * The HTTP client of one server, independent of MCP. It uses node:http, because clients built on fetch take about four
 * times as long per request.
 */
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../base/clock.js';
import type { Authorizer } from '../../auth/authorizer.js';
import type { CallSweep } from './callSweep.js';
import { acceptedEncodings } from './httpBody.js';
import type { HttpConnections, SocketPool } from './httpConnections.js';
import type { PooledOptions } from './idleSockets.js';
import type { RemoteAddress } from './remoteAddress.js';
import { baseUrl, withUrl } from './remoteAddress.js';
import type { RemoteOptions } from '../remoteOptions.js';
import type { HeaderMap } from './remoteHeaders.js';
import { checkedHeaders } from './remoteHeaders.js';

export interface HttpClientOptions {
  connections: HttpConnections;
  address: RemoteAddress;
  /** Configured headers, validated by `checkedHeaders`. */
  headers: HeaderMap;
  authorizer: Authorizer | undefined;
  /** Certificate authorities in PEM format; they replace the built-in list for this server. */
  ca: string | undefined;
  userAgent: string | undefined;
  /** Whether to offer compressed responses. */
  compression: boolean;
  clock: Clock;
  /** Ends calls that have no timeout of their own. */
  sweep: CallSweep;
}

/**
 * The client options for a configured server.
 *
 * @throws HostError `bad-configuration` when a configured header cannot be sent.
 */
export function clientOptionsOf(
  address: RemoteAddress,
  { headers, authorizer, ca, userAgent, compression }: RemoteOptions,
  shared: Pick<HttpClientOptions, 'connections' | 'clock' | 'sweep'>,
): HttpClientOptions {
  return {
    ...shared,
    address,
    headers: checkedHeaders(headers ?? {}),
    authorizer,
    ca,
    userAgent,
    compression: compression ?? false,
  };
}

/** The shared data of all requests to one server. */
export class HttpClient {
  /**
   * The headers of every request. With VS Code's proxy support, sockets are kept alive only because of the explicit
   * `Connection` header.
   */
  readonly commonHeaders: HeaderMap;
  readonly clock: Clock;
  readonly sweep: CallSweep;
  readonly authorizer: Authorizer | undefined;
  private readonly connections: HttpConnections;
  private readonly pool: SocketPool;
  private current: RemoteAddress;
  private latest: { address: RemoteAddress; url: string } | undefined;
  /**
   * Template of the request options. It has every property that a request can need, because adding a property to a copy
   * costs more than copying.
   */
  private readonly blank: PooledOptions;

  constructor(options: HttpClientOptions) {
    const { address, ca, userAgent, compression } = options;
    this.connections = options.connections;
    this.pool = options.connections.poolOf(address, ca);
    this.clock = options.clock;
    this.sweep = options.sweep;
    this.authorizer = options.authorizer;
    this.current = address;
    this.commonHeaders = {
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
      ...(compression ? { 'accept-encoding': acceptedEncodings } : {}),
      ...options.headers,
      connection: 'keep-alive',
    };
    this.blank = {
      protocol: address.protocol,
      hostname: address.hostname,
      port: address.port,
      ...(address.socketPath === undefined ? {} : { socketPath: address.socketPath }),
      ...(address.hostname === 'localhost' ? { lookup: lookupLoopback } : {}),
      ...(ca === undefined ? {} : { ca }),
      method: 'POST',
      path: '/',
      headers: {},
      agent: undefined,
      idle: undefined,
    };
  }

  /** The address of requests; a permanent redirect changes it within the origin. */
  get address(): RemoteAddress {
    return this.current;
  }

  /** Loads the HTTP module. Must be awaited once before the first request. */
  load(): Promise<void> {
    return this.connections.load(this.pool.scheme);
  }

  /** Sets the address of later requests. */
  moveTo(url: URL): void {
    this.current = withUrl(this.current, url);
  }

  /** The URL of an address as text. */
  urlOf(address: RemoteAddress): string {
    // Parsed once for a series of requests to one address.
    if (this.latest?.address !== address) this.latest = { address, url: baseUrl(address).href };
    return this.latest.url;
  }

  /** Starts one request. Throws the errors of node:http. */
  request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    isStream: boolean,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const options = { ...this.blank };
    options.method = method;
    options.path = path;
    options.headers = headers;
    return this.connections.request(this.pool, options, isStream, onResponse);
  }
}

/**
 * Returns both address families for `localhost`, regardless of the hosts file: some servers listen on only one of them.
 */
const lookupLoopback: LookupFunction = (_hostname, options, callback) => {
  if (options.all) {
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  } else callback(null, '127.0.0.1', 4);
};

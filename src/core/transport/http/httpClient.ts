/**
 * The connection data of one server, below all MCP. Speaks through node:http because everything built on fetch costs four
 * times as much.
 */
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../base/clock.js';
import type { Authorizer } from '../../auth/authorizer.js';
import type { CallSweep } from './callSweep.js';
import { acceptedEncodings } from './httpBody.js';
import type { HttpConnections } from './httpConnections.js';
import type { RemoteAddress } from './remoteAddress.js';
import { withUrl } from './remoteAddress.js';
import type { RemoteOptions } from '../remoteOptions.js';
import type { HeaderMap } from './remoteHeaders.js';
import { checkedHeaders } from './remoteHeaders.js';

export interface HttpClientOptions {
  connections: HttpConnections;
  address: RemoteAddress;
  /** Configured headers, checked (`checkedHeaders`). */
  headers: HeaderMap;
  authorizer: Authorizer | undefined;
  /** PEM of an own certificate authority, added to nothing: it replaces the built-in list for this server. */
  ca: string | undefined;
  userAgent: string | undefined;
  /** Whether compressed answers are offered. */
  compression: boolean;
  clock: Clock;
  /** Ends what nobody times. */
  sweep: CallSweep;
}

/**
 * The options of a client for a configured server.
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

/** What all requests to one server have in common. */
export class HttpClient {
  /** Sent with every request; the explicit `Connection` is what keeps sockets alive under VS Code's proxy support. */
  readonly commonHeaders: HeaderMap;
  readonly clock: Clock;
  readonly sweep: CallSweep;
  readonly authorizer: Authorizer | undefined;
  private readonly connections: HttpConnections;
  private current: RemoteAddress;
  /**
   * A request that does not know yet what is asked for. Has every member, since adding one to a copy costs more than
   * the copy.
   */
  private readonly blank: RequestOptions;

  constructor(options: HttpClientOptions) {
    const { address, ca, userAgent, compression } = options;
    this.connections = options.connections;
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
    };
  }

  /** Where requests go; a permanent redirect moves it within the origin. */
  get address(): RemoteAddress {
    return this.current;
  }

  /** To be awaited once before the first request. */
  load(): Promise<void> {
    return this.connections.load(this.scheme);
  }

  /** Later requests start at `url`. */
  moveTo(url: URL): void {
    this.current = withUrl(this.current, url);
  }

  /** Starts one request. Throws what node:http throws. */
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
    return this.connections.request(this.scheme, options, isStream, onResponse);
  }

  private get scheme(): 'http:' | 'https:' {
    return this.current.protocol === 'https:' ? 'https:' : 'http:';
  }
}

/** Both families for `localhost`, whatever the machine's hosts file says: servers listen on one or the other. */
const lookupLoopback: LookupFunction = (_hostname, options, callback) => {
  if (options.all) {
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  } else callback(null, '127.0.0.1', 4);
};

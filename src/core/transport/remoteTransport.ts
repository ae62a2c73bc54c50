import { HostError } from '../base/hostError.js';
import type { RemoteDefinition } from '../config/serverDefinition.js';
import { HttpTransport } from './http/httpTransport.js';
import { LegacySseTransport } from './http/legacySseTransport.js';
import { parseRemoteAddress } from './http/remoteAddress.js';
import type { RemoteOptions } from './remoteOptions.js';
import { SocketTransport } from './socketTransport.js';
import type { Transport } from './transport.js';
import { WebSocketTransport } from './webSocketTransport.js';

export interface OpenRemoteOptions extends RemoteOptions {
  /**
   * `sse` creates HTTP+SSE of 2024-11-05 instead of Streamable HTTP, after Streamable HTTP failed in a way that
   * indicates the older transport. Default `none`.
   */
  fallback?: 'none' | 'sse';
}

/**
 * Creates the transport for a definition without opening it. The type of the definition and the scheme of its URL
 * select the transport: a URL with ws or wss uses WebSocket, and a URL with unix or pipe uses HTTP unless the type is
 * `socket`. Throws HostError `bad-configuration`.
 */
export function openRemote(
  definition: Pick<RemoteDefinition, 'type' | 'url' | 'headers'>,
  options: OpenRemoteOptions = {},
): Transport {
  const { fallback = 'none', ...rest } = options;
  const address = parseRemoteAddress(definition.url);
  // On loopback, compression only costs time.
  const remote: RemoteOptions = {
    compression: !address.isLoopback,
    ...rest,
    headers: { ...definition.headers, ...rest.headers },
  };
  if (definition.type === 'socket') return new SocketTransport(address, remote);
  const isWebSocket = address.protocol === 'ws:' || address.protocol === 'wss:';
  if (isWebSocket) return new WebSocketTransport(address, remote);
  if (definition.type === 'ws') {
    throw new HostError(
      'bad-configuration',
      `A WebSocket server needs a URL that begins with ws: or wss:, not ${address.protocol}`,
      { data: { problem: 'websocket-address', subject: address.protocol } },
    );
  }
  return definition.type === 'sse' || fallback === 'sse'
    ? new LegacySseTransport(address, remote)
    : new HttpTransport(address, remote);
}

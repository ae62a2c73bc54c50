/** The gateway of a window, with its HTTP front. */
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { messageOf } from '../base/hostError.js';
import type { Log } from '../base/log.js';
import { HttpFront } from '../serving/httpFront.js';
import type { McpServer } from '../serving/mcpServer.js';
import type { DoorSocketOptions, DoorSocket } from './doorSocket.js';
import { openDoorSocket } from './doorSocket.js';
import type { GatewayOptions } from './gateway.js';
import { Gateway } from './gateway.js';
import type { ClientApprovals } from './gatewayClients.js';
import { GatewayClients } from './gatewayClients.js';

export interface OpenGatewayOptions extends Omit<GatewayOptions, 'clients'> {
  approvals: ClientApprovals;
  token: string;
  /** The preferred port. If it is not free, another port is used. Default: any free port. */
  port?: number;
  /**
   * Creates the token for another port. Clients that still use the preferred port send `token` to the program that has
   * this port now, so `token` must no longer be valid. Default: `token`.
   */
  tokenForOtherPort?: () => Promise<string>;
  /** Where doors find this gateway. Absent: it is reached over HTTP only. */
  door?: DoorSocketOptions;
}

export interface OpenedGateway {
  readonly url: string;
  readonly port: number;
  /** Whether another program has the preferred port. */
  readonly isMoved: boolean;
  readonly clients: GatewayClients;
  /** Serves clients of further transports with `connect`. */
  readonly server: McpServer;
  /** The socket for doors. Undefined if it was not requested, or could not be opened. */
  readonly door: DoorSocket | undefined;
  /** Called after a change of the configuration. Starts servers, but only after a client has been approved. */
  configurationChanged(): void;
  /** Notifies clients that presets or overrides have changed. */
  viewChanged(): void;
  close(): Promise<void>;
}

/** Maximum size of a request, bytes. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Opens the gateway. Rejects with the error of the operating system if no port can be opened. */
export async function openGateway(options: OpenGatewayOptions): Promise<OpenedGateway> {
  const { approvals, log, clock = systemClock } = options;
  let isUsed = false;
  const clients: GatewayClients = new GatewayClients({
    approvals,
    prepare: () => {
      isUsed = true;
      return gateway.startInTime();
    },
    clock,
  });
  const gateway = new Gateway({ ...options, clients });
  const { front, at } = await listening(options, { server: gateway.server, log, clock }).catch((error: unknown) => {
    gateway.dispose();
    clients.dispose();
    throw error;
  });
  // Clients over HTTP can use the gateway without the door.
  const door =
    options.door &&
    (await openDoorSocket(gateway.server, options.door, log).catch((error: unknown) => {
      log.write('error', `Agents cannot reach this window through the door: ${messageOf(error)}`);
      return undefined;
    }));
  return {
    ...at,
    door,
    clients,
    server: gateway.server,
    configurationChanged: () => {
      if (isUsed) void gateway.startServers();
    },
    viewChanged: () => gateway.viewChanged(),
    close: async () => {
      clients.dispose();
      await door?.close();
      await front.close();
      gateway.dispose();
    },
  };
}

async function listening(
  { port = 0, token, tokenForOtherPort = () => Promise.resolve(token) }: OpenGatewayOptions,
  parts: { server: McpServer; log: Log; clock: Clock },
): Promise<{ front: HttpFront; at: { url: string; port: number; isMoved: boolean } }> {
  const open = async (wanted: number, secret: string) => {
    const front = new HttpFront({ ...parts, port: wanted, token: secret, maxBodyBytes, maxSessions: 1_000 });
    return { front, at: { ...(await front.listen()), isMoved: wanted !== port } };
  };
  try {
    return await open(port, token);
  } catch (error) {
    if (port === 0) throw error;
    return open(0, await tokenForOtherPort());
  }
}

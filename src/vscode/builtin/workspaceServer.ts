import { messageOf } from '../../core/base/hostError.js';
import type { WorkspaceServerOptions } from '../../core/workspaceServer/createWorkspaceServer.js';
import { createWorkspaceServer as createServer } from '../../core/workspaceServer/createWorkspaceServer.js';
import type { McpServer } from '../../core/serving/mcpServer.js';
import { MemoryTransport } from '../../core/transport/memoryTransport.js';
import type { Transport } from '../../core/transport/transport.js';
import { VsCodeWorkspaceAccess } from './vsCodeWorkspaceAccess.js';

/** The built-in server "workspace" on this window; dispose it when done. */
function createWorkspaceServer(options: WorkspaceServerOptions): McpServer {
  return createServer(new VsCodeWorkspaceAccess(), options);
}

/**
 * A connection to a built-in server of its own, for `HostPorts.openBuiltInServer`. The server lives as long as the
 * connection: closing it is all there is to do.
 */
export function openBuiltInServer(options: WorkspaceServerOptions): Transport {
  const [client, own] = MemoryTransport.pair();
  const server = createWorkspaceServer(options);
  server
    .connect(own, () => server.dispose())
    .catch((error: unknown) => {
      // An in-memory end cannot fail to open; if it ever does, the client sees a closed connection and the log says
      // why.
      options.log?.write('error', `The built-in server could not be opened: ${messageOf(error)}`);
      void client.close();
    });
  return client;
}

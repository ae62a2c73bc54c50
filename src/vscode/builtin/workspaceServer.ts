import { messageOf } from '../../core/base/hostError.js';
import type { WorkspaceServerOptions } from '../../core/workspaceServer/createWorkspaceServer.js';
import { createWorkspaceServer as createServer } from '../../core/workspaceServer/createWorkspaceServer.js';
import type { McpServer } from '../../core/serving/mcpServer.js';
import { MemoryTransport } from '../../core/transport/memoryTransport.js';
import type { Transport } from '../../core/transport/transport.js';
import { VsCodeWorkspaceAccess } from './vsCodeWorkspaceAccess.js';

/** Creates the built-in server "workspace" for this window. The caller disposes it. */
function createWorkspaceServer(options: WorkspaceServerOptions): McpServer {
  return createServer(new VsCodeWorkspaceAccess(), options);
}

/**
 * Opens a connection to a new instance of the built-in server, for `HostPorts.openBuiltInServer`. Closing the
 * connection disposes the server.
 */
export function openBuiltInServer(options: WorkspaceServerOptions): Transport {
  const [client, own] = MemoryTransport.pair();
  const server = createWorkspaceServer(options);
  server
    .connect(own, () => server.dispose())
    .catch((error: unknown) => {
      // Opening an in-memory transport should not fail. If it does, the client sees a closed connection and the log
      // contains the reason.
      options.log?.write('error', `The built-in server could not be opened: ${messageOf(error)}`);
      void client.close();
    });
  return client;
}

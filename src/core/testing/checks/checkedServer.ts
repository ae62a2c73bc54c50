import { neverEvent } from '../../base/event.js';
import { HostError } from '../../base/hostError.js';
import { McpHost } from '../../host/mcpHost.js';
import type { HostPorts } from '../../host/ports.js';
import type { McpHostOptions } from '../../host/sessionOpener.js';
import type { ServerEntry } from '../../registry/serverEntry.js';

/** A running server in a host of its own. */
export interface CheckedServer {
  host: McpHost;
  /** The ID of the server in this host. */
  id: string;
  /** Starts the server again if a call ended it. */
  readonly ensureRunning: (signal: AbortSignal) => Promise<void>;
  /** Stops the server. Resolves when no process is left. */
  readonly close: () => Promise<void>;
}

/** Refuses the questions of servers, but declares to servers that the client supports these questions. */
const refused: Pick<HostPorts, 'sampler' | 'elicitor'> = {
  sampler: { createMessage: () => Promise.reject(noAnswer()) },
  elicitor: { elicit: () => Promise.reject(noAnswer()) },
};

/**
 * Starts a second instance of a server for checks that call its tools, because these calls can end the server. Its host
 * knows no other server. Rejects with the reason if the server does not start.
 *
 * @param ports the ports of the program. A start that is not approved asks through them.
 * @param options the check of results, and the switches of the window: a disabled tool is not called.
 */
export async function openCheckedServer(
  entry: ServerEntry,
  ports: HostPorts,
  options: Required<Pick<McpHostOptions, 'checkOutput' | 'switches'>>,
  signal: AbortSignal,
): Promise<CheckedServer> {
  const { id, name, definition, source, inputs } = entry;
  const position = entry.position ?? { line: 0, character: 0, endLine: 0, endCharacter: 0 };
  const parsed = {
    // The ID is passed, because rules and disabled tools refer to it. It differs from the name if the program has
    // another server of this name.
    servers: [{ id, name, definition, position, isDisabled: false }],
    inputs: [...inputs],
    problems: [],
    isBroken: false,
  };
  const configuration = { read: () => Promise.resolve([{ source, parsed }]), onDidChange: neverEvent };
  const host = new McpHost({ ...ports, ...refused, configuration }, options);
  const ensureRunning = async (within: AbortSignal) => {
    if (host.servers.get(id)?.state.kind !== 'running')
      await host.lifecycle.start(id, { interactive: true, signal: within });
  };
  try {
    await host.open();
    await ensureRunning(signal);
    return { host, id, ensureRunning, close: () => host.close() };
  } catch (error) {
    await host.close();
    throw error;
  }
}

function noAnswer(): HostError {
  return new HostError('cancelled', 'Questions of the server are not answered during a check.');
}

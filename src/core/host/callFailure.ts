import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { failureLogLine, noteServer } from '../present/failure/failureText.js';
import type { ManagedServer } from './managedServer.js';

export interface ServerLookup {
  /** The server; undefined if there is none with this ID, or if it has no `ManagedServer` yet. */
  peek(id: string): ManagedServer | undefined;
}

/**
 * Adds the server to the failure of a request, logs it and throws it.
 * @param what the tool, prompt, URI or method of the request.
 * @param since the time when the call began, on the host's clock; absent if the call was not sent or the time is not
 * known.
 */
export function failCall(servers: ServerLookup, id: string, what: string, error: unknown, since?: number): never {
  const server = servers.peek(id);
  noteServer(error, id);
  if (server && error instanceof Error && !isCancelled(error)) {
    server.logWriter.maskIn(error);
    server.logWriter.explain(error, since);
    // A refusal by the user or a rule is not an error of the server, and neither is a stop of the server by the host.
    if (!(error instanceof HostError && (error.code === 'call-refused' || isEndedHere(error))))
      server.stats.recordError(error, Date.now(), what);
    server.logWriter.write('warn', `${visibleLine(what, 120)}: ${failureLogLine(error, id)}`);
  }
  throw error;
}

/** Whether the host closed the connection. */
function isEndedHere(error: HostError): boolean {
  return error.code === 'closed' && error.data.by === 'host';
}

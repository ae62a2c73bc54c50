import { changedError, toolHash } from '../consent/toolDefinition.js';
import type { Tool } from '../protocol/mcp.js';
import type { McpSession } from '../session/mcpSession.js';

/**
 * The tools of a session that belongs to one client. Approvals and the quarantine apply to the tools of the session
 * that all clients share. The processes of a server can differ, because they start at different times. Therefore, a
 * tool that is not the same in both is not called.
 */
export class CallerTools {
  private readonly lists = new WeakMap<McpSession, Promise<ReadonlyMap<string, Tool>>>();

  /** Lists the tools of a new session, or again after the server has reported a change. Never rejects. */
  list(session: McpSession): Promise<void> {
    // A tool that is not listed is not called, so a failed listing is treated as an empty list.
    const listed: Promise<ReadonlyMap<string, Tool>> = session.listTools().then(
      ({ items }) => new Map(items.map((tool) => [tool.name, tool])),
      () => new Map<string, Tool>(),
    );
    this.lists.set(session, listed);
    return listed.then(() => undefined);
  }

  /**
   * Rejects with `tool-changed` if the tool with this name in the session differs from `shared`. Undefined if the
   * session does not belong to a client.
   * @param shared the tool that was approved; undefined if the shared session does not list it.
   */
  check(session: McpSession, server: string, name: string, shared: Tool | undefined): Promise<void> | undefined {
    return this.lists.get(session)?.then((tools) => {
      const own = tools.get(name);
      const isSame = own === undefined || shared === undefined ? own === shared : toolHash(own) === toolHash(shared);
      if (!isSame) throw changedError(server, name, own ? 'changed' : 'gone');
    });
  }
}

import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import { ListPace } from '../catalog/listPace.js';
import { changedError, toolHash } from '../consent/toolDefinition.js';
import type { Tool } from '../protocol/mcp.js';
import type { McpSession } from '../session/mcpSession.js';

/**
 * The tools of a session that belongs to one client. Approvals and the quarantine apply to the tools of the session
 * that all clients share. The processes of a server can differ, because they start at different times. Therefore, a
 * tool that is not the same in both is not called.
 */
export class CallerTools {
  private readonly lists = new WeakMap<McpSession, Listing>();

  constructor(private readonly clock: Clock) {}

  /**
   * Lists the tools of a new session, or again after the server has reported a change. One listing runs at a time, and
   * at most one more waits for it. Never rejects. While one waits, all calls return its promise, so that reported changes
   * need no memory.
   */
  list(session: McpSession): Promise<unknown> {
    const latest = this.lists.get(session);
    if (latest?.isWaiting === true) return latest.tools;
    const next = new Listing(session, latest, this.clock);
    this.lists.set(session, next);
    return next.tools;
  }

  /**
   * Rejects with `tool-changed` if the tool with this name in the session differs from `shared`. Undefined if the
   * session does not belong to a client.
   * @param shared the tool that was approved; undefined if the shared session does not list it.
   */
  check(session: McpSession, server: string, name: string, shared: Tool | undefined): Promise<void> | undefined {
    return this.lists.get(session)?.tools.then((tools) => {
      const own = tools.get(name);
      const isSame = own === undefined || shared === undefined ? own === shared : toolHash(own) === toolHash(shared);
      if (!isSame) throw changedError(server, name, own ? 'changed' : 'gone');
    });
  }
}

/** One listing of the tools of a session, which begins when the former one has ended. */
class Listing {
  /** Whether the request was not sent yet, so that the result includes all changes so far. */
  isWaiting = true;
  readonly tools: Promise<ReadonlyMap<string, Tool>>;
  private readonly pace: ListPace;

  constructor(session: McpSession, former: Listing | undefined, clock: Clock) {
    this.pace = former?.pace ?? new ListPace(clock, 0);
    this.tools = Promise.resolve(former?.tools).then(async () => {
      if (former) await delay(clock, this.pace.next());
      this.isWaiting = false;
      // A tool that is not listed is not called, so a failed listing is treated as an empty list.
      const { items } = await session.listTools().catch(() => ({ items: [] }));
      this.pace.ended();
      return new Map(items.map((tool) => [tool.name, tool]));
    });
  }
}

import { CallerLife } from '../base/callerLife.js';
import type { Implementation } from '../protocol/mcp.js';

/** Maximum number of clients that are remembered; above it, the client that was seen least recently is forgotten. */
const maxClients = 1_000;

interface Known {
  readonly client: Implementation | undefined;
  readonly life: CallerLife;
  /** The number of the latest request. */
  seenAt: number;
}

/** The clients without sessions, by their identity (`principalOf` of `ModernService`). */
export class KnownClients {
  private readonly known = new Map<string, Known>();
  /** Number of requests of all clients. */
  private requests = 0;

  /** Returns the same object for all requests of a client. */
  of(principal: string, client: Implementation | undefined): CallerLife {
    const one = this.known.get(principal) ?? this.add(principal, client);
    // The order of use is a number, not the order of the map, because V8 often rebuilds a map that is reordered with
    // each call.
    one.seenAt = ++this.requests;
    return one.life;
  }

  /** Ends the clients that match. @returns their identities. */
  endAll(matches: (client: Implementation | undefined) => boolean): string[] {
    const ended = [...this.known].filter(([, { client }]) => matches(client)).map(([principal]) => principal);
    for (const principal of ended) this.end(principal);
    return ended;
  }

  private add(principal: string, client: Implementation | undefined): Known {
    if (this.known.size >= maxClients) {
      const [oldest] = [...this.known].reduce((one, other) => (other[1].seenAt < one[1].seenAt ? other : one));
      this.end(oldest);
    }
    const added: Known = { client, life: new CallerLife(), seenAt: 0 };
    this.known.set(principal, added);
    return added;
  }

  private end(principal: string): void {
    this.known.get(principal)?.life.dispose();
    this.known.delete(principal);
  }
}

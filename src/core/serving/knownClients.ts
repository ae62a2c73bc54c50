import { CallerLife } from '../base/callerLife.js';
import type { Implementation } from '../protocol/mcp.js';

/** Maximum number of clients that are remembered; above it, the client that was seen least recently is forgotten. */
const maxClients = 1_000;

/** The clients without sessions, by their identity (`principalOf` of `ModernService`). */
export class KnownClients {
  private readonly known = new Map<string, { client: Implementation | undefined; life: CallerLife }>();

  /** Returns the same object for all requests of a client. */
  of(principal: string, client: Implementation | undefined): CallerLife {
    const one = this.known.get(principal) ?? { client, life: new CallerLife() };
    this.known.delete(principal);
    this.known.set(principal, one);
    const [oldest] = this.known.keys();
    if (this.known.size > maxClients && oldest !== undefined) this.end(oldest);
    return one.life;
  }

  /** Ends the clients that match. @returns their identities. */
  endAll(matches: (client: Implementation | undefined) => boolean): string[] {
    const ended = [...this.known].filter(([, { client }]) => matches(client)).map(([principal]) => principal);
    for (const principal of ended) this.end(principal);
    return ended;
  }

  private end(principal: string): void {
    this.known.get(principal)?.life.dispose();
    this.known.delete(principal);
  }
}

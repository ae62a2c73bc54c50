import { CallerLife } from '../base/callerLife.js';

/** Maximum number of clients that are remembered; above it, the client that was seen least recently is forgotten. */
const maxClients = 1_000;

/** The clients without sessions, by their identity (`principalOf` of `ModernService`). */
export class KnownClients {
  private readonly lives = new Map<string, CallerLife>();

  /** Returns the same object for all requests of a client. */
  of(principal: string): CallerLife {
    const life = this.lives.get(principal) ?? new CallerLife();
    this.lives.delete(principal);
    this.lives.set(principal, life);
    const [oldest] = this.lives.keys();
    if (this.lives.size > maxClients && oldest !== undefined) {
      this.lives.get(oldest)?.dispose();
      this.lives.delete(oldest);
    }
    return life;
  }
}

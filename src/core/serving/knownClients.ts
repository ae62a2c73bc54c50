import { CallerLife } from '../base/callerLife.js';

/** Maximum number of clients that are remembered; the one that has been silent longest is forgotten. */
const maxClients = 1_000;

/** The clients without sessions, which are told apart by what they say about themselves. */
export class KnownClients {
  private readonly lives = new Map<string, CallerLife>();

  /** The same object for the same client. */
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

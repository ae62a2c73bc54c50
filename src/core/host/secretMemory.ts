/** Maximum number of remembered values of one server. */
const maxValues = 1_000;
/** Maximum number of servers with remembered values. */
const maxServers = 500;

/**
 * The secrets that each server had in this window, by server ID. The records of a run are masked with the secrets that
 * were in use when it began, even if the definition, the stored value or the sign-in has changed since.
 */
export class SecretMemory {
  private readonly byServer = new Map<string, Set<string>>();

  /** Adds values of a server. Above 1,000 values, drops the oldest ones. */
  remember(server: string, values: readonly string[]): void {
    if (values.length === 0) return;
    const known = this.byServer.get(server) ?? new Set<string>();
    this.byServer.set(server, known);
    for (const value of values) known.add(value);
    dropOldest(known, maxValues);
    dropOldest(this.byServer, maxServers);
  }

  /** The values of one server, newest first. */
  of(server: string): readonly string[] {
    return [...(this.byServer.get(server) ?? [])].reverse();
  }
}

function dropOldest(from: Set<string> | Map<string, unknown>, limit: number): void {
  for (const key of from.keys()) {
    if (from.size <= limit) return;
    from.delete(key);
  }
}

/** Values that are remembered for one server, and servers that values are remembered for. */
const maxValues = 1_000;
const maxServers = 500;

/**
 * The secrets that servers had in this window, by id of the server. What a run began with is masked at its end as well,
 * also where the definition, the stored value or the sign-in was changed or removed meanwhile.
 */
export class SecretMemory {
  private readonly byServer = new Map<string, Set<string>>();

  /** Adds values, the latest last; beyond 1,000 the oldest is forgotten. */
  remember(server: string, values: readonly string[]): void {
    if (values.length === 0) return;
    const known = this.byServer.get(server) ?? new Set<string>();
    this.byServer.set(server, known);
    for (const value of values) known.add(value);
    dropOldest(known, maxValues);
    dropOldest(this.byServer, maxServers);
  }

  /** The latest first. */
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

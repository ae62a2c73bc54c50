/** Storage that outlives a window. The VS Code adapters implement both interfaces. */

/** Small values of a workspace that are kept after the window closes. */
export interface StateStore {
  get(key: string): unknown;
  set(key: string, value: unknown): Promise<void>;
}

/** The only storage of secrets. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

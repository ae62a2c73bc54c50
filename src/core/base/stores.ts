/** Where values are kept between windows. The VS Code adapters implement both. */

/** Small per-workspace values; survives the window. */
export interface StateStore {
  get(key: string): unknown;
  set(key: string, value: unknown): Promise<void>;
}

/** The only place where secrets live. */
export interface SecretStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

import type { Event } from '../base/event.js';
import type { ConfigSource, SourcePosition } from './serverDefinition.js';

/** The raw texts of all configuration sources, and when they change. */
export interface ConfigurationSource {
  /**
   * Every source there is now, each with its text (files) or value (settings). A file that does not exist is absent.
   */
  read(): Promise<ConfigurationText[]>;
  /** A source appeared, changed or vanished. */
  readonly onDidChange: Event<void>;
}

/**
 * `unreadable`: it exists and could not be read now; its last good servers stay. `size`: it was not read, because it has so
 * many bytes. `invalid`: where its bytes stop being UTF-8.
 */
export type ConfigurationText =
  | { source: ConfigSource; text: string; invalid?: SourcePosition }
  | { source: ConfigSource; size: number }
  | { source: ConfigSource; value: unknown; /** The list that stands beside the servers in a file. */ inputs?: unknown }
  | { source: ConfigSource; unreadable: string };

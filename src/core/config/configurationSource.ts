import type { Event } from '../base/event.js';
import type { ConfigSource, SourcePosition } from './serverDefinition.js';

/** Provides the raw texts of all configuration sources and an event for changes. */
export interface ConfigurationSource {
  /** All current sources, each with its text (files) or value (settings). A file that does not exist is omitted. */
  read(): Promise<ConfigurationText[]>;
  /** Fired when a source is added, changed or removed. */
  readonly onDidChange: Event<void>;
}

/**
 * One source. `unreadable`: it exists but cannot be read now; its last valid servers stay. `size`: it was not read
 * because it has this many bytes. `invalid`: the position at which its bytes are not UTF-8.
 */
export type ConfigurationText =
  | { source: ConfigSource; text: string; invalid?: SourcePosition }
  | { source: ConfigSource; size: number }
  | { source: ConfigSource; value: unknown; /** The list of inputs. */ inputs?: unknown }
  | { source: ConfigSource; unreadable: string };

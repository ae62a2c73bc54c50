import type { Event } from '../base/event.js';
import type { ConfigSource, ParsedConfig, SourcePosition } from './serverDefinition.js';

/** Provides the raw texts of all configuration sources and an event for changes. */
export interface ConfigurationSource {
  /** All current sources, each with its text (files) or value (settings). Files that do not exist are omitted. */
  read(): Promise<ConfigurationText[]>;
  /** Fired when a source is added, changed or removed. */
  readonly onDidChange: Event<void>;
}

/**
 * One source.
 * - `unreadable`: the source exists but cannot be read now. Its last valid servers are kept.
 * - `size`: the source was not read because it has this many bytes.
 * - `invalid`: the position of the first byte that is not UTF-8.
 * - `parsed`: servers that MCP Deck made itself, and that no text can define.
 */
export type ConfigurationText =
  | { source: ConfigSource; text: string; invalid?: SourcePosition }
  | { source: ConfigSource; size: number }
  | { source: ConfigSource; value: unknown; /** The list of inputs. */ inputs?: unknown }
  | { source: ConfigSource; parsed: ParsedConfig }
  | { source: ConfigSource; unreadable: string };

import type { ConfigProblem, ConfigSource, InputDefinition, ServerDefinition, SourcePosition } from '../config/serverDefinition.js';

/** A server that we know of: its definition, where it was found, and whether it may run. */
export interface ServerEntry {
  /** Unique among all entries and stable over edits: the name, or `name (folder)` where two sources use one name. */
  id: string;
  /** The name as written. */
  name: string;
  definition: ServerDefinition;
  source: ConfigSource;
  position?: SourcePosition;
  /** Inputs that its variables may name. */
  inputs: readonly InputDefinition[];
  /** Switched on: not disabled in the file nor by the user. */
  isEnabled: boolean;
  /** Hash over everything that decides what is run: any change asks for trust again. */
  hash: string;
}

/** An entry that could not be understood; shown as a node and a diagnostic. */
export interface BrokenEntry {
  id: string;
  name: string;
  source: ConfigSource;
  problem: ConfigProblem;
}

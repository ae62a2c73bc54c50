import type {
  ConfigProblem,
  ConfigSource,
  InputDefinition,
  ServerDefinition,
  SourcePosition,
} from '../config/serverDefinition.js';

/** A known server: its definition, its source, and whether it is enabled. */
export interface ServerEntry {
  /**
   * Unique among all entries and stable across edits: the name, or, if two sources use the same name, the name with its
   * source, such as `name (folder)`.
   */
  id: string;
  /** The name as written. */
  name: string;
  definition: ServerDefinition;
  source: ConfigSource;
  position?: SourcePosition;
  /** The inputs of the source that the variables of the definition refer to. */
  readonly inputs: readonly InputDefinition[];
  /** Whether the server is enabled: as the user chose, otherwise as its file or setting states. */
  isEnabled: boolean;
  /** Hash of everything that determines what is run. When it changes, the user is asked for approval again. */
  readonly hash: string;
}

/** An entry that could not be parsed; shown as a node and a diagnostic. */
export interface BrokenEntry {
  /** Unique among broken entries and stable across edits elsewhere. */
  id: string;
  /** The entry's name, or the label of a source that is broken as a whole. */
  name: string;
  source: ConfigSource;
  /** The first of the entry's problems. */
  problem: ConfigProblem;
}

/** The origin of a server, for rules and approvals. */
export function originOf({ kind }: ConfigSource): 'builtin' | 'user' | 'workspace' {
  return kind === 'builtin' || kind === 'user' ? kind : 'workspace';
}

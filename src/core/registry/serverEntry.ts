import type {
  ConfigProblem,
  ConfigSource,
  InputDefinition,
  ServerDefinition,
  SourcePosition,
} from '../config/serverDefinition.js';

/** A server that we know of: its definition, where it was found, and whether it may run. */
export interface ServerEntry {
  /** Unique among all entries and stable over edits: the name, or `name (folder)` where two sources use one name. */
  id: string;
  /** The name as written. */
  name: string;
  definition: ServerDefinition;
  source: ConfigSource;
  position?: SourcePosition;
  /** The inputs that its variables name, of those that its source defines. */
  readonly inputs: readonly InputDefinition[];
  /** Switched on: not disabled in the file nor by the user. */
  isEnabled: boolean;
  /** Hash over everything that decides what is run: any change asks for trust again. */
  readonly hash: string;
}

/** An entry that could not be understood; shown as a node and a diagnostic. */
export interface BrokenEntry {
  /** Unique among broken entries and stable over edits elsewhere. */
  id: string;
  /** The entry's name, or the label of a source that is broken as a whole. */
  name: string;
  source: ConfigSource;
  /** The first of its problems. */
  problem: ConfigProblem;
}

/** Whose a server is, for rules and approvals. */
export function originOf({ kind }: ConfigSource): 'builtin' | 'user' | 'workspace' {
  return kind === 'builtin' || kind === 'user' ? kind : 'workspace';
}

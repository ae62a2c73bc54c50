import type { Event } from '../base/event.js';
import type { ExcludeRules } from './exclusions.js';
import type { WorkspaceFolder } from './workspacePaths.js';

/** Severities of diagnostics, worst first. */
export const severities = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof severities)[number];

/** A range in a text; lines and columns start at 1. */
export interface LineRange {
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

export interface FileDiagnostic {
  severity: Severity;
  message: string;
  range: LineRange;
  source?: string;
  code?: string;
}

export interface FileSymbol {
  name: string;
  /**
   * The kind of the symbol, with the name that the language server protocol defines: `class`, `function`, `enumMember`,
   * …
   */
  kind: string;
  range: LineRange;
  /** The name of the symbol that contains this symbol. */
  container?: string;
  /** Nesting depth in the outline; 0 for top-level symbols. */
  depth: number;
}

export interface WorkspaceSymbol {
  name: string;
  kind: string;
  container?: string;
  /** Absolute path. */
  path: string;
  range: LineRange;
}

/** A file that is open in an editor. */
export interface OpenEditor {
  /** Absolute path. */
  path: string;
  isDirty: boolean;
}

/**
 * The editor functions that the "workspace" server needs. All paths are absolute paths of files on this machine.
 * Implementations return data of any file; the caller checks whether a client may see it.
 */
export interface WorkspaceAccess {
  /** The open folders on this machine, without virtual folders. */
  folders(): readonly WorkspaceFolder[];
  /** `files.exclude` for a folder. */
  excludes(folder: WorkspaceFolder): ExcludeRules;
  /** Fired when `files.exclude` of a folder may have changed, or when the set of folders has changed. */
  readonly onDidChangeExcludes: Event<void>;
  /** Files below the folder that match and that `files.exclude` does not hide, in any order, at most `limit`. */
  findFiles(folder: WorkspaceFolder, glob: string, limit: number, signal: AbortSignal): Promise<string[]>;
  /** The text in the editor, if the file is loaded. */
  loadedText(path: string): { text: string; isDirty: boolean } | undefined;
  /** Decodes the bytes of a file with the encoding that the file or the user's settings specify. */
  decode(bytes: Uint8Array, path: string): Promise<string>;
  /** Diagnostics of one file, or of all files that have diagnostics. */
  diagnostics(path?: string): { path: string; diagnostics: FileDiagnostic[] }[];
  documentSymbols(path: string, signal: AbortSignal): Promise<FileSymbol[]>;
  workspaceSymbols(query: string, signal: AbortSignal): Promise<WorkspaceSymbol[]>;
  openEditors(): readonly OpenEditor[];
  /** Fired when an editor was opened or closed, or when the set of folders changed. */
  readonly onDidChangeOpenEditors: Event<void>;
  /** Fired with the path of a loaded file when its text has changed. */
  readonly onDidChangeText: Event<string>;
}

import type { Event } from '../base/event.js';
import type { ExcludeRules } from './exclusions.js';
import type { WorkspaceFolder } from './workspacePaths.js';

/** Severities of diagnostics, worst first. */
export const severities = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof severities)[number];

/** A range in a text; lines and columns start at 1. */
export interface TextRange {
  startLine: number;
  startColumn: number;
  endLine: number;
  endColumn: number;
}

export interface FileDiagnostic {
  severity: Severity;
  message: string;
  range: TextRange;
  source?: string;
  code?: string;
}

export interface FileSymbol {
  name: string;
  /** `class`, `function`, `enumMember`, …: the kinds of language servers. */
  kind: string;
  range: TextRange;
  /** The symbol that contains it. */
  container?: string;
  /** Depth in the outline, 0 at the top. */
  depth: number;
}

export interface WorkspaceSymbol {
  name: string;
  kind: string;
  container?: string;
  /** Absolute. */
  path: string;
  range: TextRange;
}

/** A file that is open in an editor. */
export interface OpenEditor {
  /** Absolute. */
  path: string;
  isDirty: boolean;
}

/**
 * The editor functions that the "workspace" server needs. All paths are absolute paths of files on this machine. This
 * interface does not decide whether a client may see them.
 */
export interface WorkspaceAccess {
  /** Folders on this machine, without virtual folders. */
  folders(): readonly WorkspaceFolder[];
  /** `files.exclude` for a folder. */
  excludes(folder: WorkspaceFolder): ExcludeRules;
  /** `files.exclude` of a folder may have changed, or the set of folders did. */
  readonly onDidChangeExcludes: Event<void>;
  /** Files below the folder that match and are not hidden by `files.exclude`, in any order, at most `limit`. */
  findFiles(folder: WorkspaceFolder, glob: string, limit: number, signal: AbortSignal): Promise<string[]>;
  /** The text in the editor, if the file is loaded. */
  loadedText(path: string): { text: string; isDirty: boolean } | undefined;
  /** Decodes the bytes of a file with the encoding of the file or the user's settings. */
  decode(bytes: Uint8Array, path: string): Promise<string>;
  /** Diagnostics of one file, or of all files that have some. */
  diagnostics(path?: string): { path: string; diagnostics: FileDiagnostic[] }[];
  documentSymbols(path: string, signal: AbortSignal): Promise<FileSymbol[]>;
  workspaceSymbols(query: string, signal: AbortSignal): Promise<WorkspaceSymbol[]>;
  openEditors(): readonly OpenEditor[];
  /** An editor was opened or closed, or the set of folders changed. */
  readonly onDidChangeOpenEditors: Event<void>;
  /** The text of a loaded file changed; fires its path. */
  readonly onDidChangeText: Event<string>;
}

import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { McpServer } from '../serving/mcpServer.js';
import type { Validate } from '../serving/serverMethods.js';
import { OpenEditors } from './openEditors.js';
import { reviewPrompt } from './reviewPrompt.js';
import type { WorkspaceAccess } from './workspaceAccess.js';
import { WorkspaceFiles } from './workspaceFiles.js';
import { findFiles, readFile } from './fileTools.js';
import { diagnostics, documentSymbols, workspaceSymbols } from './languageTools.js';

export interface WorkspaceServerOptions {
  /** The version that the server reports. */
  version: string;
  /**
   * Validates the arguments against the schema of the tool, with better messages than the checks of the tools
   * themselves. Default: only the tools check their arguments.
   */
  validate?: Validate;
  log?: Log;
  clock?: Clock;
  platform?: NodeJS.Platform;
}

/**
 * The built-in server "workspace": gives MCP clients the data that the editor has about the open folders. It only
 * reads.
 * @returns the server; dispose it to stop listening to the editor.
 */
export function createWorkspaceServer(access: WorkspaceAccess, options: WorkspaceServerOptions): McpServer {
  const files = new WorkspaceFiles(access, options.platform, options.log);
  const editors = new OpenEditors(files, options.clock ?? systemClock);
  return new McpServer({
    info: {
      name: 'workspace',
      title: 'Workspace',
      version: options.version,
      description: 'Files, symbols and diagnostics of the open workspace.',
    },
    instructions: [
      'Tools to look around in the folders that are open in VS Code: find_files and read_file for files,',
      'diagnostics for problems, document_symbols and workspace_symbols for code.',
      'Paths are relative to the workspace folder. Nothing is ever changed.',
    ].join(' '),
    tools: [findFiles(files), readFile(files), diagnostics(files), documentSymbols(files), workspaceSymbols(files)],
    resources: editors,
    prompts: [reviewPrompt(files)],
    logging: false,
    validate: options.validate,
    log: options.log,
    clock: options.clock,
    owned: [editors, files],
  });
}

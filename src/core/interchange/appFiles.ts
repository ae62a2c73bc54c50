/**
 * The places on this machine where other apps keep their server definitions. Pure: the caller checks which of these
 * places exist.
 */
import path from 'node:path';
import type { AppId } from './appFormats.js';

/** A file that may contain the servers of an app. */
export interface AppFile {
  app: AppId;
  path: string;
  /** The workspace folder that the file belongs to. Absent if the file belongs to the user. */
  folder?: string;
}

/** A folder in which every file with one of these endings contains servers. */
export interface AppFolder extends AppFile {
  endings: readonly string[];
}

export interface AppPaths {
  platform: NodeJS.Platform;
  userHome: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute paths of the open folders. */
  folders: readonly string[];
  /** The `User` folder of this VS Code, if known. */
  vsCodeUserFolder?: string | undefined;
}

/** The places to search, those of the user first. The caller lists the contents of the folders. */
export function appPlaces(surroundings: AppPaths): { files: AppFile[]; folders: AppFolder[] } {
  const { platform, userHome, env, folders } = surroundings;
  const join = (...parts: string[]) => (platform === 'win32' ? path.win32.join(...parts) : path.posix.join(...parts));
  const home = (...parts: string[]) => join(userHome, ...parts);
  const configFolder =
    platform === 'win32'
      ? (env['APPDATA'] ?? home('AppData', 'Roaming'))
      : platform === 'darwin'
        ? home('Library', 'Application Support')
        : (env['XDG_CONFIG_HOME'] ?? home('.config'));
  const zedFolder =
    platform === 'win32'
      ? join(configFolder, 'Zed')
      : join(platform === 'darwin' ? home('.config') : configFolder, 'zed');
  const userFolders = [
    ...new Set([
      ...(surroundings.vsCodeUserFolder === undefined ? [] : [surroundings.vsCodeUserFolder]),
      ...['Code', 'Code - Insiders', 'VSCodium'].map((name) => join(configFolder, name, 'User')),
    ]),
  ];
  const opencodeFiles = ['opencode.json', 'opencode.jsonc'];
  const clineFile = env['CLINE_MCP_SETTINGS_PATH'];
  const files: AppFile[] = [
    { app: 'claude-desktop', path: join(configFolder, 'Claude', 'claude_desktop_config.json') },
    { app: 'claude-code', path: home('.claude.json') },
    { app: 'cursor', path: home('.cursor', 'mcp.json') },
    { app: 'windsurf', path: home('.codeium', 'windsurf', 'mcp_config.json') },
    { app: 'windsurf', path: home('.codeium', 'mcp_config.json') },
    ...userFolders.map((folder): AppFile => ({
      app: 'cline',
      path: join(folder, 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'),
    })),
    ...(clineFile === undefined || clineFile === '' ? [] : [{ app: 'cline', path: clineFile } as const]),
    { app: 'cline', path: home('.cline', 'data', 'settings', 'cline_mcp_settings.json') },
    { app: 'cline', path: home('.cline', 'mcp.json') },
    ...userFolders.map((folder): AppFile => ({
      app: 'roo',
      path: join(folder, 'globalStorage', 'rooveterinaryinc.roo-cline', 'settings', 'mcp_settings.json'),
    })),
    { app: 'continue', path: home('.continue', 'config.yaml') },
    { app: 'zed', path: join(zedFolder, 'settings.json') },
    { app: 'copilot-cli', path: join(env['COPILOT_HOME'] ?? home('.copilot'), 'mcp-config.json') },
    { app: 'codex', path: join(env['CODEX_HOME'] ?? home('.codex'), 'config.toml') },
    { app: 'gemini', path: home('.gemini', 'settings.json') },
    ...opencodeFiles.map((name): AppFile => ({
      app: 'opencode',
      path: join(env['XDG_CONFIG_HOME'] ?? home('.config'), 'opencode', name),
    })),
    { app: 'kiro', path: home('.kiro', 'settings', 'mcp.json') },
    { app: 'junie', path: home('.junie', 'mcp', 'mcp.json') },
    ...userFolders.map((folder): AppFile => ({ app: 'vscode', path: join(folder, 'mcp.json') })),
    ...folders.flatMap((folder): AppFile[] => [
      { app: 'cursor', path: join(folder, '.cursor', 'mcp.json'), folder },
      { app: 'roo', path: join(folder, '.roo', 'mcp.json'), folder },
      { app: 'zed', path: join(folder, '.zed', 'settings.json'), folder },
      { app: 'claude-code', path: join(folder, '.mcp.json'), folder },
      { app: 'codex', path: join(folder, '.codex', 'config.toml'), folder },
      { app: 'gemini', path: join(folder, '.gemini', 'settings.json'), folder },
      ...opencodeFiles.map((name): AppFile => ({ app: 'opencode', path: join(folder, name), folder })),
      { app: 'kiro', path: join(folder, '.kiro', 'settings', 'mcp.json'), folder },
      { app: 'junie', path: join(folder, '.junie', 'mcp', 'mcp.json'), folder },
      { app: 'vscode', path: join(folder, '.vscode', 'mcp.json'), folder },
    ]),
  ];
  const blocks = (parent: string, folder?: string): AppFolder => ({
    app: 'continue',
    path: join(parent, '.continue', 'mcpServers'),
    endings: ['.yaml', '.yml', '.json'],
    ...(folder === undefined ? {} : { folder }),
  });
  return { files, folders: [blocks(userHome), ...folders.map((folder) => blocks(folder, folder))] };
}

/** The app that a file with this name most likely belongs to. */
export function guessApp(file: string): AppId | undefined {
  const name = file.replaceAll('\\', '/').toLowerCase();
  const guesses: [RegExp, AppId][] = [
    [/claude_desktop_config[^/]*\.json$/, 'claude-desktop'],
    [/\.claude\.json$|\.mcp\.json$/, 'claude-code'],
    [/\.cursor\/mcp\.json$|cursor[^/]*\.json$/, 'cursor'],
    [/windsurf\/mcp_config\.json$|mcp_config\.json$/, 'windsurf'],
    [/cline[^/]*\.json$|\.cline\/.*\.json$/, 'cline'],
    [/mcp-config\.json$/, 'copilot-cli'],
    [/\.toml$/, 'codex'],
    [/gemini[^/]*\/settings\.json$|gemini[^/]*\.json$/, 'gemini'],
    [/opencode[^/]*\.jsonc?$/, 'opencode'],
    [/kiro[^/]*\/.*mcp\.json$|kiro[^/]*\.json$/, 'kiro'],
    [/junie[^/]*\/.*mcp\.json$|junie[^/]*\.json$/, 'junie'],
    [/\.roo\/mcp\.json$|roo[^/]*\.json$|\/mcp_settings\.json$/, 'roo'],
    [/\.ya?ml$|\.continue\/.*\.json$/, 'continue'],
    [/zed[^/]*\/.*settings\.json$|zed_settings\.json$/, 'zed'],
    [/\.vscode\/mcp\.json$|user\/mcp\.json$/, 'vscode'],
  ];
  return guesses.find(([pattern]) => pattern.test(name))?.[1];
}

/**
 * The folder that a file belongs to: the open folder that contains it, or the project folder derived from its usual
 * location in a project. Undefined for a file that belongs to the user and not to a project.
 */
export function projectFolder(file: string, folders: readonly string[], userHome: string): string | undefined {
  const paths = /^[A-Za-z]:|\\/.test(file) ? path.win32 : path.posix;
  const isInside = (folder: string) => {
    const relative = paths.relative(folder, file);
    return relative !== '' && relative.split(paths.sep)[0] !== '..' && !paths.isAbsolute(relative);
  };
  const open = folders.filter(isInside).sort((one, other) => other.length - one.length)[0];
  if (open !== undefined) return open;
  const kept =
    /^(.+?)[\\/](?:\.cursor[\\/]mcp\.json|\.roo[\\/]mcp\.json|\.codex[\\/]config\.toml|\.gemini[\\/]settings\.json|\.kiro[\\/]settings[\\/]mcp\.json|\.junie[\\/]mcp[\\/]mcp\.json|\.zed[\\/]settings\.json|\.vscode[\\/]mcp\.json|\.mcp\.json|\.continue[\\/]mcpServers[\\/][^\\/]+)$/.exec(
      file,
    )?.[1];
  return kept === undefined || paths.relative(kept, userHome) === '' ? undefined : kept;
}

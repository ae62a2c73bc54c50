import path from 'node:path';

/**
 * The folder that the caller works in: the option `--folder`, otherwise the folder that the caller states in its
 * environment, otherwise the working directory.
 * @param option may contain a variable that the caller does not support; such a text is ignored.
 */
export function callerFolder(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  workingDirectory: string,
): string {
  // Cursor separates several folders by commas.
  const stated = [option, env['CLAUDE_PROJECT_DIR'], env['WORKSPACE_FOLDER_PATHS']?.split(',')[0]?.trim()];
  const folder = stated.find((one) => one !== undefined && path.isAbsolute(one) && !one.includes('${'));
  return path.resolve(workingDirectory, folder ?? '.');
}

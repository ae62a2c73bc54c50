/** The folders of the repository that the harness reads and writes. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repoRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Everything the harness downloads or produces; ignored by git, safe to delete. */
export const cacheRoot = path.join(repoRoot, '.vscode-test');
export const screenshotsRoot = path.join(cacheRoot, 'screenshots');
export const fixturesRoot = path.join(repoRoot, 'test', 'fixtures');

/** Whether the module with this URL is the script that Node was started with. */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(moduleUrl);
}

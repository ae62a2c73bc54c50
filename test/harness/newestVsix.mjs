/** The newest VSIX that `npm run package` wrote. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { repoRoot } from './paths.mjs';

export function newestVsix() {
  const found = readdirSync(repoRoot)
    .filter((name) => /^mcp-deck-.*\.vsix$/.test(name))
    .map((name) => path.join(repoRoot, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (found.length === 0)
    throw new Error('There is no mcp-deck-*.vsix at the root of the repository: run `npm run package` first.');
  return found[0];
}

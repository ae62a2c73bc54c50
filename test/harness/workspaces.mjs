/** Copies of the fixture workspaces: a test may write into its copy. */
import { cpSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from './paths.mjs';
import { makeTempDir } from './tempDir.mjs';

/**
 * Copies `test/fixtures/workspaces/<name>`. The copy has the same name, because VS Code shows it. Returns its `path`,
 * `file(...)` for a path inside, and `remove()`.
 */
export function copyWorkspace(name = 'sample') {
  const temp = makeTempDir('workspace');
  const copy = path.join(temp.path, name);
  cpSync(path.join(fixturesRoot, 'workspaces', name), copy, { recursive: true });
  return { path: copy, file: (...parts) => path.join(copy, ...parts), remove: temp.remove };
}

/**
 * The same for a folder or file to open: "sample", "sample-multi/sample-multi.code-workspace", or null for an empty
 * window. `workspace` is the copy of that folder or file.
 */
export function copyForWindow(fixture) {
  if (fixture === null) return { workspace: undefined, remove() {} };
  const [folder, ...inside] = fixture.split('/');
  const copy = copyWorkspace(folder);
  return { ...copy, workspace: copy.file(...inside) };
}

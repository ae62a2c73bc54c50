import * as vscode from 'vscode';
import { readTextUpTo } from '../../adapters/storage.js';

/** Limits of the search in the source code of the workspace: number of files, and size of a file in bytes. */
const maxFiles = 400;
const maxFileBytes = 256 * 1024;

const sources = '**/*.{ts,mts,cts,js,mjs,cjs,tsx,jsx,py,go,rs,java,kt,cs,rb,php,swift,ex,scala}';
const generated = '**/{node_modules,dist,build,out,target,vendor,.git,.venv,venv,__pycache__,coverage,.next}/**';

/**
 * Finds the places where the source code in the workspace contains tool names in quotes. Reads at most 400 files of up
 * to 256 kB each, and stops when all names are found.
 */
export async function toolSources(
  names: ReadonlySet<string>,
  token: vscode.CancellationToken,
): Promise<Map<string, vscode.Location>> {
  const found = new Map<string, vscode.Location>();
  if (names.size === 0) return found;
  const { quotedNames } = await import('../../../core/testing/onDemand.js');
  const files = await vscode.workspace.findFiles(sources, generated, maxFiles, token);
  // Tests contain tool names as well, so all other files are read first.
  const isTest = (uri: vscode.Uri) => /(?:^|[./_-])(?:tests?|spec|fixtures)(?:[./_-]|$)/i.test(uri.path);
  for (const uri of files.sort((a, b) => Number(isTest(a)) - Number(isTest(b)) || (a.path < b.path ? -1 : 1))) {
    if (found.size === names.size || token.isCancellationRequested) break;
    // A file that is too large or cannot be read is skipped.
    const text = await readTextUpTo(uri, maxFileBytes).catch(() => '');
    for (const [name, { line, character, endCharacter }] of quotedNames(text, names))
      if (!found.has(name))
        found.set(name, new vscode.Location(uri, new vscode.Range(line, character, line, endCharacter)));
  }
  return found;
}

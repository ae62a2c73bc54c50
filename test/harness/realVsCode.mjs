/**
 * A real VS Code from the npm registry: `code-server` contains VS Code's own server and web workbench. We start that
 * server itself, not code-server's wrapper. It needs Node 24, which comes from npm too, so any Node from 20 on can run
 * the tests.
 */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages, npmInstall } from './packageCache.mjs';

/** code-server 4.139.1 is VS Code 1.139. */
export const codeServerVersion = '4.139.1';

/** Two native modules of VS Code are not built here, but replaced by a few lines that do what tests need of them. */
const standInsFolder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'standIns');
const standIns = { '@vscode/spdlog': 'spdlog.cjs', '@vscode/native-watchdog': 'nativeWatchdog.cjs' };

/** Installs it on first use. Returns the absolute paths of the server's script and of the Node 24 that runs it. */
export async function ensureVsCode({ log } = {}) {
  const nodePackage = nodePackageName();
  const folder = await ensurePackages({
    name: `code-server-${codeServerVersion}`,
    packages: [`code-server@${codeServerVersion}`, `${nodePackage}@24`],
    revision: 1,
    log,
    async finish(root) {
      // What the package's own install script does, which is skipped: it insists on running under Node 24.
      await npmInstall(vsCodeFolder(root), ['--omit=dev']);
      await npmInstall(path.join(vsCodeFolder(root), 'extensions'), ['--omit=dev']); // TypeScript, for its language service
      for (const [name, file] of Object.entries(standIns)) {
        copyFileSync(path.join(standInsFolder, file), path.join(vsCodeFolder(root), 'node_modules', name, 'index.js'));
      }
    },
  });
  const vsCode = vsCodeFolder(folder);
  const node24 = path.join(folder, 'node_modules', nodePackage, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return { serverMain: path.join(vsCode, 'out', 'server-main.js'), node24, version: codeServerVersion };
}

function vsCodeFolder(root) {
  return path.join(root, 'node_modules', 'code-server', 'lib', 'vscode');
}

/** The npm package with Node's binary for this machine, as the package `node` itself chooses it. */
function nodePackageName() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform}-${process.arch}`;
}

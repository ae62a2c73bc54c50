/**
 * A real VS Code from the npm registry: `code-server` contains VS Code's own server and web workbench. The harness
 * starts that server itself, not code-server's wrapper. Each release requires a major version of Node, which also comes
 * from npm, so any Node from 20 on can run the tests.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages, npmInstall } from './packageCache.mjs';
import { repoRoot } from './paths.mjs';
import { addRipgrep, takeFromRegistry } from './registryOnly.mjs';

/** The default release for tests: code-server 4.139.1 is VS Code 1.139. */
const newestRelease = '4.139.1';

/**
 * Two native modules of VS Code are not built, but replaced by small stubs with the functions that tests need. One of
 * them has two names: VS Code 1.106 uses the older one.
 */
const standInsFolder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'standIns');
const standIns = {
  '@vscode/spdlog': 'spdlog.cjs',
  '@vscode/native-watchdog': 'nativeWatchdog.cjs',
  'native-watchdog': 'nativeWatchdog.cjs',
};

/** The oldest VS Code that `engines.vscode` of our `package.json` allows, as "1.106". */
export const oldestVsCode = minorOf(readJson(path.join(repoRoot, 'package.json')).engines.vscode);

/**
 * Installs a VS Code on first use: the newest known release, or the oldest supported one. Returns the absolute paths of
 * the server's script and of the Node that runs it, and the VS Code version ("1.139.1").
 */
export async function ensureVsCode({ isOldestVsCode = false, log } = {}) {
  // npm resolves 4.106 to its latest patch
  const release = isOldestVsCode ? oldestVsCode.replace(/^1\./, '4.') : newestRelease;
  const nodePackage = nodePackageName();
  const folder = await ensurePackages({
    name: `code-server-${release}`,
    packages: [`code-server@${release}`],
    revision: 2,
    log,
    async finish(root) {
      await npmInstall(root, [
        `${nodePackage}@${readJson(path.join(root, 'node_modules', 'code-server', 'package.json')).engines.node}`,
      ]);
      // The steps of the package's own install script, which is skipped because it must run under that Node.
      const vsCode = vsCodeFolder(root);
      await installParts(vsCode);
      await installParts(path.join(vsCode, 'extensions')); // TypeScript, for its language service
      await addRipgrep(root, vsCode);
      for (const [module, file] of Object.entries(standIns)) {
        const target = path.join(vsCode, 'node_modules', module);
        if (existsSync(target)) copyFileSync(path.join(standInsFolder, file), path.join(target, 'index.js'));
      }
    },
  });
  const node = path.join(
    folder,
    'node_modules',
    nodePackage,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  const { version } = readJson(path.join(vsCodeFolder(folder), 'package.json'));
  if (isOldestVsCode && minorOf(version) !== oldestVsCode)
    throw new Error(`code-server ${release} contains VS Code ${version} instead of ${oldestVsCode}.`);
  return { serverMain: path.join(vsCodeFolder(folder), 'out', 'server-main.js'), node, version };
}

/** "1.106" of "^1.106.0" and of "1.106.3". */
function minorOf(range) {
  const minor = /^[\^~>=]*(1\.\d+)\./.exec(range)?.[1];
  if (minor === undefined) throw new Error(`"${range}" is not a version range of VS Code such as "^1.106.0".`);
  return minor;
}

async function installParts(folder) {
  takeFromRegistry(folder);
  await npmInstall(folder, ['--omit=dev']);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function vsCodeFolder(root) {
  return path.join(root, 'node_modules', 'code-server', 'lib', 'vscode');
}

/** The npm package with Node's binary for this machine, selected as the package `node` does. */
function nodePackageName() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform}-${process.arch}`;
}

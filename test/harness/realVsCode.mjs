/**
 * A real VS Code from the npm registry: `code-server` contains VS Code's own server and web workbench. We start that
 * server itself, not code-server's wrapper. Each release names the major version of Node that it needs, which comes from
 * npm too, so any Node from 20 on can run the tests.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages, npmInstall } from './packageCache.mjs';
import { repoRoot } from './paths.mjs';
import { addRipgrep, takeFromRegistry } from './registryOnly.mjs';

/** What the tests run in unless they say otherwise: code-server 4.139.1 is VS Code 1.139. */
const newestRelease = '4.139.1';

/**
 * Two native modules of VS Code are not built here, but replaced by a few lines that do what tests need of them. One of them
 * has two names: VS Code 1.106 has the older one.
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
 * Installs a VS Code on first use: the newest that is known here, or the oldest that is supported. Returns the absolute
 * paths of the server's script and of the Node that runs it, and which VS Code it is ("1.139.1").
 */
export async function ensureVsCode({ isOldestVsCode = false, log } = {}) {
  const release = isOldestVsCode ? oldestVsCode.replace(/^1\./, '4.') : newestRelease; // of 4.106 npm takes the last
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
      // What the package's own install script does, which is skipped: it insists on running under that Node.
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
  if (minor === undefined) throw new Error(`"${range}" names no version of VS Code as "^1.106.0" does.`);
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

/** The npm package with Node's binary for this machine, as the package `node` itself chooses it. */
function nodePackageName() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${platform}-${process.arch}`;
}

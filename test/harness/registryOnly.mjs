/**
 * The harness uses only the npm registry. Some releases of VS Code take parts from other places. For these, the
 * registry has the same package or its successor.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npmInstall } from './packageCache.mjs';

const ripgrepVersion = '1.18.0';

/**
 * Packages from Git repositories: changes `package.json` and `npm-shrinkwrap.json` in `folder` to the same version in
 * the registry. A folder without such packages is not changed.
 */
export function takeFromRegistry(folder) {
  const lockFile = path.join(folder, 'npm-shrinkwrap.json');
  if (!existsSync(lockFile)) return;
  const lock = readJson(lockFile);
  const manifestFile = path.join(folder, 'package.json');
  const manifest = readJson(manifestFile);
  const fromGit = Object.entries(lock.packages).filter(([, { resolved }]) => resolved?.startsWith('git+'));
  if (fromGit.length === 0) return;
  for (const [place, { version }] of fromGit) {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    delete lock.packages[place]; // npm resolves it again
    for (const dependents of [manifest, ...Object.values(lock.packages)]) {
      for (const field of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        if (dependents[field]?.[name]) dependents[field][name] = version;
      }
    }
  }
  writeFileSync(lockFile, JSON.stringify(lock));
  writeFileSync(manifestFile, JSON.stringify(manifest));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Older releases download the ripgrep binary when they are installed. If it is missing in `vsCode`, copies it from its
 * npm package, which is installed into `root`.
 */
export async function addRipgrep(root, vsCode) {
  const owner = path.join(vsCode, 'node_modules', '@vscode', 'ripgrep');
  const program = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const target = path.join(owner, 'bin', program);
  if (!existsSync(owner) || existsSync(target)) return;
  const name = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  await npmInstall(root, [`${name}@${ripgrepVersion}`]);
  mkdirSync(path.dirname(target), { recursive: true });
  copyFileSync(path.join(root, 'node_modules', name, 'bin', program), target);
  chmodSync(target, 0o755);
}

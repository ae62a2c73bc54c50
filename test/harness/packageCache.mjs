/**
 * npm packages that only tests need. They are in `.vscode-test/<name>/` and not in the project's `node_modules`,
 * because they are large and most work on the project does not need them.
 *
 * An install is complete or absent: it runs in a temporary folder, writes a stamp file last and is then renamed.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { atEnd } from './atEnd.mjs';
import { envForNpm } from './cleanEnv.mjs';
import { cacheRoot } from './paths.mjs';
import { runToEnd } from './runToEnd.mjs';

const stampName = 'installed.json';

/**
 * The folder with `packages` (`name@version`) in its `node_modules`. Installs them on first use. `finish(folder)` runs
 * after that install. Increase `revision` when `finish` changes, so that older installs are replaced.
 */
export async function ensurePackages({ name, packages, revision = 1, finish, log = () => {} }) {
  const folder = path.join(cacheRoot, name);
  const stamp = JSON.stringify({ revision, packages });
  if (isInstalled(folder, stamp)) return folder;
  mkdirSync(cacheRoot, { recursive: true });
  removeInterrupted(name);
  const started = Date.now();
  const temp = path.join(cacheRoot, `.installing-${name}-${process.pid}`);
  const forget = atEnd(() => removeIfPossible(temp));
  try {
    rmSync(temp, { recursive: true, force: true }); // left by an earlier process with the same process id
    mkdirSync(temp);
    writeFileSync(path.join(temp, 'package.json'), '{ "private": true }\n');
    log(`Installing ${packages.join(', ')} …`);
    await npmInstall(temp, packages);
    await finish?.(temp);
    writeFileSync(path.join(temp, stampName), stamp);
    if (isInstalled(folder, stamp)) return folder; // another process installed the same packages first
    rmSync(folder, { recursive: true, force: true });
    renameSync(temp, folder);
  } finally {
    removeIfPossible(temp);
    forget();
  }
  log(`Installed ${name} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  return folder;
}

/** `npm install` in `folder`, without running any package's scripts. */
export async function npmInstall(folder, args) {
  const all = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
    ...args,
  ];
  await runToEnd('npm', all, { cwd: folder, env: envForNpm() });
}

function isInstalled(folder, stamp) {
  const file = path.join(folder, stampName);
  if (!existsSync(file)) return false;
  const { revision = 1, packages } = JSON.parse(readFileSync(file, 'utf8'));
  return JSON.stringify({ revision, packages }) === stamp;
}

/**
 * Removes leftovers of killed installs, but not those of installs that run in other processes. Leftovers that cannot be
 * removed now (an orphaned npm may still write to them) are removed by a later run.
 */
function removeInterrupted(name) {
  const prefix = `.installing-${name}-`;
  for (const entry of readdirSync(cacheRoot).filter((one) => one.startsWith(prefix))) {
    if (!isAlive(Number(entry.slice(prefix.length)))) removeIfPossible(path.join(cacheRoot, entry));
  }
}

function removeIfPossible(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // harmless: each install has its own folder
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * npm packages that only tests need, in `.vscode-test/<name>/` and not in the project's `node_modules`: they are large
 * and most work on the project goes on without them.
 *
 * An install is whole or absent: it happens beside its place, ends with a stamp file and is then renamed.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { atEnd } from './atEnd.mjs';
import { envForNpm } from './cleanEnv.mjs';
import { cacheRoot } from './paths.mjs';
import { runToEnd } from './runToEnd.mjs';

const stampName = 'installed.json';

/**
 * The folder with `packages` (`name@version`) in its `node_modules`; installs them on first use.
 * `finish(folder)` runs after that install; what it returns is kept in the stamp.
 */
export async function ensurePackages({ name, packages, finish, log = () => {} }) {
  const folder = path.join(cacheRoot, name);
  if (existsSync(path.join(folder, stampName))) return folder;
  mkdirSync(cacheRoot, { recursive: true });
  removeInterrupted(name);
  const started = Date.now();
  const temp = path.join(cacheRoot, `.installing-${name}-${process.pid}`);
  const forget = atEnd(() => rmSync(temp, { recursive: true, force: true }));
  try {
    mkdirSync(temp);
    writeFileSync(path.join(temp, 'package.json'), '{ "private": true }\n');
    log(`Installing ${packages.join(', ')} …`);
    await npmInstall(temp, packages);
    const notes = await finish?.(temp);
    writeFileSync(path.join(temp, stampName), `${JSON.stringify({ packages, ...notes }, null, 2)}\n`);
    moveIntoPlace(temp, folder);
  } finally {
    rmSync(temp, { recursive: true, force: true });
    forget();
  }
  log(`Installed ${name} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  return folder;
}

/** `npm install` in `folder`, without running any package's scripts. */
export async function npmInstall(folder, args) {
  const all = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', ...args];
  await runToEnd('npm', all, { cwd: folder, env: envForNpm() });
}

function moveIntoPlace(temp, folder) {
  if (existsSync(path.join(folder, stampName))) return; // another process was faster: its install is as good
  rmSync(folder, { recursive: true, force: true });
  renameSync(temp, folder);
}

/** Removes what installs left that were killed; one that is under way in another process stays. */
function removeInterrupted(name) {
  const prefix = `.installing-${name}-`;
  for (const entry of readdirSync(cacheRoot).filter((one) => one.startsWith(prefix))) {
    if (!isAlive(Number(entry.slice(prefix.length)))) rmSync(path.join(cacheRoot, entry), { recursive: true, force: true });
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

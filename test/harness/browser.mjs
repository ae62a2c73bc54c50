/**
 * The Chromium that shows VS Code's workbench to the tests, in this order:
 * 1. the program that MCP_DECK_CHROMIUM names;
 * 2. an installed Chrome, Chromium or Edge;
 * 3. on Linux x64, the build in the npm package `@sparticuz/chromium`, which runs on a machine with nothing installed;
 * 4. elsewhere, the one that playwright-core downloads.
 */
import { createReadStream, createWriteStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { chromium } from 'playwright-core';
import { envForVsCode, pathKey } from './cleanEnv.mjs';
import { ensurePackages } from './packageCache.mjs';
import { runToEnd } from './runToEnd.mjs';

const packagedVersion = '153.0.0';
const fontsVersion = '2.37.3';

const launchArgs = [
  '--no-sandbox', // required in containers and for root
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--font-render-hinting=none', // for identical screenshots on all machines
];

/** Names on PATH on Linux, and installation paths on the other platforms. */
const installedPrograms = {
  linux: ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'microsoft-edge-stable'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]
    .filter(Boolean)
    .flatMap((root) => [
      `${root}\\Google\\Chrome\\Application\\chrome.exe`,
      `${root}\\Microsoft\\Edge\\Application\\msedge.exe`,
    ]),
};

/** Finds or installs a Chromium. Returns the program, its environment, and a description of its source. */
export async function ensureBrowser({ log } = {}) {
  const named = process.env.MCP_DECK_CHROMIUM;
  if (named) {
    if (!existsSync(named)) throw new Error(`MCP_DECK_CHROMIUM is ${named}, which does not exist.`);
    return { executablePath: named, env: envForVsCode(), source: 'MCP_DECK_CHROMIUM' };
  }
  const installed = await findInstalled();
  if (installed) return { executablePath: installed, env: envForVsCode(), source: 'installed' };
  if (process.platform === 'linux' && process.arch === 'x64') return ensurePackagedBrowser({ log });
  return ensurePlaywrightBrowser({ log });
}

/** Launches it. Playwright's own signal handlers are off: `atEnd` decides the order of the cleanup. */
export async function launchBrowser({ headless = true, args = [], log } = {}) {
  const { executablePath, env } = await ensureBrowser({ log });
  return chromium.launch({
    executablePath,
    env,
    headless,
    args: [...launchArgs, ...args],
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  });
}

async function findInstalled() {
  const env = envForVsCode();
  const folders = (env[pathKey(env)] ?? '').split(path.delimiter).filter(Boolean);
  for (const name of installedPrograms[process.platform] ?? []) {
    const candidates = path.isAbsolute(name) ? [name] : folders.map((folder) => path.join(folder, name));
    const program = candidates.find((file) => existsSync(file));
    // Runs the program, because it may be a stub that only prints how to install it. On Windows this would open a
    // window.
    if (program && (process.platform === 'win32' || (await canRun(program, env)))) return program;
  }
  return undefined;
}

async function canRun(program, env) {
  return runToEnd(program, ['--version', '--no-sandbox'], { env, timeoutMs: 20_000 }).then(
    () => true,
    () => false,
  );
}

/** Unpacks `@sparticuz/chromium`. Its own code unpacks into the shared temp folder and does not mark completion. */
async function ensurePackagedBrowser({ log }) {
  const folder = await ensurePackages({
    name: `chromium-${packagedVersion}`,
    packages: [`@sparticuz/chromium@${packagedVersion}`, `dejavu-fonts-ttf@${fontsVersion}`],
    revision: 1,
    log,
    finish: unpackBrowser,
  });
  const executablePath = path.join(folder, 'browser', 'chromium');
  const env = { ...envForVsCode(), FONTCONFIG_FILE: path.join(folder, 'browser', 'fonts.conf') };
  if (await canRun(executablePath, env)) return { executablePath, env, source: 'npm' };
  // The system lacks libnss3, libnspr4 or libexpat; the package has them.
  const withLibraries = [path.join(folder, 'browser', 'lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(path.delimiter);
  return { executablePath, env: { ...env, LD_LIBRARY_PATH: withLibraries }, source: 'npm, with its own libraries' };
}

async function unpackBrowser(root) {
  const packed = path.join(root, 'node_modules', '@sparticuz', 'chromium', 'bin');
  const target = path.join(root, 'browser');
  mkdirSync(target);
  const require = createRequire(path.join(root, 'node_modules', '@sparticuz', 'chromium', 'package.json'));
  const { extract } = require('tar-fs');
  const unpack = (name, sink) => pipeline(createReadStream(path.join(packed, name)), createBrotliDecompress(), sink);
  await unpack('chromium.br', createWriteStream(path.join(target, 'chromium'), { mode: 0o755 }));
  for (const archive of ['al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br']) await unpack(archive, extract(target));
  writeFileSync(path.join(target, 'fonts.conf'), fontsConf);
  rmSync(packed, { recursive: true });
}

/**
 * Text uses the fonts of the packages, so that screenshots are the same on all machines. System fonts are used only for
 * missing characters. The system's font rules are excluded, because they replace these fonts.
 */
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir prefix="relative">../node_modules/dejavu-fonts-ttf/ttf</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
${Object.entries({
  sans: 'Open Sans',
  'sans-serif': 'Open Sans',
  'system-ui': 'Open Sans',
  monospace: 'DejaVu Sans Mono',
})
  .map(
    ([asked, given]) =>
      `  <alias binding="strong"><family>${asked}</family><prefer><family>${given}</family></prefer></alias>`,
  )
  .join('\n')}
</fontconfig>
`;

async function ensurePlaywrightBrowser({ log }) {
  const executablePath = chromium.executablePath();
  if (!existsSync(executablePath)) {
    log?.('Installing the Chromium of playwright-core …');
    const cli = path.join(
      path.dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
      'cli.js',
    );
    await runToEnd(process.execPath, [cli, 'install', 'chromium'], { env: process.env });
  }
  return { executablePath, env: envForVsCode(), source: 'playwright-core' };
}

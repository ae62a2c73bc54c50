// Measures what a user sees in a window of a real VS Code:
//   - the form of the largest schema: from its message until the second frame after it (the first frame is painted then
//     and fills the view), and until the form is complete;
//   - the picker of 5,000 tools: from Enter in the palette until the rows are painted, and from a typed search until the
//     filtered rows are painted. For comparison, VS Code's own list with as many lines, which is the lower bound.
//   node test/bench/drawing.mjs        runs it alone; `dist/` must be built
import path from 'node:path';
import { Workbench } from '../e2e/workbench.mjs';
import { fixturesRoot, isMain, repoRoot } from '../harness/paths.mjs';
import { openWindow } from '../harness/window.mjs';
import { median } from './median.mjs';

const rounds = 5;
const count = 5_000;
const node = (file, ...args) => ({
  command: process.execPath,
  args: [path.join(repoRoot, 'test', 'bench', file), ...args],
});

/** Opens a window, measures and prints. */
export async function printDrawing() {
  const window = await openWindow({
    extensionDevelopmentPath: repoRoot,
    extraExtensions: [path.join(fixturesRoot, 'extensions', 'long-list')],
    settings: {
      'mcpDeck.servers': { large: node('formServer.mjs'), many: node('server.mjs', 'stdio', String(count)) },
      'mcpDeck.autoStart': 'always',
    },
  });
  try {
    const workbench = new Workbench(window);
    await workbench.openSidebar('MCP Deck');
    const servers = workbench.tree('Servers');
    for (const name of ['large', 'many'])
      await servers
        .row(name)
        .getByText(/tools?$/)
        .waitFor();
    print('form of the largest schema', await drawForms(workbench));
    print(`picker of ${count} tools`, await drawPicker(workbench, 'MCP Deck: Run Tool…'));
    print(`VS Code's own list of ${count} lines`, await drawPicker(workbench, 'Long List: Show'));
  } finally {
    await window.close();
  }
}

/**
 * Listens in every frame that opens from now on, and receives the form before the page does. A webview rewrites its
 * document, which removes every listener, so this one is added together with the page's own.
 */
function watchForForms() {
  const add = window.addEventListener.bind(window);
  window.addEventListener = (type, ...rest) => {
    if (type === 'message') add('message', note);
    add(type, ...rest);
  };
  const note = ({ data }) => {
    if (data?.kind !== 'notice' || data.name !== 'show' || document.querySelector('.field')) return;
    const arrived = performance.now();
    const ms = () => performance.now() - arrived;
    requestAnimationFrame(() => {
      const made = ms();
      requestAnimationFrame(() => {
        const painted = ms();
        const isFilled = document.querySelector('.form').getBoundingClientRect().bottom >= window.innerHeight;
        const look = () => {
          if (document.querySelectorAll('.field').length > 40)
            window.drawnForm = { made, painted, whole: ms(), isFilled };
          else requestAnimationFrame(look);
        };
        look();
      });
    });
  };
}

async function drawForms(workbench) {
  await workbench.page.addInitScript(watchForForms);
  const all = [];
  for (let round = 0; round < rounds; round++) {
    await workbench.runCommandAndPick('MCP Deck: Open Tool Panel…', 'large_form');
    const page = workbench.webview();
    await page.locator('.field').first().waitFor();
    const frame = await (await page.locator('body').elementHandle()).ownerFrame();
    const { isFilled, ...times } = await (await frame.waitForFunction(() => window.drawnForm)).jsonValue();
    if (!isFilled) throw new Error('what was painted first leaves a part of the view empty');
    all.push(times);
    await workbench.runCommand('View: Close All Editors');
    await page.locator('.field').first().waitFor({ state: 'detached' });
  }
  return all;
}

/**
 * Watches the list: from the next Enter until it has matching rows, and from the next typing until the rows match it.
 */
function watchList() {
  const rows = () =>
    [...document.querySelectorAll('.quick-input-list .monaco-list-row')].filter(
      ({ offsetParent }) => offsetParent !== null,
    );
  const painted = (isThere) =>
    new Promise((resolve) => {
      const look = () =>
        isThere()
          ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
          : requestAnimationFrame(look);
      look();
    });
  const next = (type, isThere) =>
    new Promise((resolve) =>
      document.addEventListener(
        type,
        () => {
          const began = performance.now();
          void painted(isThere).then((ended) => resolve(ended - began));
        },
        { capture: true, once: true },
      ),
    );
  const box = () => document.querySelector('.quick-input-filter input');
  window.listTimes = {
    watch: () =>
      void next('keydown', () => box()?.value === '' && rows().length > 5).then((ms) => (window.listTimes.shown = ms)),
    search: () =>
      void next('input', () => rows().length > 0 && rows().every((row) => row.textContent.includes('4321'))).then(
        (ms) => (window.listTimes.searched = ms),
      ),
  };
  window.listTimes.watch();
}

async function drawPicker(workbench, command) {
  const { page, quickInput } = workbench;
  const timeOf = async (name) => (await page.waitForFunction((wanted) => window.listTimes[wanted], name)).jsonValue();
  const all = [];
  for (let round = 0; round < rounds; round++) {
    await page.keyboard.press('F1');
    await quickInput.type(`>${command}`);
    await quickInput.row(command).first().waitFor();
    await page.evaluate(watchList);
    await page.keyboard.press('Enter');
    const shown = await timeOf('shown');
    await page.evaluate(() => window.listTimes.search());
    await page.keyboard.insertText('4321');
    const searched = await timeOf('searched');
    all.push({ shown, searched });
    await quickInput.cancel();
  }
  return all;
}

function print(title, all) {
  const cells = Object.keys(all[0]).map(
    (name) =>
      `${name} ${median(all.map((one) => one[name])).toFixed(0)} ms (first ${all[0][name].toFixed(0)}, least ${Math.min(...all.map((one) => one[name])).toFixed(0)})`,
  );
  console.log(`${title.padEnd(40)} ${cells.join('   ')}`);
}

if (isMain(import.meta.url)) await printDrawing();

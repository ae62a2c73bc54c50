// The trace in a window of a real VS Code: the extension host's event loop and memory while 5,000 messages per second
// pass and the page follows, and the page's frame times while a user scrolls through 100,000 messages.
//   node test/bench/windowTrace.mjs        runs it alone; `dist/` must be built
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Workbench } from '../e2e/workbench.mjs';
import { isMain, repoRoot } from '../harness/paths.mjs';
import { makeTempDir } from '../harness/tempDir.mjs';
import { openWindow } from '../harness/window.mjs';

const timeoutMs = 240_000;
const perSecond = 5_000;
const seconds = 22;
const scrollMs = 8_000;

export async function runWindowTraceBench() {
  const temp = makeTempDir('bench');
  const file = (name) => path.join(temp.path, name);
  const job = {
    server: 'flood',
    perSecond,
    seconds,
    resultFile: file('figures.json'),
    readyFile: file('ready'),
    doneFile: file('done'),
  };
  let window;
  try {
    window = await openWindow({
      extensionDevelopmentPath: repoRoot,
      extensionTestsPath: path.join(repoRoot, 'dist', 'test', 'bench', 'window-trace.cjs'),
      // In the user's settings, so that starts ask no question; the rule does the same for calls by the command.
      settings: {
        'mcpDeck.rules': [{ effect: 'allow', callers: ['script'] }],
        'mcpDeck.servers': {
          [job.server]: {
            command: process.execPath,
            args: [path.join(repoRoot, 'test', 'bench', 'floodServer.mjs')],
            timeoutMs,
          },
        },
      },
      env: { MCP_DECK_BENCH_JOB: JSON.stringify(job) },
    });
    window.page.setDefaultTimeout(timeoutMs);
    const view = new Workbench(window).webview();
    const list = view.getByRole('grid', { name: 'Messages' });
    await list.locator('.rows .row').first().waitFor();
    writeFileSync(job.readyFile, '');
    const figures = await result(job.resultFile, window);
    await view.getByText('the latest 100,000 messages').waitFor();
    const wheel = await scrolled(list, () => wheels(window.page, list));
    const bar = await scrolled(list, () => drags(list));
    const jumps = await jumped(list);
    writeFileSync(job.doneFile, '');
    await Promise.race([window.testsExit, sleep(timeoutMs, undefined, { ref: false })]);
    print(figures, { wheel, bar }, jumps);
  } finally {
    await window?.close();
    temp.remove();
  }
}

async function result(file, { logs }) {
  for (const deadline = Date.now() + timeoutMs; !existsSync(file); await sleep(200))
    if (Date.now() > deadline) throw new Error(`no figures in time\n${logs.extensionHost.slice(-20).join('\n')}`);
  const figures = JSON.parse(readFileSync(file, 'utf8'));
  if (figures.error) throw new Error(figures.error);
  return figures;
}

/**
 * The page's frames during `work`: the time of each, and how many showed placeholder stripes in the middle of the list.
 */
async function scrolled(list, work) {
  await list.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left + 40, (box.top + box.bottom) / 2];
    const seen = { deltas: [], blank: 0, isOn: true };
    element.benchFrames = seen;
    let last = performance.now();
    const look = (now) => {
      seen.deltas.push(now - last);
      last = now;
      if (!document.elementFromPoint(x, y)?.closest('.row')) seen.blank++;
      if (seen.isOn) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const from = await list.evaluate((element) => element.scrollTop);
  await work();
  return list.evaluate((element, start) => {
    const { deltas, blank } = element.benchFrames;
    element.benchFrames.isOn = false;
    const sorted = deltas.slice(1).sort((a, b) => a - b);
    return {
      frames: sorted.length,
      p50: sorted[Math.floor(sorted.length / 2)],
      p95: sorted[Math.floor(sorted.length * 0.95)],
      max: sorted.at(-1),
      blank,
      rows: Math.round(Math.abs(element.scrollTop - start) / 22),
    };
  }, from);
}

/** Turns the mouse wheel fast, as a user who looks for something further up. */
async function wheels(page, list) {
  const box = await list.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (const end = performance.now() + scrollMs; performance.now() < end;) {
    await page.mouse.wheel(0, -300);
    await sleep(16);
  }
}

/** Drags the scroll bar from one end to the other and back: every frame shows another position. */
async function drags(list) {
  await list.evaluate((element, ms) => {
    const height = element.scrollHeight - element.clientHeight;
    const began = performance.now();
    return new Promise((resolve) => {
      const step = (now) => {
        const share = Math.min(1, (now - began) / ms);
        element.scrollTop = height * Math.abs(1 - 2 * share);
        if (share < 1) requestAnimationFrame(step);
        else resolve();
      };
      requestAnimationFrame(step);
    });
  }, scrollMs);
}

/** Milliseconds from a jump to a random position until the lines there are drawn. */
async function jumped(list) {
  return list.evaluate(async (element, count) => {
    const box = element.getBoundingClientRect();
    const isDrawn = () =>
      document.elementFromPoint(box.left + 40, (box.top + box.bottom) / 2)?.closest('.row') !== null;
    const frame = () => new Promise(requestAnimationFrame);
    const times = [];
    for (let jump = 0; jump < count; jump++) {
      element.scrollTop = (element.scrollHeight - element.clientHeight) * ((jump * 0.618034) % 1);
      const began = performance.now();
      do await frame();
      while (!isDrawn());
      times.push(performance.now() - began);
      await frame();
    }
    times.sort((a, b) => a - b);
    return { p50: times[Math.floor(count / 2)], p95: times[Math.floor(count * 0.95)], max: times.at(-1) };
  }, 60);
}

function print({ idle, floods, heapBeforeMiB, rssBeforeMiB }, scrolls, jumps) {
  const delay = ({ p50, p99, max }) => `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms`;
  console.log(`\ntrace in a window of a real VS Code, ${perSecond} messages a second, the page open and following`);
  console.log(
    `extension host, idle            event loop delay ${delay(idle)}; heap ${heapBeforeMiB.toFixed(0)} MiB, process ${rssBeforeMiB.toFixed(0)} MiB`,
  );
  for (const flood of floods) {
    console.log(
      `${((perSecond * seconds) / 1_000).toFixed(0)}k messages in ${flood.seconds.toFixed(1)} s     event loop delay ${delay(flood.delay)}; heap ${flood.heapAfterMiB.toFixed(0)} MiB, process ${flood.rssAfterMiB.toFixed(0)} MiB, ${(flood.cpuShare * 100).toFixed(0)} % of a core`,
    );
  }
  for (const [name, { frames, p50, p95, max, blank, rows }] of Object.entries(scrolls)) {
    console.log(
      `${(name === 'wheel' ? 'scrolling by wheel' : 'scroll bar, end to end and back').padEnd(32)}${frames} frames: p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} longest ${max.toFixed(1)} ms, ${blank} with stripes for lines${name === 'wheel' ? `; ${rows} lines passed` : ''}`,
    );
  }
  console.log(
    `a jump to anywhere, until its lines stand there: p50 ${jumps.p50.toFixed(0)} p95 ${jumps.p95.toFixed(0)} longest ${jumps.max.toFixed(0)} ms`,
  );
}

if (isMain(import.meta.url)) await runWindowTraceBench();

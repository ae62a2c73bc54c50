// A page 320 pixels wide, as beside other editors or at 200 % zoom: nothing is cut off, and the keyboard reaches
// everything.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

export const isApart = true;
const server = (name) => ({ command: process.execPath, args: [path.join(fixturesRoot, 'servers', `${name}.mjs`)] });
export const window = {
  workspace: 'plain',
  settings: {
    'mcpDeck.servers': {
      forms: server('forms'),
      results: server('results'),
      library: server('library'),
      asking: server('asking'),
    },
    'mcpDeck.autoStart': 'always',
    'window.menuBarVisibility': 'hidden',
  },
};

/** Number of Tab stops to check. */
const maxStops = 60;

export async function run({ workbench, step }) {
  const { page } = workbench;
  const form = workbench.webview();
  const body = form.locator('body');

  const open = async (command, name, heading = name) => {
    await workbench.runCommandAndPick(command, name);
    await form.getByRole('heading', { name: heading, exact: true }).first().waitFor();
  };

  /**
   * Elements that extend beyond the page, or over another clickable element. Scrollable boxes may contain more than
   * they show.
   */
  const misplaced = () =>
    body.evaluate((element) => {
      const found = [];
      if (document.documentElement.scrollWidth > window.innerWidth)
        found.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${window.innerWidth}`);
      const scrolls = (one) =>
        one !== element &&
        (['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth
          ? true
          : one.parentElement
            ? scrolls(one.parentElement)
            : false);
      const shown = [
        ...element.querySelectorAll(
          'button, vscode-button, input, textarea, vscode-single-select, a, h1, label, [role="tab"]',
        ),
      ].filter((one) => one.checkVisibility() && one.getClientRects().length > 0 && !one.closest('.spoken, [hidden]'));
      const name = (one) =>
        `${one.tagName.toLowerCase()} "${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40)}"`;
      const boxes = shown.map((one) => ({ one, box: one.getBoundingClientRect() }));
      for (const { one, box } of boxes)
        if ((box.left < -1 || box.right > window.innerWidth + 1) && !scrolls(one))
          found.push(`${name(one)} ends at ${Math.round(box.right)} of ${window.innerWidth}`);
      for (const [index, a] of boxes.entries()) {
        for (const b of boxes.slice(index + 1)) {
          if (
            a.one.contains(b.one) ||
            b.one.contains(a.one) ||
            a.one.closest('.side, .head') !== b.one.closest('.side, .head')
          )
            continue;
          const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
          const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
          if (width > 2 && height > 2) found.push(`${name(a.one)} overlaps ${name(b.one)}`);
        }
      }
      return found;
    });

  /**
   * Walks with Tab from the top of the page; returns the stops without a visible focus, and those before an earlier
   * one.
   */
  const walk = async () => {
    await body.evaluate((element) => {
      element.tabIndex = -1;
      element.focus();
    });
    const stops = [];
    for (let count = 0; count < maxStops; count++) {
      await page.keyboard.press('Tab');
      const stop = await body.evaluate((element) => {
        const one = document.activeElement;
        if (!one || one === element) return undefined;
        const style = getComputedStyle(one.shadowRoot?.activeElement ?? one);
        const outer = getComputedStyle(one);
        // A tree item shows the focus on its own line, not on the lines below it.
        const line =
          one.getAttribute('role') === 'treeitem' && one.firstElementChild
            ? [getComputedStyle(one.firstElementChild)]
            : [];
        const isSeen =
          [style, outer, ...line].some(
            ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
          ) ||
          outer.borderColor === getComputedStyle(document.documentElement).getPropertyValue('--vscode-focusBorder') ||
          one.classList.contains('splitter') ||
          one.tagName.startsWith('VSCODE-');
        const all = [...element.querySelectorAll('*')];
        return {
          name: `${one.tagName.toLowerCase()} "${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40)}"`,
          place: all.indexOf(one),
          isSeen,
        };
      });
      if (!stop || stops.some(({ place }) => place === stop.place)) break;
      stops.push(stop);
    }
    return stops;
  };

  const looks = async (name) => {
    await workbench.screenshot(`narrow-${name}`);
    assert.deepEqual(await misplaced(), []);
    assert.deepEqual(await axeViolations(form), []);
    const stops = await walk();
    await form.locator('h1').first().click(); // the last stop may be a media player, which consumes every key
    assert.ok(stops.length > 0);
    assert.deepEqual(
      stops.filter(({ isSeen }) => !isSeen).map(({ name: one }) => one),
      [],
    );
    assert.deepEqual(
      stops.filter(({ place }, index) => index > 0 && place < stops[index - 1].place).map(({ name: one }) => one),
      [],
    );
  };

  await step('the window is as narrow as an editor beside others', async () => {
    await workbench.openSidebar('MCP Deck');
    await workbench.tree('Servers').row('asking').getByText(/tools/).waitFor();
    await open('MCP Deck: Open Tool Panel…', 'Plan Trip');
    await page.keyboard.press('Control+B');
    await page.setViewportSize({ width: 384, height: 800 });
    await page.waitForFunction(() => document.querySelector('iframe.webview.ready')?.clientWidth <= 340);
  });

  await step('the form of a tool', () => looks('form'));

  await step('the focus stays visible under the mouse', async () => {
    const star = form.getByRole('button', { name: 'Add to Favorites' });
    await page.keyboard.press('Tab');
    await star.focus();
    await star.hover();
    assert.deepEqual(
      await star.evaluate((element) => [
        element.matches(':hover:focus-visible'),
        getComputedStyle(element).outlineStyle,
      ]),
      [true, 'solid'],
    );
    assert.notEqual(await star.evaluate((element) => getComputedStyle(element).outlineColor), 'rgba(0, 0, 0, 0)');
  });

  await step('its problems', async () => {
    await form.getByRole('button', { name: 'Run', exact: true }).click();
    await form.locator('.problem-line').waitFor();
    await looks('problems');
  });

  for (const tool of ['table', 'markdown', 'links', 'json', 'picture', 'error']) {
    await step(`the result of ${tool}`, async () => {
      await open('MCP Deck: Open Tool Panel…', tool);
      await form.getByRole('button', { name: 'Run', exact: true }).click();
      await form.locator('.result-side .result').getByRole('tab').first().waitFor();
      await looks(tool);
    });
  }

  await step('the frame of an error has a distinct color', async () => {
    const [frame, plain] = await form
      .locator('.result-banner-error')
      .evaluate((element) => [
        getComputedStyle(element).borderTopColor,
        getComputedStyle(document.querySelector('.head')).borderBottomColor,
      ]);
    assert.notEqual(frame, plain);
  });

  await step('a prompt and its messages', async () => {
    await open('MCP Deck: Get Prompt…', 'Recommend a Book');
    await form.locator('[data-path="/city"] input').fill('Bern');
    await form.locator('[data-path="/city"] input').press('Control+Enter');
    await form.getByText('2 messages').waitFor();
    await looks('prompt');
  });

  await step('a request of a server', async () => {
    await workbench.runCommandAndPick('MCP Deck: Run Tool…', 'ask_everything');
    await workbench.notification('"asking" asks').first().waitFor();
    await workbench.runCommand('MCP Deck: Answer Request…');
    await form.getByRole('heading', { name: 'Request from "asking"' }).waitFor();
    await looks('request');
  });
}

// The tool panel: opened, filled in, run, corrected, reordered, reloaded.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

const forms = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'forms.mjs')] };
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { forms } } };

export async function run({ workbench, step, window: { dirs } }) {
  const servers = workbench.tree('Servers');
  const page = workbench.webview();
  const field = (pointer) => page.locator(`.field[data-path="${pointer}"]`);
  const input = (pointer) => field(pointer).locator('input, textarea').first();
  const cities = () => page.locator('[data-path$="/city"] input').evaluateAll((all) => all.map((one) => one.value));
  const open = async (row, heading = row) => {
    await servers.clickAction(row, /Panel/);
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  };
  const seesNothingWrong = async () => assert.deepEqual(await axeViolations(page), []);

  await step('the tree opens the panel of a tool, ready to be typed into', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('forms', /Start/);
    await servers.expand('forms', 'Tools');
    await open('Plan Trip');
    await page.locator('input:focus').waitFor();
    await workbench.screenshot('panel-empty');
    await seesNothingWrong();
  });

  const grid = page.getByRole('grid', { name: 'Stops' });
  const cells = () =>
    grid
      .getByRole('row')
      .evaluateAll((rows) =>
        rows.slice(1, -1).map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
      );
  const pasteRows = (text) =>
    grid.evaluate((_, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(event);
    }, text);

  await step('a list of flat objects is a table: rows are pasted, corrected in their cells, and undone', async () => {
    await grid.getByRole('gridcell').first().click();
    await pasteRows('City,Nights,Hotel\nBern,2,x\nR,many,y\nOslo,3,z\n');
    await page.getByText('3 rows pasted. The table has no column for: Hotel.').waitFor();
    await page.locator('.problem-line').getByText('Stops › Row 2 › City must have at least 2 characters').click();
    await grid.getByRole('gridcell', { name: 'R', exact: true }).and(page.locator(':focus')).waitFor();
    await workbench.screenshot('panel-table');
    await seesNothingWrong();
    await workbench.page.keyboard.type('Rome');
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.type('1');
    await workbench.page.keyboard.press('Enter');
    await page.locator('.problem-line').getByText('Row 2').first().waitFor({ state: 'hidden' });
    assert.deepEqual(await cells(), [
      ['Bern', '2'],
      ['Rome', '1'],
      ['Oslo', '3'],
    ]);
    for (let edits = 0; edits < 3; edits++) await workbench.page.keyboard.press('Control+z');
    assert.deepEqual(await cells(), [['', '2']]);
    await page.getByRole('button', { name: 'Show as List' }).click();
    await input('/stops/0/city').waitFor();
  });

  await step('a problem appears at its field and in one line that leads to the field', async () => {
    await input('/traveller').fill('A');
    await field('/traveller').getByText('must have at least 2 characters').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await field('/stops/0/city').getByText('Required').waitFor();
    await page.locator('.problem-line').getByText('Traveller must have at least 2 characters').click();
    assert.equal(await input('/traveller').evaluate((element) => element === document.activeElement), true);
    await workbench.screenshot('panel-problems');
    await seesNothingWrong();
  });

  await step('items are added, and put in order by mouse and by keyboard', async () => {
    await input('/traveller').fill('Ada Lovelace');
    await input('/stops/0/city').fill('Bern');
    for (const [index, city] of ['Rome', 'Oslo'].entries()) {
      // The line of a problem disappears with the problem, and the button moves up: this must not happen between press
      // and release.
      await field(`/stops/${index}/city`).getByText('Required').waitFor({ state: 'hidden' });
      await field('/stops').getByRole('button', { name: 'Add', exact: true }).click();
      await input(`/stops/${index + 1}/city`).waitFor();
      await workbench.page.keyboard.type(city);
    }
    const handles = field('/stops').locator('.handle');
    await handles.nth(2).scrollIntoViewIfNeeded();
    await handles.nth(2).hover();
    await workbench.page.mouse.down();
    await handles.nth(1).hover();
    await workbench.screenshot('panel-drag');
    await workbench.page.mouse.up();
    assert.deepEqual(await cities(), ['Bern', 'Oslo', 'Rome']);
    await handles.nth(0).press('ArrowDown');
    assert.deepEqual(await cities(), ['Oslo', 'Bern', 'Rome']);
    await seesNothingWrong();
  });

  await step('a choice shows the fields of the selected variant', async () => {
    await field('/payment').locator('vscode-single-select').first().click();
    await page.getByRole('option', { name: 'Card' }).click();
    await input('/payment/number').fill('1234');
    await workbench.screenshot('panel-variant');
  });

  await step('form and JSON stay in sync in both directions', async () => {
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const text = page.getByLabel('Arguments as JSON');
    const values = JSON.parse(await text.inputValue());
    assert.deepEqual(values, {
      traveller: 'Ada Lovelace',
      stops: [{ city: 'Oslo' }, { city: 'Bern' }, { city: 'Rome' }],
      payment: { kind: 'card', number: '1234' },
    });
    await text.fill('{\n  "traveller": "A"\n  "budget": 250\n}');
    await page.getByText('Invalid JSON: unexpected """ at line 3, column 3').click();
    await page.locator('.json-mark').waitFor();
    await workbench.screenshot('panel-json-error');
    await seesNothingWrong();
    await text.fill('{\n  // first the names\n  "traveller": "Ada",\n  \n}');
    await text.press('ArrowLeft');
    await text.press('ArrowLeft');
    await text.press('Control+Space');
    await page.getByRole('option', { name: 'stops' }).waitFor();
    await workbench.screenshot('panel-json-completion');
    await seesNothingWrong();
    await workbench.page.keyboard.type('"cl');
    await page.getByRole('option', { name: 'class' }).waitFor();
    await text.press('Enter');
    await page.getByRole('option', { name: 'premium' }).click();
    assert.match(await text.inputValue(), /"class": "premium"/);
    await text.fill(JSON.stringify({ ...values, budget: 250, extra: { kept: [1, 2] } }));
    await workbench.screenshot('panel-json');
    await seesNothingWrong();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    assert.equal(await input('/budget').inputValue(), '250');
    assert.deepEqual(await cities(), ['Oslo', 'Bern', 'Rome']);
  });

  await step('a run shows its result beside the form', async () => {
    await input('/budget').press('Control+Enter');
    await page.getByText('Done', { exact: true }).first().waitFor();
    await page.locator('.result-side').getByText('Ada Lovelace').first().waitFor();
    await workbench.screenshot('panel-result');
    await seesNothingWrong();
  });

  await step('the values of the form are saved under a name', async () => {
    await page.getByRole('button', { name: 'Add to Favorites' }).click();
    const name = workbench.page.locator('.quick-input-widget input');
    await name.waitFor();
    await name.fill('The usual trip');
    await name.press('Enter');
    await workbench.tree('Runs').row('The usual trip').waitFor();
  });

  await step('a call shows its progress and its log, and can be canceled', async () => {
    await open('Slow');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('step 9').first().waitFor();
    await workbench.screenshot('panel-running');
    await seesNothingWrong();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.result-side').getByText('Canceled').first().waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  });

  await step('an error of the tool is clearly distinct from a result', async () => {
    await open('delete_plan');
    await page.locator('.badge-danger').getByText('destructive').waitFor();
    await input('/id').fill('nine');
    await input('/id').press('Control+Enter');
    await page.getByText('There is no plan "nine".').first().waitFor();
    await page.locator('.result-is-error').waitFor();
    await workbench.screenshot('panel-error');
    await seesNothingWrong();
  });

  await step('[V2] [V3] server text is shown as plain text: no markup, no script, no command, no image', async () => {
    await open('<img src=x onerror=alert(1)>');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Done', { exact: true }).first().waitFor();
    const found = await page.locator('body').evaluate((body) => ({
      scripts: body.querySelectorAll('main script').length,
      images: [...body.querySelectorAll('img')].filter((image) => !image.src.startsWith('blob:')).length,
      links: [...body.querySelectorAll('a[href]')].map((link) => link.getAttribute('href')),
      handlers: [...body.querySelectorAll('*')].filter((one) =>
        [...one.attributes].some(({ name }) => name.startsWith('on')),
      ).length,
      title: document.title,
    }));
    assert.deepEqual(found, { scripts: 0, images: 0, links: [], handlers: 0, title: 'Tool' });
    await workbench.screenshot('panel-hostile');
  });

  await step('the form is kept when the server ends', async () => {
    await open('Crash');
    await input('/note').fill('still here');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.result-side').getByRole('alert').waitFor();
    assert.equal(await input('/note').inputValue(), 'still here');
    await workbench.screenshot('panel-crash');
    const banner = await page.locator('.result-banner-error').evaluate((element) => ({
      height: element.offsetHeight,
      line: Number.parseFloat(getComputedStyle(element).lineHeight),
    }));
    assert.ok(banner.height < 5 * banner.line, `the line of an error is ${banner.height} high`);
  });

  await step('the panel survives a reload of the window with everything that was typed', async () => {
    await workbench.page.getByRole('tab', { name: 'Plan Trip' }).click();
    await page.getByRole('heading', { name: 'Plan Trip', exact: true }).waitFor();
    await input('/notes').fill('Window seats, please.');
    await input('/budget').fill('12x');
    await field('/budget').getByText('must be a number').waitFor();
    const isSeen = await field('/budget').evaluate(async (element) => {
      const isClear = () =>
        element.getBoundingClientRect().top >=
        document.querySelector('.problem-line').getBoundingClientRect().bottom - 1;
      for (let frames = 0; frames < 300 && !isClear(); frames++) await new Promise(requestAnimationFrame);
      return isClear();
    });
    assert.ok(isSeen, 'the line of problems covers the field that is typed into');
    await page.getByRole('button', { name: 'Runs of this tool' }).click();
    await page
      .getByRole('menuitem', { name: /traveller: Ada Lovelace/ })
      .first()
      .waitFor();
    await seesNothingWrong();
    await workbench.screenshot('panel-history');
    await workbench.reload();
    await page.getByRole('heading', { name: 'Plan Trip', exact: true }).waitFor({ timeout: 60_000 });
    assert.equal(await input('/notes').inputValue(), 'Window seats, please.');
    assert.equal(await input('/budget').inputValue(), '12x');
    assert.deepEqual(
      (await cells()).map(([city]) => city),
      ['Oslo', 'Bern', 'Rome'],
    );
    // This window loaded its code from the cache that the previous one stored.
    assert.ok(
      existsSync(path.join(dirs.userData, 'User', 'globalStorage', 'mcp-deck.mcp-deck', 'code', 'deck.js.bin')),
    );
    await workbench.screenshot('panel-restored');
  });
}

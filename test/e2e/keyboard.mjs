/**
 * A user without a mouse. All actions use keys only: no click, no hover, no programmatic focus. Each key press waits
 * for its effect before the next one.
 */
import assert from 'node:assert/strict';

const paletteMs = 3_000;
const paletteAttempts = 5;
const mostPresses = 60;

export class Keyboard {
  constructor(workbench) {
    this.page = workbench.page;
    this.quickInput = workbench.quickInput;
    this.dialog = workbench.dialog();
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text) {
    await this.page.keyboard.type(text);
  }

  /** Presses a key until the element has the focus: `tabTo(dialog.getByRole('button', …))`. */
  async tabTo(target, key = 'Tab') {
    const hasFocus = () => target.evaluate((element) => document.hasFocus() && element.matches(':focus'));
    await target.waitFor();
    for (let presses = 0; !(await hasFocus()); presses++) {
      assert.ok(presses < mostPresses, `${key} never reaches ${target}`);
      await this.press(key);
    }
  }

  /** Presses a button of the open dialog. */
  async answerDialog(button) {
    await this.tabTo(this.dialog.getByRole('button', { name: button, exact: true }));
    await this.press('Enter');
    await this.dialog.waitFor({ state: 'detached' });
  }

  /** Runs a command from the palette; it may have to be opened again, see `Workbench.runCommand`. */
  async runCommand(label) {
    for (let attempt = 1; ; attempt++) {
      await this.press('F1');
      try {
        await this.quickInput.waitFor({ value: '>' }, { timeout: paletteMs });
        await this.type(label);
        await this.quickInput.row(label).first().waitFor({ timeout: paletteMs });
        return await this.pick(label);
      } catch (error) {
        if (attempt === paletteAttempts) throw error;
        if (await this.quickInput.input.isVisible()) await this.press('Escape');
      }
    }
  }

  /** Goes to a row of the open quick pick. */
  async goTo(label) {
    const row = this.quickInput.row(label).first();
    await row.waitFor();
    await this.#pressUntil('ArrowDown', row, this.quickInput.rowElements);
  }

  /** The same, and selects it. */
  async pick(label) {
    await this.goTo(label);
    await this.press('Enter');
  }

  /** Goes to a line of a tree, starting from the first one; the tree already has the focus. */
  async goToRow(tree, label) {
    await tree.row(label).waitFor();
    await tree.pane.locator('.monaco-list:focus').waitFor();
    await this.press('Home');
    await this.#pressUntil('ArrowDown', tree.row(label), tree.rowElements);
  }

  /** Expands nested lines, as `Tree.expand` does. */
  async expand(tree, ...labels) {
    for (const label of labels) {
      await this.goToRow(tree, label);
      if ((await tree.row(label).getAttribute('aria-expanded')) === 'false') await this.press('ArrowRight');
      await tree.row(label).and(this.page.locator('[aria-expanded="true"]')).waitFor();
    }
  }

  /** Selects an entry of the context menu of the focused element. */
  async chooseFromMenu(item) {
    await this.press('Shift+F10');
    const items = this.page.locator('.monaco-menu .action-item');
    const wanted = items.filter({ has: this.page.getByRole('menuitem', { name: item, exact: true }) });
    await wanted.waitFor();
    await this.#pressUntil('ArrowDown', wanted, items);
    await this.press('Enter');
    await wanted.waitFor({ state: 'detached' });
  }

  /** Moves the focus to the next part of the window until it is this one. */
  async goToPart(part) {
    const hasFocus = () => this.page.evaluate((one) => document.activeElement?.closest(`.part.${one}`) !== null, part);
    for (let presses = 0; !(await hasFocus()); presses++) {
      assert.ok(presses < mostPresses, `F6 never reaches ${part}`);
      await this.press('F6');
    }
  }

  /** Each press moves the mark `focused` to another of `all`; otherwise the list is at its end. */
  async #pressUntil(key, wanted, all) {
    const focused = this.page.locator('.focused');
    const isThere = async () => (await wanted.and(focused).count()) > 0;
    for (let presses = 0; !(await isThere()); presses++) {
      assert.ok(presses < mostPresses, `${key} never reaches ${wanted}`);
      const before = await all
        .and(focused)
        .first()
        .elementHandle({ timeout: 1_000 })
        .catch(() => null);
      await this.press(key);
      if (before)
        await this.page.waitForFunction(
          (element) => !element.isConnected || !element.classList.contains('focused'),
          before,
        );
      await all.and(focused).first().waitFor();
    }
  }
}

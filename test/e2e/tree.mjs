/** The tree of a view in the sidebar or the panel. Rows are identified by their full label. */
import { clickMenuItem } from './menu.mjs';

export class Tree {
  constructor(page, viewTitle) {
    this.page = page;
    this.header = page.locator(`.pane-header[aria-label^="${viewTitle}"]`);
    this.pane = page.locator('.pane').filter({ has: this.header });
    this.rowElements = this.pane.locator('.monaco-list-row[role="treeitem"]');
  }

  /** Waits until the view has content. */
  async waitForRows() {
    await this.rowElements.first().waitFor();
  }

  row(label) {
    const name = this.page.locator('.label-name').getByText(label, { exact: true });
    return this.rowElements.filter({ has: name }).first();
  }

  /**
   * Waits for a row with this label below another row, at any depth, and returns it. Rows of other parents may have the
   * same label.
   */
  async rowBelow(parent, label) {
    const list = await this.pane.elementHandle();
    const found = await this.page.waitForFunction(
      ([pane, above, name]) => {
        const labelOf = (row) => row.querySelector('.label-name')?.textContent ?? '';
        const level = (row) => Number(row.getAttribute('aria-level'));
        // The list reuses its elements, so their order in the document is not that on the screen.
        const rows = [...pane.querySelectorAll('.monaco-list-row[role="treeitem"]')].sort(
          (one, other) => Number(one.dataset.index) - Number(other.dataset.index),
        );
        const start = rows.findIndex((row) => labelOf(row) === above);
        if (start < 0) return null;
        for (const row of rows.slice(start + 1)) {
          if (level(row) <= level(rows[start])) return null;
          if (labelOf(row) === name) return row.id;
        }
        return null;
      },
      [list, parent, label],
    );
    return this.page.locator(`[id="${await found.jsonValue()}"]`);
  }

  /** Expands nested rows, from the top level down: `expand('everything', 'Tools')`. */
  async expand(...labels) {
    for (const label of labels) {
      const row = this.row(label);
      await row.waitFor();
      if ((await row.getAttribute('aria-expanded')) === 'false') await row.locator('.monaco-tl-twistie').click();
      await row.and(this.page.locator('[aria-expanded="true"]')).waitFor();
    }
  }

  /** Clicks the row. */
  async click(label) {
    await this.row(label).click();
  }

  /** Clicks one of the buttons that a row shows on hover. A row redrawn in the meantime loses the hover. */
  async clickAction(label, action) {
    const row = this.row(label);
    for (let attempt = 1; ; attempt++) {
      await this.page.mouse.move(0, 0);
      await row.hover();
      try {
        return await row.getByRole('button', { name: action }).click({ timeout: 3_000 });
      } catch (error) {
        if (attempt === 6) throw error;
      }
    }
  }

  /**
   * Selects an entry of the row's context menu. A row redrawn in the meantime loses the click, so it may be repeated.
   */
  async chooseFromMenu(label, item) {
    const menu = this.page.locator('.monaco-menu');
    for (let attempt = 1; ; attempt++) {
      await this.row(label).click({ button: 'right' });
      try {
        await menu.waitFor({ timeout: 3_000 });
        break;
      } catch (error) {
        if (attempt === 6) throw error;
      }
    }
    await clickMenuItem(this.page, item);
  }

  /** Clicks a button of the view's title, which is visible while the mouse is over the view. */
  async clickTitle(action) {
    await this.header.hover();
    await this.header.getByRole('button', { name: action }).click();
  }

  /**
   * Selects an entry of the menu behind "…" in the view's title. VS Code closes a menu when the window is laid out or
   * another element takes the focus, so the menu may be opened again.
   */
  async chooseFromTitle(item) {
    for (let attempt = 1; ; attempt++) {
      await this.clickTitle(/^More Actions/);
      try {
        return await clickMenuItem(this.page, item, { timeout: 5_000 });
      } catch (error) {
        if (attempt === 3) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** The visible text, one line per row, indented by depth: "everything  stdio · 2 tools". */
  async drawnText() {
    await this.waitForRows();
    const rows = await this.rowElements.evaluateAll((all) =>
      all.map((row) => ({
        top: row.getBoundingClientRect().top,
        level: Number(row.getAttribute('aria-level') ?? 1),
        label: row.querySelector('.label-name')?.textContent ?? '',
        description: row.querySelector('.label-description')?.textContent ?? '',
      })),
    );
    return rows
      .sort((a, b) => a.top - b.top)
      .map((row) => `${'  '.repeat(row.level - 1)}${[row.label, row.description].filter(Boolean).join('  ')}`)
      .join('\n');
  }
}

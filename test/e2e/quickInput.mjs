/** The quick pick and the input box: VS Code uses one widget for both and for every step of a sequence. */
export class QuickInput {
  constructor(page) {
    this.page = page;
    this.widget = page.locator('.quick-input-widget');
    this.input = this.widget.locator('.quick-input-filter input');
    this.rowElements = this.widget.locator('.quick-input-list .monaco-list-row');
  }

  /**
   * Waits for the widget and for the properties that identify this step: its title, placeholder, message (prompt or
   * error under the box) or value. Strings match a part of the text, regular expressions as usual.
   *
   * @param options `timeout` in ms (default: the page's); `hasFocus` waits until the box has the focus.
   */
  async waitFor({ title, placeholder, message, value } = {}, { timeout, hasFocus = false } = {}) {
    await this.input.waitFor({ state: 'visible', timeout });
    const expected = Object.entries({ title, placeholder, message, value }).filter(([, one]) => one !== undefined);
    const pattern = ([part, one]) => [
      part,
      one instanceof RegExp ? one.source : one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    ];
    const isExpected = ({ wanted, hasFocus }) => {
      const root = document.querySelector('.quick-input-widget');
      const box = root?.querySelector('.quick-input-filter input');
      const parts = {
        title: root?.querySelector('.quick-input-title')?.textContent,
        placeholder: box?.placeholder,
        message: root?.querySelector('.quick-input-message')?.textContent,
        value: box?.value,
      };
      if (hasFocus && !root?.contains(document.activeElement)) return false;
      return wanted.every(([part, source]) => new RegExp(source).test(parts[part] ?? ''));
    };
    await this.page.waitForFunction(isExpected, { wanted: expected.map(pattern), hasFocus }, { timeout });
  }

  /** Replaces the text in the box. */
  async type(text) {
    await this.input.fill(text);
  }

  async accept() {
    await this.input.press('Enter');
  }

  async cancel() {
    await this.input.press('Escape');
    await this.input.waitFor({ state: 'hidden' });
  }

  /** A row by its full label. */
  row(label) {
    const name = this.page.locator('.label-name').getByText(label, { exact: true });
    return this.rowElements.filter({ has: name });
  }

  /** Clicks a row; in a list longer than the screen, type the start of the label first. */
  async pick(label) {
    try {
      await this.row(label).first().click();
    } catch (error) {
      const seen = await this.rowElements.locator('.label-name').allTextContents();
      throw new Error(`No row "${label}" to pick. Rows: ${seen.join(' | ')}`, { cause: error });
    }
  }

  /**
   * Types the label of a row, and accepts the row when the filtered list has it as the first. A click during the
   * filtering would miss the row, which moves.
   */
  async find(label) {
    await this.type(label);
    await this.row(label).and(this.page.locator('.focused')).waitFor();
    await this.accept();
  }

  /** Clicks the checkbox of a row in a list with multiple selection. */
  async check(label) {
    await this.row(label).getByRole('checkbox').click();
  }

  /** The visible rows, as `{ label, description, detail }`. */
  async rows() {
    await this.rowElements.first().waitFor();
    return this.rowElements.evaluateAll((all) =>
      all.map((row) => ({
        label: row.querySelector('.quick-input-list-label .label-name')?.textContent ?? '',
        description: row.querySelector('.quick-input-list-label .label-description')?.textContent ?? '',
        detail: row.querySelector('.quick-input-list-label-meta')?.textContent ?? '',
      })),
    );
  }

  /** Presses a button of the title or of the box (including "Back"), by its tooltip. */
  async pressButton(name) {
    await this.widget.getByRole('button', { name }).first().click();
  }

  /** The prompt or error message under the box. */
  async message() {
    return ((await this.widget.locator('.quick-input-message').textContent()) ?? '').trim();
  }
}

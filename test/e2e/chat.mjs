/**
 * VS Code's chat view. It needs no account once a language model is registered; tests register the one of
 * `test/fixtures/extensions/scripted-model`.
 */
export class Chat {
  constructor(page) {
    this.page = page;
    this.view = page.locator('.interactive-session');
    this.input = this.view.locator('.interactive-input-part .monaco-editor');
  }

  /** Shows the view with the focus in its input. The key that opens the view also closes it. */
  async open() {
    if (await this.input.isVisible()) return this.input.click();
    await this.page.keyboard.press('Control+Alt+I');
    await this.view.locator('.interactive-input-part .monaco-editor.focused').waitFor();
  }

  /** Waits until the view has selected this model; a question sent earlier fails with an error. */
  async waitForModel(name = 'Scripted One') {
    await this.open();
    await this.view.locator(`.model-picker-item [aria-label^="Models, ${name}"]`).first().waitFor();
  }

  /** Sends a message, "@participant …" or "@participant /command …", and returns the finished answer. */
  async ask(text) {
    await this.waitForModel();
    const response = await this.send(text);
    await response.and(this.page.locator(':not(.chat-response-loading)')).waitFor();
    return (await response.locator('.value').innerText()).trim();
  }

  /** Sends a message and returns the element of its answer as soon as it exists. */
  async send(text) {
    await this.open();
    // The list draws only visible rows, so a row is identified by its number, not by its position.
    const last = Math.max(-1, ...(await this.rows().evaluateAll((all) => all.map((row) => Number(row.dataset.index)))));
    await this.page.keyboard.type(text, { delay: 40 }); // faster typing makes the suggestions lose characters
    await this.page.keyboard.press('Escape'); // Enter would take the suggestion
    await this.page.keyboard.press('Enter');
    const response = this.view.locator(`.monaco-list-row[data-index="${last + 2}"] .interactive-response`);
    await response.waitFor();
    return response;
  }

  /** Visible questions and answers. */
  rows() {
    return this.view.locator('.interactive-list .monaco-list-row');
  }
}

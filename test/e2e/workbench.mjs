/**
 * The actions of a user in a VS Code window, as functions over its page. Every function waits for its conditions; none
 * waits for a fixed time.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { screenshotsRoot } from '../harness/paths.mjs';
import { Chat } from './chat.mjs';
import { QuickInput } from './quickInput.mjs';
import { Tree } from './tree.mjs';

/** The wait for the palette grows by this with each attempt, because a busy machine needs longer. */
const paletteMs = 2_000;
const paletteAttempts = 6;
const askMs = 8_000;
/** The command palette uses the same box as all other lists. */
const notThePalette = /^(?!Type the name of a command)/;
const closeMs = 3_000;

export class Workbench {
  /** @param {import('../harness/window.mjs').VsCodeWindow} window */
  constructor(window) {
    this.window = window;
    this.page = window.page;
    this.quickInput = new QuickInput(this.page);
    this.chat = new Chat(this.page);
  }

  /** Shows a container of the activity bar (a second click would hide it). */
  async openSidebar(containerTitle) {
    const tab = this.page.locator('.activitybar').getByRole('tab', { name: containerTitle });
    await tab.waitFor();
    if ((await tab.getAttribute('aria-selected')) !== 'true') {
      await tab.click();
      await this.page.mouse.move(600, 400); // otherwise a tooltip appears
    }
    await this.page.locator('.part.sidebar .composite.title', { hasText: containerTitle }).waitFor();
  }

  /**
   * Runs a command from the palette by its full label: "MCP Deck: Run Tool…". The palette lists the commands registered
   * when it opens, and closes when an editor takes the focus, so it may be opened again.
   */
  async runCommand(label) {
    const row = this.quickInput.row(label).first();
    for (let attempt = 1; ; attempt++) {
      const timeout = attempt * paletteMs;
      await this.page.keyboard.press('F1');
      try {
        await this.quickInput.input.fill(`>${label}`, { timeout });
        return await row.click({ timeout });
      } catch (error) {
        if (attempt === paletteAttempts) throw error;
        if (await this.quickInput.input.isVisible()) await this.quickInput.cancel();
      }
    }
  }

  /**
   * The same for a command that asks with a list or a box: waits for it with the properties that `QuickInput.waitFor`
   * matches. A webview editor that gets its focus back late closes a list; then the command runs again.
   */
  async runCommandThatAsks(label, expected = { placeholder: notThePalette }) {
    for (let attempt = 1; ; attempt++) {
      await this.runCommand(label);
      try {
        return await this.quickInput.waitFor(expected, { timeout: askMs, hasFocus: true });
      } catch (error) {
        if (attempt === paletteAttempts) throw error;
        if (await this.quickInput.input.isVisible()) await this.quickInput.cancel();
      }
    }
  }

  /** The same for a command that asks with a list; picks one row. */
  async runCommandAndPick(command, label) {
    for (let attempt = 1; ; attempt++) {
      await this.runCommandThatAsks(command);
      try {
        await this.quickInput.input.fill(label, { timeout: attempt * paletteMs });
        return await this.quickInput
          .row(label)
          .first()
          .click({ timeout: attempt * paletteMs });
      } catch (error) {
        if (attempt === paletteAttempts) throw error;
        if (await this.quickInput.input.isVisible()) await this.quickInput.cancel();
      }
    }
  }

  /**
   * Reloads the window as VS Code does, which first saves the state of views and editors. A reload of the browser's
   * page would lose the most recent state.
   */
  async reload() {
    const loaded = this.page.waitForEvent('load');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.page.locator('.monaco-workbench .part.sidebar').waitFor();
  }

  /** The tree of a view, by the view's title. */
  tree(viewTitle) {
    return new Tree(this.page, viewTitle);
  }

  /** Visible lines of the active editor. Monaco draws only visible lines. */
  async editorText() {
    const lines = this.page.locator('.editor-group-container.active .monaco-editor[role="code"] .view-line');
    await lines.first().waitFor();
    return drawnText(lines);
  }

  /** Waits until the panel of a tool shows a result with this text. */
  async resultHas(text) {
    await this.webview().locator('.result-side').getByText(text).first().waitFor();
  }

  /** Waits until an editor tab with this title is active. */
  async waitForEditor(title) {
    await this.page.locator('.editor-group-container.active .tab.active', { hasText: title }).waitFor();
  }

  /** The document inside the webview of the active editor, as a Playwright frame locator. */
  webview() {
    return this.page.frameLocator('iframe.webview.ready:visible').last().frameLocator('#active-frame');
  }

  /** The same for the webview of a view, for example the trace, whichever pages are open in editors. */
  webviewOfView() {
    return this.page
      .frameLocator('iframe.webview.ready[src*="purpose=webviewView"]:visible')
      .last()
      .frameLocator('#active-frame');
  }

  /** A notification that contains `text`. */
  notification(text) {
    return this.page.locator('.notifications-toasts .notification-list-item', { hasText: text });
  }

  /** Waits for a notification and returns its full message. */
  async notificationText(text) {
    return (await this.notification(text).first().locator('.notification-list-item-message').textContent()).trim();
  }

  async clickNotificationButton(text, button) {
    await this.notification(text).first().getByRole('button', { name: button, exact: true }).click();
  }

  /**
   * Closes the visible notifications; VS Code hides an unanswered one after a while, so it may disappear in the
   * meantime.
   */
  async closeNotifications() {
    const toasts = this.page.locator('.notifications-toasts .notification-list-item');
    while ((await toasts.count()) > 0) {
      const toast = await toasts.first().elementHandle();
      if (!toast) return;
      await toasts
        .first()
        .hover({ timeout: closeMs })
        .catch(() => {});
      await toasts
        .first()
        .getByRole('button', { name: /^Clear Notification/ })
        .click({ timeout: closeMs })
        .catch(() => {});
      await this.page.waitForFunction((one) => !one.isConnected, toast);
    }
  }

  /** The modal dialog, if one is open. */
  dialog() {
    return this.page.locator('.monaco-dialog-box');
  }

  async answerDialog(button) {
    await this.dialog().getByRole('button', { name: button, exact: true }).click();
    await this.dialog().waitFor({ state: 'detached' });
  }

  /** A status-bar item that contains `text`. */
  statusBarItem(text) {
    return this.page.locator('.part.statusbar .statusbar-item', { hasText: text });
  }

  /** Ends Restricted Mode. A window opens in it when its settings turn on `security.workspace.trust.enabled`. */
  async trustWorkspace() {
    await this.runCommand('Workspaces: Manage Workspace Trust');
    await this.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
    await this.statusBarItem('Restricted Mode').waitFor({ state: 'detached' });
    await this.closeModalEditor();
  }

  /** Closes an editor that VS Code shows over the window: settings, keyboard shortcuts, workspace trust. */
  async closeModalEditor() {
    const modal = this.page.locator('.monaco-modal-editor-block');
    await modal
      .getByRole('button', { name: /^Close/ })
      .last()
      .click(); // Escape works only with the focus inside
    await modal.waitFor({ state: 'hidden' });
  }

  /** Shows an output or log channel and returns its visible lines. */
  async outputText(channel) {
    await this.runCommandThatAsks('Output: Show Output Channels...');
    await this.quickInput.pick(channel);
    const lines = this.page.locator(
      `.output-view .monaco-editor[data-uri*="${encodeURIComponent(channel)}"] .view-line`,
    );
    await lines.first().waitFor();
    return drawnText(lines);
  }

  /** Saves `.vscode-test/screenshots/<theme>-<name>.png` (or in `folder`) and returns the path. */
  async screenshot(name, folder = screenshotsRoot) {
    const file = path.join(folder, `${this.window.theme}-${name}.png`);
    await this.takePicture(file);
    return file;
  }

  async takePicture(file) {
    mkdirSync(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  }
}

/** Lines of an editor in reading order; Monaco keeps them in any order and draws spaces as no-break spaces. */
async function drawnText(lines) {
  const drawn = await lines.evaluateAll((all) =>
    all.map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent })),
  );
  return drawn
    .sort((a, b) => a.top - b.top)
    .map((line) => line.text.replaceAll('\u00a0', ' '))
    .join('\n');
}

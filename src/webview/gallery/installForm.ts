import { t } from '@vscode/l10n';
import type {
  GalleryChannel,
  InstallMode,
  Need,
  Preview,
  InstallOptionForm,
  InstallOptionKey,
} from '../../shared/galleryPage.js';
import type { Arguments } from '../../shared/panel/formMessages.js';
import { el, focusOn, icon, wordButton } from '../page/dom.js';
import { withRunKey } from '../page/runKey.js';
import { ArgumentsSide } from '../form/argumentsSide.js';
import { formRequests } from '../form/draftState.js';
import { needBadge } from './drawRow.js';

export interface InstallFormOptions {
  need: Need | undefined;
  install: (mode: InstallMode, values: Arguments, shown: string) => Promise<void>;
}

/** Delay between the last change and the update of the preview, in milliseconds. */
const pauseMs = 80;

/** Exact values with their headings. */
export function drawSections(sections: Preview['sections']): HTMLElement[] {
  return sections.flatMap(({ title, lines }) => [
    el('h3', {}, title),
    el('pre', { class: 'command', attributes: { tabindex: 0, 'aria-label': title } }, lines.join('\n')),
  ]);
}

/** The inputs of a package or remote, exactly what it would run, and the buttons. */
export class InstallForm {
  readonly element: HTMLElement;
  private readonly side: ArgumentsSide;
  private readonly previewPart = el('div', { class: 'preview' });
  private readonly status = el('div', { class: 'install-status', attributes: { role: 'status' } });
  private readonly buttons: HTMLElement[];
  private preview: Preview;
  private timer: number | undefined;
  private asked = 0;
  private isBusy = false;

  constructor(
    private readonly channel: GalleryChannel,
    private readonly key: InstallOptionKey,
    { form, start, preview }: InstallOptionForm,
    private readonly options: InstallFormOptions,
  ) {
    this.preview = preview;
    this.side = new ArgumentsSide({
      form,
      draft: undefined,
      start,
      ...formRequests(channel),
      onChange: () => this.changed(),
    });
    const button = (mode: InstallMode, label: string, iconName: string) =>
      wordButton(label, () => void this.install(mode), { iconName, isSecondary: mode !== 'start' });
    const startButton = button('start', t('Save and Start'), 'check');
    startButton.setAttribute('title', withRunKey(t('Save and Start')));
    const tryButton = button('try', t('Try It'), 'beaker');
    tryButton.setAttribute('title', t('Starts the server in this window without saving it'));
    this.buttons = [startButton, button('save', t('Save'), 'save'), tryButton];
    this.status.hidden = true;
    const { need } = options;
    this.element = el(
      'div',
      { class: 'install' },
      el('h2', {}, t('Configure')),
      this.side.element,
      el('h2', {}, t('What It Runs')),
      this.previewPart,
      need && !need.isHere && el('p', { class: 'note note-warning' }, needBadge(need), el('span', {}, need.remedy)),
      el('div', { class: 'buttons install-buttons' }, ...this.buttons),
      this.status,
    );
    this.drawPreview();
  }

  setProgress(text: string | undefined): void {
    this.isBusy = text !== undefined;
    this.enable();
    this.status.hidden = text === undefined;
    this.status.className = 'install-status';
    if (text !== undefined) this.status.replaceChildren(icon('loading codicon-modifier-spin'), el('span', {}, text));
  }

  showOutcome(isDone: boolean, text: string): void {
    this.status.hidden = false;
    this.status.className = isDone ? 'install-status install-done' : 'install-status install-failed';
    this.status.replaceChildren(icon(isDone ? 'pass' : 'error'), el('span', {}, text));
    this.status.scrollIntoView({ block: 'nearest' });
  }

  /** Installs the server, unless a value is missing or wrong. */
  async install(mode: InstallMode): Promise<void> {
    if (this.isBusy || this.preview.problem !== undefined) return;
    const values = await this.side.take();
    if (!values) return;
    await this.updatePreview(values);
    const pressed = this.buttons.find((button) => button === document.activeElement);
    this.setProgress(t('Checking…'));
    await this.options.install(mode, values, this.preview.id);
    // The button was disabled in the meantime, and has lost the focus.
    if (pressed && document.activeElement === document.body) focusOn(pressed);
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.updatePreview(this.side.values), pauseMs);
  }

  private async updatePreview(values: Arguments): Promise<void> {
    const number = ++this.asked;
    const preview = await this.channel.request('preview', { ...this.key, arguments: values });
    if (number !== this.asked || preview.id === this.preview.id) return;
    this.preview = preview;
    this.drawPreview();
  }

  private drawPreview(): void {
    const { line, sections, warnings, problem } = this.preview;
    const note = (name: string, text: string) =>
      el('p', { class: 'note note-warning' }, icon(name), el('span', {}, text));
    this.previewPart.replaceChildren(
      ...(problem === undefined ? [] : [note('circle-slash', problem)]),
      ...warnings.map((text) => note('warning', text)),
      ...(line === ''
        ? []
        : [el('pre', { class: 'command', attributes: { tabindex: 0, 'aria-label': t('Command or URL') } }, line)]),
      ...drawSections(sections),
    );
    this.enable();
  }

  private enable(): void {
    const isOff = this.isBusy || this.preview.problem !== undefined;
    for (const button of this.buttons) button.toggleAttribute('disabled', isOff);
  }
}

import { t } from '@vscode/l10n';
import type { PageFilter, TraceStatus } from '../../shared/tracePage.js';
import { el, icon } from '../page/dom.js';

interface FilterBarOptions {
  filter: (filter: PageFilter) => void;
  pause: (isPaused: boolean) => void;
  follow: (isFollowing: boolean) => void;
  toList: () => void;
  chooseServer: () => void;
}

/** Delay between the last keystroke and the search, in milliseconds. */
const pauseMs = 150;

/** The filter of the trace, and the buttons that follow and pause the trace. */
export class FilterBar {
  readonly element: HTMLElement;
  private readonly text: HTMLInputElement;
  private readonly method: HTMLSelectElement;
  private readonly direction: HTMLSelectElement;
  private readonly errors: HTMLButtonElement;
  private readonly followButton: HTMLButtonElement;
  private readonly pauseButton: HTMLButtonElement;
  private readonly count = el('span', { class: 'count', attributes: { role: 'status' } });
  private readonly source = el('span');
  private readonly server: HTMLButtonElement;
  private methods = '';
  private timer: number | undefined;

  constructor(private readonly options: FilterBarOptions) {
    this.text = el('input', {
      class: 'filter-text',
      title: t('Filter by text, method, or ID'),
      attributes: {
        type: 'search',
        placeholder: t('Filter'),
        'aria-label': t('Filter by text, method, or ID'),
        spellcheck: 'false',
        maxlength: 1_000,
      },
      on: {
        input: () => {
          clearTimeout(this.timer);
          this.timer = window.setTimeout(() => this.apply(), pauseMs);
        },
        keydown: (event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
          event.preventDefault();
          options.toList();
        },
      },
    });
    this.method = el(
      'select',
      { attributes: { 'aria-label': t('Method') }, on: { change: () => this.apply() } },
      option('', t('All methods')),
    );
    this.direction = el(
      'select',
      { attributes: { 'aria-label': t('Direction') }, on: { change: () => this.apply() } },
      option('both', t('Both directions')),
      option('sent', t('Sent')),
      option('received', t('Received')),
    );
    this.errors = toggle('error', t('Errors Only'), () => this.apply());
    this.followButton = toggle('arrow-down', t('Follow'), () => options.follow(isOn(this.followButton)));
    this.pauseButton = toggle('debug-pause', t('Pause'), () => options.pause(isOn(this.pauseButton)));
    setOn(this.followButton, true);
    this.server = el(
      'button',
      { class: 'toggle source', attributes: { type: 'button' }, on: { click: () => options.chooseServer() } },
      icon('server'),
      this.source,
    );
    this.element = el(
      'div',
      { class: 'bar', attributes: { role: 'toolbar', 'aria-label': t('Filter') } },
      this.server,
      this.text,
      this.method,
      this.direction,
      this.errors,
      el('div', { class: 'bar-end' }, this.count, this.followButton, this.pauseButton),
    );
  }

  show(status: TraceStatus): void {
    const { filter, methods, isPaused, waiting } = status;
    const source =
      status.source.kind === 'server' ? status.source.id : status.source.kind === 'file' ? status.source.name : '';
    this.source.textContent = source;
    this.server.title =
      status.source.kind === 'file' && status.source.note !== undefined
        ? status.source.note
        : t('Choose Server to Trace…');
    const named = methods.join('\n');
    if (named !== this.methods) {
      this.methods = named;
      const chosen = this.method.value;
      this.method.replaceChildren(option('', t('All methods')), ...methods.map((method) => option(method, method)));
      this.method.value = methods.includes(chosen) ? chosen : '';
    }
    // Text that the user is typing is not overwritten.
    if (document.activeElement !== this.text && this.timer === undefined) this.text.value = filter.text;
    this.direction.value = filter.direction;
    setOn(this.errors, filter.errorsOnly);
    setOn(this.pauseButton, isPaused);
    this.count.textContent = countText(status);
    this.count.classList.toggle('is-paused', isPaused && waiting > 0);
  }

  showFollow(isFollowing: boolean): void {
    setOn(this.followButton, isFollowing);
  }

  /** Clears the filter. Moves the focus to the text field, because the button that was pressed has disappeared. */
  clear(): void {
    clearTimeout(this.timer);
    this.text.value = '';
    this.method.value = '';
    this.direction.value = 'both';
    setOn(this.errors, false);
    this.text.focus();
    this.apply();
  }

  private apply(): void {
    this.timer = undefined;
    const direction = this.direction.value;
    this.options.filter({
      text: this.text.value,
      method: this.method.value,
      errorsOnly: isOn(this.errors),
      direction: direction === 'sent' || direction === 'received' ? direction : 'both',
    });
  }
}

function countText({ first, end, held, forgotten, isPaused, isScanning, waiting, filter }: TraceStatus): string {
  if (isPaused && waiting > 0) return t('Paused. New messages: {0}', waiting.toLocaleString());
  if (isPaused) return t('Paused');
  const isFiltered = filter.text !== '' || filter.method !== '' || filter.errorsOnly || filter.direction !== 'both';
  if (isScanning) return t('Searching… {0} so far', (end - first).toLocaleString());
  if (isFiltered) return t('{0} of {1} messages', (end - first).toLocaleString(), held.toLocaleString());
  return forgotten > 0
    ? t('the latest {0} messages', held.toLocaleString())
    : held === 1
      ? t('1 message')
      : t('{0} messages', held.toLocaleString());
}

function option(value: string, label: string): HTMLOptionElement {
  return el('option', { attributes: { value } }, label);
}

function toggle(iconName: string, label: string, onClick: () => void): HTMLButtonElement {
  const button = el(
    'button',
    { class: 'toggle', title: label, attributes: { type: 'button', 'aria-pressed': 'false' } },
    icon(iconName),
    label,
  );
  button.addEventListener('click', () => {
    setOn(button, !isOn(button));
    onClick();
  });
  return button;
}

function isOn(button: HTMLButtonElement): boolean {
  return button.getAttribute('aria-pressed') === 'true';
}

function setOn(button: HTMLButtonElement, isPressed: boolean): void {
  button.setAttribute('aria-pressed', String(isPressed));
}

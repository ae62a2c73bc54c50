import { t } from '@vscode/l10n';
import type { HistoryLine, ItemView, PanelAction, ServerLine } from '../../shared/panel/itemPage.js';
import type { PageKind } from '../../shared/panel/pageTarget.js';
import { el, focusOn, icon, iconButton, wordButton } from '../page/dom.js';
import { menuButton } from '../page/menu.js';
import { foldedMarkdown } from '../result/foldedMarkdown.js';
import { runKeyName, withRunKey } from '../page/runKey.js';

export interface PanelHeadOptions {
  kind: PageKind;
  item: Pick<ItemView, 'title' | 'name' | 'description' | 'badges'>;
  act: (action: PanelAction) => void;
  /** Opens a web address in the description, after the user has confirmed it. */
  openLink: (href: string) => void;
  /** Runs the item; absent if there is nothing to run. */
  run?: () => void;
  cancel?: () => void;
  /** Switches between the form and JSON. */
  mode?: HTMLElement;
  /** Additional actions for the current input. */
  uses?: readonly HTMLElement[];
  useRun?: (id: string) => void;
  /** Stores the current input as a favorite. */
  addFavourite?: () => void;
}

const stateIcons = {
  running: 'circle-filled',
  waiting: 'loading codicon-modifier-spin',
  stopped: 'circle-outline',
  failed: 'error',
} as const;

/** The top of a panel: the item, its server and description, and the buttons. */
export class PanelHead {
  readonly element: HTMLElement;
  private readonly title: HTMLElement;
  private readonly server = el('div', { class: 'server' });
  private readonly runButton: HTMLElement | undefined;
  private readonly cancelButton: HTMLElement | undefined;
  private readonly history: HTMLElement | undefined;
  private readonly keyHint = el('span', { class: 'hint', attributes: { role: 'status' } });
  private runs: readonly HistoryLine[] = [];

  constructor(private readonly options: PanelHeadOptions) {
    const { kind, item, run, cancel, mode, uses = [] } = options;
    const { verb, iconName } = verbOf(kind);
    this.title = el('h1', { attributes: { tabindex: '-1' } }, item.title);
    this.runButton = run && wordButton(verb, run, { iconName, isSecondary: false });
    this.runButton?.setAttribute('title', withRunKey(verb));
    this.cancelButton = cancel && wordButton(t('Cancel'), cancel, { iconName: 'debug-stop' });
    const { useRun, addFavourite } = options;
    const star = addFavourite && iconButton('star-empty', t('Add to Favorites…'), addFavourite);
    this.history =
      useRun &&
      menuButton(
        t('Runs of this tool'),
        () => this.runs.map(({ id, ...line }) => ({ ...line, run: () => useRun(id) })),
        'history',
      );
    const more =
      kind === 'tool' &&
      run &&
      menuButton(t('More Actions'), () => [
        { label: t('Show Schema'), icon: 'json', run: () => options.act('showSchema') },
        { label: t('Add Rule for This Tool…'), icon: 'shield', run: () => options.act('addToolRule') },
      ]);
    this.element = el(
      'header',
      { class: 'head' },
      el(
        'div',
        { class: 'head-line' },
        el(
          'div',
          { class: 'names' },
          this.title,
          item.name !== undefined && el('code', { class: 'name' }, item.name),
          ...item.badges.map(({ text, kind, tooltip }) =>
            el('span', { class: `badge badge-${kind}`, title: tooltip }, kind !== 'plain' && icon('warning'), text),
          ),
        ),
        el(
          'div',
          { class: 'buttons' },
          ...[star, this.history, more, mode, ...uses, this.keyHint, this.cancelButton, this.runButton],
        ),
      ),
      this.server,
      item.description !== undefined && foldedMarkdown(item.description, options.openLink),
    );
    this.showRun(false);
  }

  /** Moves the focus to the button that runs, or to the title. */
  focus(isOnRun: boolean): void {
    if (isOnRun && this.runButton) focusOn(this.runButton);
    else this.title.focus();
  }

  showServer({ label, state, text, actions }: ServerLine): void {
    const { act } = this.options;
    this.server.className = `server server-${state}`;
    const buttons = actions.map(({ action, title }) =>
      el('button', { class: 'link-button', attributes: { type: 'button' }, on: { click: () => act(action) } }, title),
    );
    this.server.replaceChildren(
      icon(stateIcons[state], 'state'),
      el('span', { class: 'server-name' }, label),
      el('span', { class: 'hint' }, text),
      ...buttons,
    );
  }

  showHistory(runs: readonly HistoryLine[]): void {
    this.runs = runs;
    if (this.history) this.history.hidden = runs.length === 0;
  }

  showRun(isRunning: boolean): void {
    const { runButton, cancelButton } = this;
    const hadFocus = [runButton, cancelButton].some((button) => button && button === document.activeElement);
    if (runButton) runButton.hidden = isRunning;
    if (cancelButton) cancelButton.hidden = !isRunning;
    if (isRunning) this.keyHint.textContent = '';
    // A button that is hidden loses the focus, so the button that replaces it receives it.
    const shown = isRunning ? cancelButton : runButton;
    if (hadFocus && shown) focusOn(shown);
  }

  /** Shows the key that runs the item. Called after the user pressed a key that has no effect. */
  showRunKey(): void {
    this.keyHint.textContent = t('Press {0} for "{1}"', runKeyName(), verbOf(this.options.kind).verb);
  }
}

function verbOf(kind: PageKind): { verb: string; iconName: string } {
  switch (kind) {
    case 'prompt':
      return { verb: t('Get Messages'), iconName: 'play' };
    case 'template':
      return { verb: t('Open'), iconName: 'go-to-file' };
    default:
      return { verb: t('Run'), iconName: 'play' };
  }
}

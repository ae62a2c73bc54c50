import { t } from '@vscode/l10n';
import type { HistoryLine } from '../../shared/panel/itemPage.js';
import { el, icon, iconButton } from '../page/dom.js';

export interface RunStripOptions {
  /** Shows the result of a run. */
  show: (id: string) => void;
  runAgain: (id: string) => void;
  /** Puts the arguments of a run into the form. */
  edit: (id: string) => void;
  /** Maximizes the result, which hides the form, or restores both. */
  maximize: () => void;
}

/**
 * Describes the run whose result is shown: its arguments, its time, and its position in the history. The result below
 * states the outcome. Has buttons that show the previous and next run, repeat the run, and edit its arguments.
 */
export class RunStrip {
  readonly element: HTMLElement;
  private readonly older: HTMLButtonElement;
  private readonly newer: HTMLButtonElement;
  private readonly place = el('span', { class: 'hint' });
  private readonly maximizeButton: HTMLButtonElement;
  private readonly line = el('span', { class: 'run-line' });
  private runs: readonly HistoryLine[] = [];
  private shown: string | undefined;

  constructor(options: RunStripOptions) {
    const move = (step: number) => {
      const next = this.runs[this.index + step];
      if (next) options.show(next.id);
    };
    const act = (action: (id: string) => void) => () => {
      if (this.shown !== undefined) action(this.shown);
    };
    this.older = iconButton('chevron-left', t('Previous Run'), () => move(1));
    this.newer = iconButton('chevron-right', t('Next Run'), () => move(-1));
    this.maximizeButton = iconButton('', '', options.maximize);
    this.showMaximized(false);
    this.element = el(
      'div',
      { class: 'run-strip', attributes: { role: 'group', 'aria-label': t('Run') } },
      this.older,
      this.newer,
      this.place,
      this.line,
      iconButton('refresh', t('Run Again'), act(options.runAgain)),
      iconButton('edit', t('Edit Arguments'), act(options.edit)),
      this.maximizeButton,
    );
    this.draw();
  }

  /** The runs of the tool, newest first. */
  showHistory(runs: readonly HistoryLine[]): void {
    this.runs = runs;
    this.draw();
  }

  /** The run of the shown result. Undefined if there is none, or if it has not ended. */
  showRun(id: string | undefined): void {
    this.shown = id;
    this.draw();
  }

  showMaximized(isMaximized: boolean): void {
    const label = isMaximized ? t('Show Form') : t('Maximize Result');
    this.maximizeButton.title = label;
    this.maximizeButton.setAttribute('aria-label', label);
    this.maximizeButton.replaceChildren(icon(isMaximized ? 'screen-normal' : 'screen-full'));
  }

  private get index(): number {
    return this.runs.findIndex(({ id }) => id === this.shown);
  }

  private draw(): void {
    const { index, runs } = this;
    const run = runs[index];
    this.element.hidden = run === undefined;
    if (!run) return;
    // A disabled button would lose the focus, so at the ends of the list the buttons are only marked as disabled.
    this.older.setAttribute('aria-disabled', String(index === runs.length - 1));
    this.newer.setAttribute('aria-disabled', String(index === 0));
    this.place.textContent = t('{0} of {1}', runs.length - index, runs.length);
    const text = `${run.label} · ${run.detail}`;
    this.line.title = text;
    this.line.replaceChildren(icon(run.icon), el('code', {}, run.label), el('span', { class: 'hint' }, run.time));
  }
}

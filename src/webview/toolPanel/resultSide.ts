import type { PanelAction, RunView } from '../../shared/toolPanel.js';
import type { Announcer } from '../page/announcer.js';
import { el, icon } from '../page/dom.js';
import type { Translate } from '../page/translate.js';

interface ResultSideOptions {
  t: Translate;
  act: (action: PanelAction) => void;
  announcer: Announcer;
}

/** What the call is doing, and what it gave. */
export class ResultSide {
  readonly element: HTMLElement;
  private readonly body = el('div', { class: 'result-body' });
  private announced: RunView['kind'] = 'idle';

  constructor(private readonly options: ResultSideOptions) {
    this.element = el('section', { class: 'side result-side', attributes: { 'aria-label': options.t('Result'), tabindex: 0 } }, this.body);
  }

  show(run: RunView): void {
    const { t, announcer } = this.options;
    this.body.replaceChildren(...this.draw(run));
    if (run.kind === this.announced) return;
    this.announced = run.kind;
    if (run.kind === 'running') announcer.say(t('Running'));
    else if (run.kind === 'done') announcer.say(run.isError ? t('The tool reports an error') : t('Done'));
    else if (run.kind === 'failed') announcer.say(run.message);
  }

  private draw(run: RunView): HTMLElement[] {
    const { t } = this.options;
    switch (run.kind) {
      case 'idle':
        return [el('p', { class: 'empty' }, t('The result of a run stands here.'))];
      case 'running':
        return [el('p', {}, run.progress?.text ?? t('Running'))];
      case 'done':
        return [el('p', { class: run.isError ? 'outcome outcome-error' : 'outcome' }, icon(run.isError ? 'error' : 'pass'), run.isError ? t('The tool reports an error') : t('Done')), el('pre', {}, run.text)];
      case 'failed':
        return [el('p', { class: 'outcome outcome-error' }, icon('error'), run.message)];
    }
  }
}

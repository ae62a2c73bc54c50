import type { ResultModel } from '../../shared/result/resultModel.js';
import type { ResultRequest } from '../../shared/result/resultRequest.js';
import type { Announcer } from '../page/announcer.js';
import { el, icon } from '../page/dom.js';
import type { Translate } from '../page/translate.js';
import { drawResult } from '../result/drawResult.js';

interface ResultSideOptions {
  t: Translate;
  announcer: Announcer;
  isPrompt: boolean;
  send: (request: ResultRequest) => void;
}

/** What the call is doing, and what it gave. */
export class ResultSide {
  readonly element: HTMLElement;
  private readonly body = el('div', { class: 'result-body' });
  private announced: string | undefined;

  constructor(private readonly options: ResultSideOptions) {
    const { t, isPrompt } = options;
    this.body.append(el('p', { class: 'empty' }, icon(isPrompt ? 'comment-discussion' : 'output'), isPrompt ? t('The messages appear here.') : t('The result appears here.')));
    this.element = el('section', { class: 'side result-side', attributes: { 'aria-label': t('Result'), tabindex: 0 } }, el('h2', { class: 'spoken' }, t('Result')), this.body);
  }

  show(model: ResultModel | undefined): void {
    if (!model) return;
    drawResult(this.body, model, this.options);
    const news = `${model.id} ${model.kind}`;
    if (news !== this.announced) this.options.announcer.say(this.wordsOf(model));
    this.announced = news;
  }

  private wordsOf(model: ResultModel): string {
    const { t } = this.options;
    switch (model.kind) {
      case 'running':
        return t('Running');
      case 'failed':
        return model.message;
      case 'done':
        return model.isError ? t('The tool reports an error') : t('Done');
    }
  }
}

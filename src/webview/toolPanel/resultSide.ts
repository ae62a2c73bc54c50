import { t } from '@vscode/l10n';
import type { ResultModel } from '../../shared/result/resultModel.js';
import type { ResultRequest } from '../../shared/result/resultRequest.js';
import type { PageKind } from '../../shared/panel/pageTarget.js';
import type { HistoryLine } from '../../shared/panel/itemPage.js';
import type { Announcer } from '../page/announcer.js';
import { el, icon } from '../page/dom.js';
import { runKeyName } from '../page/runKey.js';
import { FindBar } from '../result/find/findBar.js';
import { Findables } from '../result/find/findable.js';
import { clearResult, drawResult } from '../result/drawResult.js';
import type { RunStripOptions } from './runStrip.js';
import { RunStrip } from './runStrip.js';

interface ResultSideOptions {
  announcer: Announcer;
  kind: PageKind;
  /** An element that is placed before the result. */
  before?: HTMLElement;
  send: (request: ResultRequest) => void;
  /** The actions on past runs. Absent for items without a history. */
  runs?: RunStripOptions;
}

/** Shows the progress of the call and its result. */
export class ResultSide {
  readonly element: HTMLElement;
  private readonly body = el('div', { class: 'result-body' });
  private readonly findables = new Findables();
  private readonly find = new FindBar(this.findables);
  private readonly strip: RunStrip | undefined;
  private announced: string | undefined;

  constructor(private readonly options: ResultSideOptions) {
    const { kind, before } = options;
    const title = kind === 'template' ? t('Resource') : t('Result');
    this.strip = options.runs && new RunStrip(options.runs);
    this.body.append(this.empty());
    this.element = el(
      'section',
      { class: 'side result-side', attributes: { 'aria-label': title, tabindex: 0 } },
      el('h2', { class: 'spoken' }, title),
      before,
      this.find.element,
      this.strip?.element,
      this.body,
    );
  }

  /** Opens the find box. Returns false if there is no result to search. */
  openFind(): boolean {
    if (this.findables.list().length === 0) return false;
    this.find.open();
    return true;
  }

  /** Moves to the next or previous hit. Returns false if the find box is closed. */
  moveFind(step: 1 | -1): boolean {
    if (this.find.isOpen) this.find.move(step);
    return this.find.isOpen;
  }

  /** The runs of the tool, newest first. */
  showHistory(runs: readonly HistoryLine[]): void {
    this.strip?.showHistory(runs);
  }

  showMaximized(isMaximized: boolean): void {
    this.strip?.showMaximized(isMaximized);
  }

  /** Shows a result. Undefined clears it. */
  show(model: ResultModel | undefined): void {
    this.strip?.showRun(model === undefined || model.kind === 'running' ? undefined : model.id);
    if (!model) {
      clearResult(this.body);
      this.body.append(this.empty());
      return;
    }
    drawResult(this.body, model, { send: this.options.send, findables: this.findables });
    const news = `${model.id} ${model.kind}`;
    if (news !== this.announced) this.options.announcer.say(this.wordsOf(model));
    this.announced = news;
  }

  private empty(): HTMLElement {
    const { kind } = this.options;
    const [iconName, text] =
      kind === 'template'
        ? ['go-to-file', t('Open the resource to see it in an editor ({0}).', runKeyName())]
        : kind === 'prompt'
          ? ['comment-discussion', t('Get the prompt to see its messages ({0}).', runKeyName())]
          : ['output', t('Run the tool to see its result ({0}).', runKeyName())];
    return el('p', { class: 'empty' }, icon(iconName), text);
  }

  private wordsOf(model: ResultModel): string {
    const { kind } = this.options;
    switch (model.kind) {
      case 'running':
        return kind === 'template' ? t('Reading') : t('Running');
      case 'failed':
        return model.message;
      case 'done':
        return model.isError ? t('The tool reports an error') : t('Done');
    }
  }
}

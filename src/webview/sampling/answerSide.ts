import { t } from '@vscode/l10n';
import type { PartEdit, SamplingAnswer, SamplingDraft } from '../../shared/panel/samplingPage.js';
import { el } from '../page/dom.js';
import { PartList } from './partList.js';

/**
 * The answer to send, with the user's edits. `answer` is the ID of the model's answer that was edited. It is absent if
 * the user wrote the answer.
 */
export interface GivenAnswer {
  edits: PartEdit[];
  answer?: string;
}

/**
 * The answer: the user's own text, or the answer of a model. Both are kept, so that the user can switch between them.
 */
export class AnswerSide {
  readonly element = el('section', { class: 'side', attributes: { 'aria-label': t('Answer') } });
  private readonly own: HTMLTextAreaElement;
  private model: { answer: SamplingAnswer; list: PartList } | undefined;
  private showsModel = false;

  constructor(
    private readonly draft: SamplingDraft | undefined,
    answer: SamplingAnswer | undefined,
    private readonly onChange: () => void,
  ) {
    this.own = el('textarea', {
      class: 'input own-answer',
      attributes: {
        'aria-label': t('Your answer'),
        placeholder: t('Write an answer, or select "Ask Model".'),
        rows: 8,
      },
      on: { input: onChange },
    });
    this.own.value = ownText(draft, answer);
    if (answer) this.take(answer);
    else this.show();
  }

  /** The answer that is sent when the user presses Send. */
  get given(): GivenAnswer {
    if (this.showsModel && this.model) return { edits: this.model.list.edits, answer: this.model.answer.id };
    return { edits: [{ index: 0, text: this.own.value }] };
  }

  get saved(): Pick<SamplingDraft, 'own' | 'model'> {
    const { model } = this;
    return { own: this.own.value, ...(model && { model: { id: model.answer.id, edits: model.list.edits } }) };
  }

  /** Shows the answer of a model. The user's own text is kept. */
  take(answer: SamplingAnswer): void {
    const edits = this.draft?.model?.id === answer.id ? this.draft.model.edits : [];
    this.model = { answer, list: new PartList(answer.parts, edits, this.onChange, answer.parts.length > 1) };
    this.showsModel = true;
    this.show();
  }

  focus(): void {
    if (this.showsModel) this.model?.list.focus();
    else this.own.focus();
  }

  private show(): void {
    const { model } = this;
    const change = (showsModel: boolean, label: string) =>
      el(
        'button',
        {
          class: 'link-button',
          attributes: { type: 'button' },
          on: {
            click: () => {
              this.showsModel = showsModel;
              this.show();
              this.focus();
            },
          },
        },
        label,
      );
    if (model && this.showsModel)
      this.element.replaceChildren(
        heading(model.answer.heading, change(false, t('Write Your Own'))),
        model.list.element,
      );
    else
      this.element.replaceChildren(
        heading(t('Your answer'), model && change(true, t('Show the Answer of the Model'))),
        this.own,
      );
  }
}

/**
 * The user's own text. If the draft contains edits of a model's answer that is no longer known, these edits become the
 * user's own text, so that they are not lost.
 */
function ownText(draft: SamplingDraft | undefined, answer: SamplingAnswer | undefined): string {
  if (!draft || draft.own.trim() !== '' || !draft.model || draft.model.id === answer?.id) return draft?.own ?? '';
  return draft.model.edits.flatMap(({ text }) => text ?? []).join('\n\n');
}

function heading(text: string, ...more: (HTMLElement | undefined)[]): HTMLElement {
  return el('div', { class: 'side-head' }, el('h2', {}, text), ...more);
}

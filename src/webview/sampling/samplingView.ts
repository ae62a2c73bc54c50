import { t } from '@vscode/l10n';
import type {
  PartEdit,
  SamplingAnswer,
  SamplingDraft,
  SamplingReply,
  SamplingState,
  SamplingWay,
} from '../../shared/panel/samplingPage.js';
import { el, icon, setAttributes, wordButton } from '../page/dom.js';
import { Splitter } from '../page/splitter.js';
import type { GivenAnswer } from './answerSide.js';
import { AnswerSide } from './answerSide.js';
import { PartList } from './partList.js';

export interface SamplingViewOptions {
  state: SamplingState;
  draft: SamplingDraft | undefined;
  onChange: (draft: SamplingDraft) => void;
  ask: (edits: PartEdit[]) => Promise<SamplingReply>;
  send: (given: GivenAnswer) => Promise<SamplingReply>;
  leave: (way: SamplingWay) => void;
}

/** A sampling request: its facts and the possible actions, the conversation, and the answer. */
export class SamplingView {
  readonly element: HTMLElement;
  private readonly conversation: PartList;
  private readonly answer: AnswerSide;
  private readonly buttons: HTMLElement;
  private readonly askButton: HTMLElement;
  private readonly status = el('div', { class: 'request-over', attributes: { role: 'status' } });
  private readonly problem = el('div', { class: 'request-warning', attributes: { role: 'alert' } });

  constructor(private readonly options: SamplingViewOptions) {
    const { state, draft } = options;
    const keep = () => {
      this.show(this.problem, undefined);
      options.onChange({ parts: this.conversation.edits, ...this.answer.saved, at: Date.now() });
    };
    this.conversation = new PartList(state.parts, draft?.parts ?? [], keep);
    this.answer = new AnswerSide(draft, state.answer, keep);
    this.askButton = button(
      t('Ask Model'),
      'sparkle',
      t('Sends the shown request to a language model. You review its answer.'),
      () => void this.ask(),
    );
    this.buttons = this.drawButtons();
    this.show(this.problem, undefined);
    this.setAsking(state.isAsking);
    if (state.over !== undefined) this.end(state.over);
    const conversation = el(
      'section',
      { class: 'side', attributes: { 'aria-label': t('Conversation') } },
      el('div', { class: 'side-head' }, el('h2', {}, t('Conversation'))),
      this.conversation.element,
    );
    const split = el('div', { class: 'split' });
    const splitter = new Splitter(
      split,
      t('Size of the conversation'),
      undefined,
      { wide: 55, stacked: 55 },
      () => undefined,
    );
    split.append(conversation, splitter.element, this.answer.element);
    this.element = el(
      'main',
      { class: 'panel request', on: { keydown: (event) => this.press(event) } },
      this.drawHead(state),
      split,
    );
  }

  /** Shows the answer of a model. */
  take(answer: SamplingAnswer): void {
    this.answer.take(answer);
    if (document.hasFocus()) this.answer.focus();
  }

  /** Shows that the request ended. The input remains readable. */
  end(text: string): void {
    this.buttons.hidden = true;
    this.show(this.problem, undefined);
    this.show(this.status, text, 'info');
  }

  /** Shows whether a model is answering. */
  setAsking(isAsking: boolean): void {
    setAttributes(this.askButton, { disabled: isAsking });
    if (!this.buttons.hidden)
      this.show(this.status, isAsking ? t('Waiting for the language model…') : undefined, 'loading');
  }

  focus(): void {
    this.answer.focus();
  }

  private drawHead({ title, hint, facts, cause, warnings }: SamplingState): HTMLElement {
    return el(
      'header',
      { class: 'head' },
      el(
        'div',
        { class: 'head-line' },
        el('div', { class: 'names' }, el('h1', {}, title), hint !== undefined && el('span', { class: 'hint' }, hint)),
        this.buttons,
      ),
      cause !== undefined && el('p', { class: 'request-message' }, cause),
      el(
        'ul',
        { class: 'facts', attributes: { 'aria-label': t('Limits') } },
        ...facts.map((fact) => el('li', {}, fact)),
      ),
      ...warnings.map((text) => el('p', { class: 'request-warning' }, icon('warning'), el('span', {}, text))),
      this.problem,
      this.status,
    );
  }

  private drawButtons(): HTMLElement {
    const { leave } = this.options;
    const keys = navigator.platform.startsWith('Mac') ? '⌘⏎' : 'Ctrl+Enter';
    const send = wordButton(t('Send'), () => void this.send(), { iconName: 'send', isSecondary: false });
    send.setAttribute('title', t('Sends the shown answer to the server ({0})', keys));
    return el(
      'div',
      { class: 'buttons' },
      button(t('Dismiss'), 'close', t('Tells the server that you gave no answer'), () => leave('cancel')),
      button(t('Decline'), 'circle-slash', t('Tells the server that you declined'), () => leave('decline')),
      this.askButton,
      send,
    );
  }

  private press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || this.buttons.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    void this.send();
  }

  private async ask(): Promise<void> {
    this.report(await this.options.ask(this.conversation.edits));
  }

  private async send(): Promise<void> {
    const reply = await this.options.send(this.answer.given);
    this.report(reply);
    if (reply.problem !== undefined) this.answer.focus();
  }

  private report({ problem }: SamplingReply): void {
    this.show(this.problem, problem, 'error');
  }

  private show(line: HTMLElement, text: string | undefined, iconName = ''): void {
    line.hidden = text === undefined;
    line.replaceChildren(...(text === undefined ? [] : [icon(iconName), el('span', {}, text)]));
  }
}

function button(label: string, iconName: string, tooltip: string, onClick: () => void): HTMLElement {
  const made = wordButton(label, onClick, { iconName });
  made.setAttribute('title', tooltip);
  return made;
}

import { t } from '@vscode/l10n';
import type { JsonPath } from '../../shared/result/resultModel.js';
import type { TraceDetails, TraceMessage } from '../../shared/tracePage.js';
import { el, iconButton, wordButton } from '../page/dom.js';
import { drawJsonTree } from '../result/jsonTree.js';
import { wordOf } from './traceRow.js';
import { ResendEditor } from './resendEditor.js';

interface DetailsOptions {
  copy: (seq: number, what: 'path' | 'value', path: JsonPath) => void;
  goTo: (seq: number) => void;
  close: () => void;
  resend: (seq: number, params: string) => Promise<{ problem?: string }>;
  saveAsTest: (seq: number) => void;
  say: (text: string) => void;
}

/** Shows one message with the other message of its exchange. */
export class MessageSide {
  readonly element: HTMLElement;
  private shown = '';

  constructor(private readonly options: DetailsOptions) {
    this.element = el('section', {
      class: 'side details',
      attributes: { 'aria-label': t('Details'), tabindex: -1 },
      on: {
        keydown: (event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          options.close();
        },
      },
    });
  }

  show(details: TraceDetails): void {
    const { goTo, close, saveAsTest } = this.options;
    const { row, message, pair, params, isCall } = details;
    this.element.hidden = false;
    const key = JSON.stringify([row.seq, pair?.seq]);
    // The message is already shown, so the selection and the input are kept.
    if (key === this.shown) return;
    this.shown = key;
    const editor = el('div', { class: 'resend' });
    const buttons = [
      params !== undefined && wordButton(t('Edit and Resend…'), () => this.edit(editor, details), { iconName: 'edit' }),
      isCall && wordButton(t('Save as Test…'), () => saveAsTest(row.seq), { iconName: 'beaker' }),
      pair !== undefined &&
        wordButton(pair.kind === 'request' ? t('Go to Request') : t('Go to Response'), () => goTo(pair.seq), {
          iconName: 'arrow-swap',
        }),
    ];
    const title = row.method === '' ? wordOf(row) : row.method;
    this.element.replaceChildren(
      el(
        'div',
        { class: 'details-head' },
        el('h2', {}, title),
        el('div', { class: 'details-buttons' }, ...buttons),
        iconButton('close', t('Close Details'), close),
      ),
      editor,
      this.message(message),
      ...(pair ? [this.message(pair)] : []),
    );
    this.element.scrollTop = 0;
  }

  /** Moves the focus into the tree, where arrow keys work. */
  focus(): void {
    const target = this.element.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]') ?? this.element;
    target.focus();
  }

  private message(message: TraceMessage): HTMLElement {
    const { copy } = this.options;
    const { seq, facts, json, text } = message;
    const heading = wordOf({ ...message, isError: false });
    const list = el(
      'dl',
      { class: 'facts' },
      ...facts.map(({ name, value }) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
    );
    const body = json
      ? drawJsonTree(json, 'structured', [], {
          id: String(seq),
          onRelease: () => undefined,
          send: (request) => {
            if (request.type === 'copyJson') copy(seq, request.what, request.path);
          },
        })
      : el('pre', { class: 'plain', attributes: { tabindex: 0 } }, text ?? '');
    return el('div', { class: 'message result' }, el('h3', {}, heading), list, body);
  }

  private edit(place: HTMLElement, { row, params = '{}', isMasked }: TraceDetails): void {
    const { say } = this.options;
    const editor: ResendEditor = new ResendEditor({
      params,
      isMasked,
      method: row.method,
      send: async (text) => {
        const { problem } = await this.options.resend(row.seq, text);
        if (problem !== undefined) return problem;
        place.replaceChildren();
        say(t('Sent'));
        this.focus();
        return undefined;
      },
      cancel: () => {
        place.replaceChildren();
        this.focus();
      },
    });
    place.replaceChildren(editor.element);
    editor.focus();
    this.element.scrollTop = 0;
  }
}

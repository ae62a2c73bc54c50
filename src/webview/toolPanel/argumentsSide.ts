import type { Arguments, Problem } from '../../shared/toolPanel.js';
import { el, icon } from '../page/dom.js';
import type { Translate } from '../page/translate.js';

/** What was typed so far, kept through reloads. */
export interface Draft {
  values: Arguments;
  /** Present while JSON is edited. */
  json?: string;
}

export interface ArgumentsSideOptions {
  schema: Record<string, unknown>;
  draft: Draft;
  t: Translate;
  check: (values: unknown) => Promise<Problem[]>;
  onChange: (draft: Draft) => void;
}

/** Typing pauses this long before the arguments are checked. */
const pauseMs = 250;

/** The arguments as a form or as JSON, with what is wrong with them. */
export class ArgumentsSide {
  readonly element: HTMLElement;
  readonly modeSwitch: HTMLElement;
  private readonly text: HTMLTextAreaElement;
  private readonly problems = el('div', { class: 'problems' });
  private draft: Draft;
  private timer: number | undefined;

  constructor(private readonly options: ArgumentsSideOptions) {
    const { t } = options;
    this.draft = options.draft;
    this.text = el('textarea', { class: 'json', id: 'json', attributes: { 'aria-label': t('Arguments as JSON'), spellcheck: 'false' }, on: { input: () => this.typed() } });
    this.text.value = this.draft.json ?? JSON.stringify(this.draft.values, undefined, 2);
    this.modeSwitch = el('div', { class: 'modes', attributes: { role: 'group', 'aria-label': t('How to edit the arguments') } });
    this.element = el('section', { class: 'side arguments-side', attributes: { 'aria-label': t('Arguments') } }, this.problems, this.text);
  }

  focus(): void {
    this.text.focus();
  }

  fill(values: Arguments): void {
    this.draft = { values };
    this.text.value = JSON.stringify(values, undefined, 2);
    this.options.onChange(this.draft);
  }

  /** The arguments, when nothing is wrong with them; else shows what is. */
  async take(): Promise<Arguments | undefined> {
    const values = this.read();
    if (!values) return undefined;
    return (await this.check(values)) ? values : undefined;
  }

  private typed(): void {
    const values = this.read();
    this.draft = { values: values ?? this.draft.values, json: this.text.value };
    this.options.onChange(this.draft);
    clearTimeout(this.timer);
    if (values) this.timer = window.setTimeout(() => void this.check(values), pauseMs);
  }

  private read(): Arguments | undefined {
    try {
      return JSON.parse(this.text.value) as Arguments;
    } catch (error) {
      this.show([{ path: '', message: this.options.t('is not valid JSON: {0}', error instanceof Error ? error.message : '') }]);
      return undefined;
    }
  }

  private async check(values: Arguments): Promise<boolean> {
    const problems = await this.options.check(values);
    this.show(problems);
    return problems.length === 0;
  }

  private show(problems: readonly Problem[]): void {
    this.problems.replaceChildren(...problems.map(({ path, message }) => el('div', { class: 'problem' }, icon('error'), `${path} ${message}`)));
  }
}

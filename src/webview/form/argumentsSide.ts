import { t } from '@vscode/l10n';
import type { Form } from '../../shared/form/form.js';
import type { FormState } from '../../shared/form/formState.js';
import { jsonTextsOf } from '../../shared/form/formState.js';
import { valueOf, valueToForm } from '../../shared/form/formValue.js';
import type { JsonValue } from '../../shared/json.js';
import { isIdenticalJson, jsonErrorAt, jsonProblem, jsonText, parseJson } from '../../shared/form/formJson.js';
import { rangesOf } from '../../shared/form/jsonEditor/jsonCursor.js';
import { lineStart } from '../../shared/form/jsonEditor/jsonTyping.js';
import type { TextRange } from '../../shared/form/looseJson.js';
import { newState } from '../../shared/form/newState.js';
import { holdsSecrets, jsonHoldsSecrets, withoutSecrets } from '../../shared/form/formSecrets.js';
import { allProblems, stateProblems } from '../../shared/form/stateProblems.js';
import type { Arguments, Draft, Problem } from '../../shared/panel/formMessages.js';
import type { FormHost } from './formContext.js';
import { FormView } from './formView.js';
import { JsonEditor } from './jsonEditor/jsonEditor.js';
import { el } from '../page/dom.js';
import { whenPointerIsUp } from '../page/pointer.js';
import { ModeSwitch } from './modeSwitch.js';
import { ProblemLine } from './problemLine.js';

export interface ArgumentsSideOptions {
  form: Form;
  /** The draft to start with. Absent if the form starts with `start`. */
  draft: Draft | undefined;
  start: Arguments | undefined;
  check: (values: JsonValue) => Promise<readonly Problem[]>;
  /** Functions that request values from the extension: suggestions, a selected text, or a path. */
  window: Pick<FormHost, 'suggest' | 'editorText' | 'pick'>;
  onChange: (draft: Draft) => void;
  /** Whether the form is the definition of a server, whose texts may contain secrets. Default false. */
  isSetting?: boolean;
}

/** Delay between the last keystroke and the check of the arguments, in milliseconds. */
const pauseMs = 200;

/** The arguments as a form or as JSON, with their problems. */
export class ArgumentsSide {
  readonly element: HTMLElement;
  readonly modes: ModeSwitch;
  private readonly line: ProblemLine;
  private readonly body = el('div', { class: 'arguments-body' });
  private readonly text: JsonEditor;
  private view: FormView;
  private isJson: boolean;
  /** True after the first attempt to run. From then on, problems are also shown at untouched fields. */
  private showsAll = false;
  /** The values of the JSON text when it was last valid. Undefined while the form is shown. */
  private readable: FormState | undefined;
  private timer: number | undefined;
  /** Number of the latest check. Results of earlier checks are ignored. */
  private checked = 0;

  constructor(private readonly options: ArgumentsSideOptions) {
    const { form, draft, start } = options;
    this.modes = new ModeSwitch((isJson) => this.setMode(isJson));
    this.line = new ProblemLine((path) => this.reveal(path));
    this.text = new JsonEditor({
      form,
      field: form.root,
      id: 'arguments-json',
      label: t('Arguments as JSON'),
      isWhole: true,
      onInput: () => this.changed(true),
    });
    this.view = this.viewOf(
      draft?.state ?? (start ? valueToForm(form, start as JsonValue) : newState(form)),
      draft !== undefined,
    );
    this.isJson = draft?.json !== undefined;
    this.text.value = draft?.json ?? '';
    this.element = el(
      'section',
      { class: 'side arguments-side', attributes: { 'aria-label': t('Arguments') } },
      el('h2', { class: 'spoken' }, t('Arguments')),
      this.line.element,
      this.body,
    );
    this.showMode();
    if (draft) this.checkAfter(0);
  }

  /** The current input, including secrets. Used to redraw a form; must not be stored. */
  get current(): Draft {
    return { state: this.view.state, ...(this.isJson ? { json: this.text.value } : {}), at: Date.now() };
  }

  /** The current values, valid or not. */
  get values(): Arguments {
    return (valueOf(this.view.state) ?? {}) as Arguments;
  }

  /** The parts of the input that are shown as JSON text. Undefined if there are none. */
  get json(): string | undefined {
    const texts = this.isJson ? [this.text.value] : jsonTextsOf(this.view.state);
    return texts.length === 0 ? undefined : texts.join('\n');
  }

  /** Moves the focus to the first field. Returns false if there is none. */
  focus(): boolean {
    if (this.isJson) this.text.focus();
    else if (this.view.isEmpty) return false;
    else this.view.focus();
    return true;
  }

  /** Moves the focus to the field of a value, or to the field that contains it. */
  reveal(path: string): void {
    if (this.isJson) this.revealInText(path);
    else this.view.reveal(path);
  }

  /** Replaces the arguments. */
  fill(values: Arguments): void {
    this.showsAll = false;
    this.view = this.viewOf(valueToForm(this.options.form, values as JsonValue));
    // Pending fields are drawn first, because the form may be scrolled when it is replaced.
    this.view.finish();
    this.text.value = this.asText();
    this.showMode();
    this.changed(false);
  }

  /**
   * Returns the arguments if they are valid. Otherwise, shows the problems. In the form, also moves the focus to the
   * first one.
   */
  async take(): Promise<Arguments | undefined> {
    this.showsAll = true;
    if (!this.isJson) this.view.settle();
    const values = this.read();
    if (values === undefined) return undefined;
    const problems = await this.check(values);
    const [first] = problems;
    if (!first) return values as Arguments;
    if (!this.isJson) this.view.reveal(first.path);
    return undefined;
  }

  private viewOf(state: FormState, isContinued = false): FormView {
    const { form, window: around } = this.options;
    return new FormView(form, state, { isContinued, ...around, onChange: ({ isTyped }) => this.changed(isTyped) });
  }

  /** Selects the place of a problem: the first position that is not valid JSON, or the value. */
  private revealInText(path: string): void {
    const range = this.errorRange ?? rangesOf(this.text.value, [path])[0];
    if (range) this.text.reveal(range);
    else this.text.focus();
  }

  private get errorRange(): TextRange | undefined {
    const at = jsonErrorAt(this.text.value);
    return at === undefined ? undefined : { from: at, to: at + 1 };
  }

  private asText(): string {
    return jsonText(valueOf(this.view.state) ?? {}, 2) ?? '{}';
  }

  /**
   * Switches between form and JSON, and keeps all input. Text that is not JSON stays in the JSON editor until it is
   * corrected.
   */
  private setMode(isJson: boolean): void {
    if (isJson === this.isJson) return;
    if (isJson) {
      // The text is kept as the user wrote it, with comments, unless the values changed in the form.
      const before = parseJson(this.text.value);
      if (!before || !isIdenticalJson(before.value, valueOf(this.view.state) ?? {})) this.text.value = this.asText();
    } else {
      const values = this.read();
      if (values === undefined) {
        this.modes.show(true);
        this.text.focus();
        return;
      }
      if (!isIdenticalJson(values, valueOf(this.view.state) ?? {}))
        this.view = this.viewOf(valueToForm(this.options.form, values));
    }
    this.isJson = isJson;
    this.showMode();
    this.changed(false);
    this.focus();
  }

  private showMode(): void {
    this.modes.show(this.isJson);
    this.body.replaceChildren(this.isJson ? this.text.element : this.view.element);
  }

  private changed(isTyped: boolean): void {
    this.keep();
    this.checkAfter(isTyped ? pauseMs : 0);
  }

  private checkAfter(ms: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const values = this.read();
      if (values !== undefined) void this.check(values);
    }, ms);
  }

  private keep(): void {
    const { form, onChange, isSetting = false } = this.options;
    const { value: text } = this.text;
    const parsed = this.isJson ? parseJson(text) : undefined;
    if (!this.isJson) this.readable = undefined;
    else if (parsed) this.readable = valueToForm(form, parsed.value);
    const state = this.readable ?? this.view.state;
    const isOpen = !holdsSecrets(form, state, { isSetting }) && !jsonHoldsSecrets(form, form.root, text, { isSetting });
    onChange({
      state: withoutSecrets(form, state, { isSetting }),
      ...(this.isJson && isOpen ? { json: text } : {}),
      at: Date.now(),
    });
  }

  /** The current value. If the text is not a JSON object, shows the problem and returns undefined. */
  private read(): JsonValue | undefined {
    if (!this.isJson) return valueOf(this.view.state) ?? {};
    const parsed = parseJson(this.text.value.trim() === '' ? '{}' : this.text.value);
    const problem = !parsed
      ? t('Invalid JSON: {0}', jsonProblem(this.text.value) ?? '')
      : typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value)
        ? t('The text must be a JSON object: { … }.')
        : undefined;
    if (problem === undefined) return parsed?.value;
    const range = parsed ? rangesOf(this.text.value, [''])[0] : this.errorRange;
    this.tell(++this.checked, () => {
      this.line.show([{ path: '', text: problem }]);
      this.text.mark(range ? [range] : []);
    });
    return undefined;
  }

  private async check(values: JsonValue): Promise<readonly Problem[]> {
    const number = ++this.checked;
    const { form } = this.options;
    const ofState = this.isJson ? [] : stateProblems(form, this.view.state);
    const found = allProblems(ofState, await this.options.check(values));
    const problems = this.isJson ? found : this.view.inOrder(found);
    this.tell(number, () => this.showProblems(problems));
    return problems;
  }

  /**
   * Shows or hides problems, which moves the content below them. Waits until no pointer button is pressed, because a
   * click on a moved element would be lost.
   */
  private tell(number: number, show: () => void): void {
    whenPointerIsUp(() => {
      if (number === this.checked) show();
    });
  }

  private showProblems(problems: readonly Problem[]): void {
    if (this.isJson) {
      this.showInText(problems);
      return;
    }
    this.view.showProblems(problems, { isAll: this.showsAll });
    const shown = this.showsAll ? problems : problems.filter(({ path }) => this.view.isTouched(path));
    this.line.show(shown.map(({ path, message }) => ({ path, text: this.sentenceOf(path, message) })));
  }

  /** Marks the values with problems in the text, and adds the line numbers to the problems. */
  private showInText(problems: readonly Problem[]): void {
    const { value } = this.text;
    const ranges = rangesOf(
      value,
      problems.map(({ path }) => path),
    );
    this.text.mark(ranges.filter((range) => range !== undefined));
    this.line.show(
      problems.map(({ path, message }, index) => {
        const text = this.sentenceOf(path, message);
        const { from } = ranges[index] ?? {};
        if (from === undefined) return { path, text };
        const first = lineStart(value, from);
        const line = value.slice(0, first).split('\n').length;
        return { path, text: t('{0} (line {1}, column {2})', text, line, from - first + 1) };
      }),
    );
  }

  /** The name of the value with its problem, which is a predicate such as "is required" or a whole sentence. */
  private sentenceOf(path: string, message: string): string {
    const name = this.nameOf(path);
    return /^["“„«\p{Lu}]/u.test(message) ? t('{0}: {1}', name, message) : `${name} ${message}`;
  }

  private nameOf(path: string): string {
    const name = this.view.nameOf(path);
    return name === '' ? t('The value') : name;
  }
}

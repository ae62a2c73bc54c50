import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import type { ArgumentPlan, ArgumentStep, FormSubject, StepOption } from '../../core/present/form/argumentSteps.js';
import {
  answerText,
  asksForAll,
  planArguments,
  readStepValue,
  wholeStep,
} from '../../core/present/form/argumentSteps.js';
import { problemLines, problemOfStep, stepOfProblems } from '../../core/present/form/schemaProblems.js';
import type { JsonSchema } from '../../core/protocol/mcp.js';
import type { SchemaProblem } from '../../core/schema/problemText.js';
import type { Input } from './steps.js';
import { back, showInput } from './steps.js';
import { createInput } from '../adapters/userMessages.js';

export interface ArgumentQuestion {
  /** The title above every field: the tool and its server. */
  title: string;
  schema: JsonSchema;
  /** The kind of the values; default: arguments. */
  subject?: FormSubject;
  /** Initial values of the fields: the given values, or the values of the last run. */
  initial: Readonly<Record<string, unknown>>;
  /** Returns the problems of the current values. Called while the user types. */
  check(values: Record<string, unknown>): readonly SchemaProblem[];
  /** Problems that are shown at the first affected field, for example after a failed call. */
  problems?: readonly SchemaProblem[];
  /** More buttons for every field. A button ends the dialog, which then rejects with the reason. */
  exits?: readonly { icon: string; tooltip: string; reason: Error }[];
}

/** The answer of a field if the user chooses to write all arguments as JSON. */
const asJson = Symbol('asJson');
/** The answer of a field. The value is undefined if an optional field is left out. */
type Answered = { value: unknown };

/**
 * Asks for the arguments of a tool one by one, with a Back button, and checks each answer while the user types. If
 * there are many optional arguments, asks only for those that the user selects or that the last run contained. Rejects
 * with `cancelled` if the user cancels.
 */
export async function askArguments(question: ArgumentQuestion): Promise<Record<string, unknown>> {
  const plan = planArguments(question.schema, question.subject);
  return new ArgumentDialog(question, plan).run();
}

class ArgumentDialog {
  private readonly answers: Map<string, unknown>;
  private chosen: ReadonlySet<string>;
  /** Whether one of the steps asks which optional arguments to set. */
  private choosesOptional: boolean;
  /** Whether the steps include all optional arguments. */
  private readonly asksAll: boolean;

  constructor(
    private readonly question: ArgumentQuestion,
    private readonly plan: ArgumentPlan,
  ) {
    this.answers = new Map(Object.entries(question.initial));
    this.chosen = new Set(
      plan.optional.flatMap(({ key }) => (key !== undefined && Object.hasOwn(question.initial, key) ? [key] : [])),
    );
    this.asksAll = asksForAll(plan);
    this.choosesOptional = !this.asksAll && plan.required.length === 0;
  }

  async run(): Promise<Record<string, unknown>> {
    let problems = this.question.problems ?? [];
    const [first] = this.plan.required;
    if (first?.key === undefined && first !== undefined) return this.askWhole(first, problems);
    let index = this.placeOf(problems) ?? 0;
    for (;;) {
      const steps = this.steps();
      const step = steps[index];
      if (step === undefined) {
        const values = this.values();
        problems = this.question.check(values);
        if (problems.length === 0) return values;
        const place = this.placeOf(problems);
        // The problem does not belong to one field, so the user edits all arguments as JSON.
        if (place === undefined) return this.askWhole(wholeStep(this.question.schema, this.question.subject), problems);
        index = place;
        continue;
      }
      const answer =
        step === 'optional'
          ? await this.askOptional(index, steps.length)
          : await this.askStep(step, index, steps.length, problems);
      problems = [];
      if (answer === asJson) return this.askWhole(wholeStep(this.question.schema, this.question.subject), []);
      index = answer === back ? Math.max(0, index - 1) : index + 1;
    }
  }

  /** The current steps. The chosen optional arguments follow the step that chooses them. */
  private steps(): (ArgumentStep | 'optional')[] {
    const { required, optional } = this.plan;
    if (this.asksAll || optional.length === 0) return [...required, ...optional];
    return [
      ...required,
      ...(this.choosesOptional ? (['optional'] as const) : []),
      ...optional.filter(({ key }) => key !== undefined && this.chosen.has(key)),
    ];
  }

  private placeOf(problems: readonly SchemaProblem[]): number | undefined {
    if (problems.length === 0) return undefined;
    const { required, optional } = this.plan;
    const at = stepOfProblems([...required, ...optional], problems);
    if (at === undefined) return undefined;
    const key = optional[at - required.length]?.key;
    if (key !== undefined) this.chosen = new Set([...this.chosen, key]);
    const place = this.steps().findIndex((step) => step !== 'optional' && step.key === (key ?? required[at]?.key));
    return place < 0 ? undefined : place;
  }

  /** The arguments so far: fixed arguments, required arguments, and the chosen optional ones. */
  private values(): Record<string, unknown> {
    const keys = this.steps().flatMap((step) => (step === 'optional' || step.key === undefined ? [] : [step.key]));
    return {
      ...this.plan.fixed,
      ...Object.fromEntries(
        keys.filter((key) => this.answers.get(key) !== undefined).map((key) => [key, this.answers.get(key)]),
      ),
    };
  }

  private async askStep(
    step: ArgumentStep,
    index: number,
    total: number,
    problems: readonly SchemaProblem[],
  ): Promise<'next' | typeof back | typeof asJson> {
    const frame = this.frame(index, total);
    const key = step.key ?? '';
    const problem = problemOfStep(step, problems);
    const current = this.answers.has(key) ? this.answers.get(key) : step.default;
    const answer = await (step.kind === 'boolean' || step.kind === 'enum'
      ? this.pickOne(step, current, frame)
      : step.kind === 'multi-enum'
        ? this.pickMany(step, current, frame)
        : this.type(step, answerText(step, current), frame, problem));
    if (answer === back || answer === asJson) return answer;
    this.answers.set(key, answer.value);
    return 'next';
  }

  private async askWhole(step: ArgumentStep, problems: readonly SchemaProblem[]): Promise<Record<string, unknown>> {
    const values = { ...this.question.initial, ...this.values() };
    const text = Object.keys(values).length > 0 ? answerText(step, values) : answerText(step, undefined);
    const answer = await this.type(
      step,
      text,
      { ...this.frame(0, 1), isWhole: true },
      problems.length > 0 ? problemLines(problems, 2) : undefined,
    );
    if (answer === back || answer === asJson)
      throw new HostError('internal', 'A dialog with one field has no Back button.');
    return answer.value as Record<string, unknown>;
  }

  /** Asks which optional arguments to set. The arguments of the last run are preselected. */
  private async askOptional(index: number, total: number): Promise<'next' | typeof back | typeof asJson> {
    const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { key: string }>();
    const items = this.plan.optional.map((step) => ({
      key: step.key ?? '',
      label: step.title,
      ...(step.default === undefined
        ? {}
        : { description: vscode.l10n.t('default: {0}', answerText(step, step.default).slice(0, 80)) }),
      ...(step.prompt === '' ? {} : { detail: step.prompt }),
    }));
    Object.assign(pick, {
      canSelectMany: true,
      matchOnDetail: true,
      items,
      selectedItems: items.filter(({ key }) => this.chosen.has(key)),
      placeholder:
        this.question.subject === 'answer'
          ? vscode.l10n.t('Select optional fields to set, or press Enter to set none')
          : vscode.l10n.t('Select optional arguments to set, or press Enter to set none'),
    });
    const answer = await ask(pick, this.frame(index, total), () => ({
      value: pick.selectedItems.map(({ key }) => key),
    }));
    if (answer === back || answer === asJson) return answer;
    this.chosen = new Set(answer.value);
    return 'next';
  }

  private pickOne(step: ArgumentStep, current: unknown, frame: Frame): Promise<Answered | typeof back | typeof asJson> {
    const pick = vscode.window.createQuickPick<OptionItem>();
    const items = [...(step.isRequired ? [] : [unsetItem()]), ...optionItems(step)];
    Object.assign(pick, { items, placeholder: placeholderOf(step), matchOnDescription: true });
    const active = items.find(({ option }) => sameValue(option.value, current));
    if (active) pick.activeItems = [active];
    return ask(pick, frame, () => pick.selectedItems[0] && { value: pick.selectedItems[0].option.value });
  }

  private pickMany(
    step: ArgumentStep,
    current: unknown,
    frame: Frame,
  ): Promise<Answered | typeof back | typeof asJson> {
    const pick = vscode.window.createQuickPick<OptionItem>();
    const items = optionItems(step);
    Object.assign(pick, { canSelectMany: true, items, placeholder: placeholderOf(step), matchOnDescription: true });
    pick.selectedItems = items.filter(
      ({ option }) => Array.isArray(current) && current.some((value) => sameValue(option.value, value)),
    );
    return ask(pick, frame, () => {
      const value = pick.selectedItems.map(({ option }) => option.value);
      return { value: value.length === 0 && !step.isRequired ? undefined : value };
    });
  }

  private type(
    step: ArgumentStep,
    value: string,
    frame: Frame,
    problem: string | undefined,
  ): Promise<Answered | typeof back | typeof asJson> {
    const { box, problem: showProblem } = createInput({
      value,
      valueSelection: [0, value.length],
      prompt: promptOf(step),
      placeholder: step.placeholder,
      password: step.isSecret,
      problem,
    });
    const read = (text: string): Answered | { problem: string } => {
      const answer = readStepValue(step, text);
      if ('problem' in answer) return { problem: `${step.title} ${answer.problem}` };
      const values =
        step.key === undefined
          ? (answer.value as Record<string, unknown>)
          : Object.fromEntries(answer.value === undefined ? [] : [[step.key, answer.value]]);
      const found = problemOfStep(step, this.question.check(values));
      return found === undefined ? answer : { problem: found };
    };
    // No error is shown for an empty field, because the user may be about to enter another value.
    box.onDidChangeValue((text) => {
      const answer = text === '' ? undefined : read(text);
      showProblem(answer && 'problem' in answer ? answer.problem : undefined);
    });
    return ask(box, frame, () => {
      const answer = read(box.value);
      showProblem('problem' in answer ? answer.problem : undefined);
      return 'problem' in answer ? undefined : answer;
    });
  }

  private frame(index: number, total: number): Frame {
    const offersOptional = this.plan.optional.length > 0 && !this.asksAll && !this.choosesOptional;
    return {
      title: this.question.title,
      exits: this.question.exits ?? [],
      isAnswer: this.question.subject === 'answer',
      step: index + 1,
      total,
      ...(offersOptional ? { onWantsOptional: () => (this.choosesOptional = true) } : {}),
    };
  }
}

interface Frame {
  title: string;
  exits: NonNullable<ArgumentQuestion['exits']>;
  /** Whether the values are the answer to a request, and not the arguments of a call. */
  isAnswer: boolean;
  step: number;
  total: number;
  /** Whether the step already asks for all arguments as JSON, so that it needs no button for that. */
  isWhole?: boolean;
  /**
   * Present if there are optional arguments that have no step yet. Accepts the current answer, then lets the user
   * choose optional arguments.
   */
  onWantsOptional?: () => void;
}

type OptionItem = vscode.QuickPickItem & { option: StepOption };

/** The item that leaves an optional argument out. */
function unsetItem(): OptionItem {
  const title = vscode.l10n.t('Not set');
  return { label: title, option: { value: undefined, title } };
}

function optionItems(step: ArgumentStep): OptionItem[] {
  return step.options.map((option) => {
    const notes = [
      option.description,
      sameValue(option.value, step.default) ? vscode.l10n.t('default') : undefined,
    ].filter((note) => note !== undefined);
    return { label: option.title, ...(notes.length > 0 ? { description: notes.join(' · ') } : {}), option };
  });
}

function placeholderOf(step: ArgumentStep): string {
  return withOptional(step, step.prompt === '' ? step.title : `${step.title}: ${step.prompt}`);
}

function withOptional({ isRequired }: ArgumentStep, text: string): string {
  return isRequired ? text : vscode.l10n.t('{0} (optional)', text);
}

function promptOf(step: ArgumentStep): string {
  if (step.key === undefined) return step.prompt;
  const what = step.prompt === '' ? step.title : `${step.title}: ${step.prompt}`;
  if (!step.isRequired) return vscode.l10n.t('{0} (optional; leave empty to skip)', what);
  return step.isNullable ? vscode.l10n.t('{0} (leave empty for null)', what) : what;
}

function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}

/** Shows a field with its buttons. Rejects with `cancelled` if the user closes the field without an answer. */
async function ask<T>(
  input: Input,
  frame: Frame,
  accept: () => { value: T } | undefined,
): Promise<{ value: T } | typeof back | typeof asJson> {
  const json: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('json'),
    tooltip: frame.isAnswer ? vscode.l10n.t('Answer as JSON') : vscode.l10n.t('Write All Arguments as JSON'),
  };
  Object.assign(input, {
    title: frame.title,
    ignoreFocusOut: true,
    ...(frame.total > 1 ? { step: frame.step, totalSteps: frame.total } : {}),
  });
  const more: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('list-selection'),
    tooltip: frame.isAnswer ? vscode.l10n.t('Choose Optional Fields') : vscode.l10n.t('Choose Optional Arguments'),
  };
  const exits = frame.exits.map(({ icon, tooltip, reason }) => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
    reason,
  }));
  let exitReason: Error | undefined;
  input.buttons = [
    ...(frame.step > 1 ? [vscode.QuickInputButtons.Back] : []),
    ...(frame.onWantsOptional ? [more] : []),
    ...(frame.isWhole === true ? [] : [json]),
    ...exits,
  ];
  const outcome = await showInput<{ value: T } | typeof back | typeof asJson>(input, accept, (button) => {
    exitReason = exits.find((exit) => exit === button)?.reason;
    if (exitReason) {
      input.hide();
      return undefined;
    }
    if (button !== more) return button === json ? asJson : back;
    const accepted = accept();
    if (accepted) frame.onWantsOptional?.();
    return accepted;
  });
  if (outcome === undefined) throw exitReason ?? new HostError('cancelled', 'The arguments were not given.');
  return outcome;
}

import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { createInput } from '../adapters/userMessages.js';

/** The answer of a step if the user wants to return to the previous step. */
export const back = Symbol('back');

export interface StepFrame {
  title: string;
  step: number;
  totalSteps: number;
}

export interface TextQuestion extends StepFrame {
  prompt: string;
  value: string;
  placeholder?: string;
  /** Returns what is wrong with the current text, or undefined. */
  check(value: string): string | undefined;
}

export interface PickQuestion<T extends vscode.QuickPickItem> extends StepFrame {
  placeholder: string;
  items: readonly T[];
  active?: T;
}

/** Asks for one line of text. Returns undefined if the user cancels. */
export function askText(question: TextQuestion): Promise<string | typeof back | undefined> {
  const { title, step, totalSteps, prompt, value: initial, placeholder } = question;
  const { box, problem: showProblem } = createInput({
    title,
    step,
    totalSteps,
    prompt,
    value: initial,
    placeholder,
    ignoreFocusOut: true,
  });
  // No error is shown for an empty field before the user has typed.
  box.onDidChangeValue((value) => showProblem(value === '' ? undefined : question.check(value)));
  return ask(box, question.step, () => {
    const problem = question.check(box.value);
    showProblem(problem);
    return problem === undefined ? { value: box.value } : undefined;
  });
}

/** Asks for one item of a list. Returns undefined if the user cancels. */
export function askPick<T extends vscode.QuickPickItem>(
  question: PickQuestion<T>,
): Promise<T | typeof back | undefined> {
  const pick = vscode.window.createQuickPick<T>();
  Object.assign(pick, {
    title: question.title,
    step: question.step,
    totalSteps: question.totalSteps,
    placeholder: question.placeholder,
    items: question.items,
    ignoreFocusOut: true,
  });
  if (question.active) pick.activeItems = [question.active];
  return ask(pick, question.step, () => {
    const chosen = pick.selectedItems[0];
    return chosen && { value: chosen };
  });
}

/**
 * Runs steps in order. If a step answers `back`, the previous step follows. If it answers `same`, the step is repeated.
 * Rejects with `cancelled` if the user cancels.
 */
export async function runSteps(
  steps: readonly ((number: number) => Promise<'next' | 'same' | 'back' | 'cancel'>)[],
): Promise<void> {
  let index = 0;
  for (let step = steps[0]; step; step = steps[index]) {
    const outcome = await step(index + 1);
    if (outcome === 'cancel') throw new HostError('cancelled', 'The steps were left.');
    if (outcome === 'back') index = Math.max(0, index - 1);
    else if (outcome === 'next') index++;
  }
}

async function ask<T>(
  input: Input,
  step: number,
  accept: () => { value: T } | undefined,
): Promise<T | typeof back | undefined> {
  if (step > 1) input.buttons = [vscode.QuickInputButtons.Back];
  const outcome = await showInput<{ value: T } | typeof back>(input, accept, () => back);
  return outcome === undefined || outcome === back ? outcome : outcome.value;
}

/** An input box or a quick pick. */
export type Input = vscode.QuickInput & Pick<vscode.InputBox, 'buttons' | 'onDidAccept' | 'onDidTriggerButton'>;

/**
 * Shows an input until it closes. Returns undefined if the user leaves it.
 *
 * @param accept returns the answer for Enter. Undefined keeps the input open.
 * @param press returns the answer for a button. Undefined keeps the input open.
 */
export function showInput<T>(
  input: Input,
  accept: () => T | undefined,
  press: (button: vscode.QuickInputButton) => T | undefined = () => undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (outcome: T | undefined) => {
      if (outcome === undefined) return;
      resolve(outcome);
      input.hide();
    };
    input.onDidTriggerButton((button) => end(press(button)));
    input.onDidAccept(() => end(accept()));
    input.onDidHide(() => {
      // This line has no effect if an answer was already given. Otherwise, hiding the input cancels the step.
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}

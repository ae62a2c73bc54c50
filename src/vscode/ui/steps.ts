import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { createInput } from '../adapters/userMessages.js';

/** Answer of a step when the user wants to see the one before it again. */
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
  /** What is wrong with the text as typed, or undefined. */
  check(value: string): string | undefined;
}

export interface PickQuestion<T extends vscode.QuickPickItem> extends StepFrame {
  placeholder: string;
  items: readonly T[];
  active?: T;
}

/** One line of text; undefined when the user gave up. */
export function askText(question: TextQuestion): Promise<string | typeof back | undefined> {
  const { title, step, totalSteps, prompt, value: initial, placeholder } = question;
  const { box, problem: tell } = createInput({
    title,
    step,
    totalSteps,
    prompt,
    value: initial,
    placeholder,
    ignoreFocusOut: true,
  });
  // The error of an empty field says nothing before anything was typed.
  box.onDidChangeValue((value) => tell(value === '' ? undefined : question.check(value)));
  return ask(box, question.step, () => {
    const problem = question.check(box.value);
    tell(problem);
    return problem === undefined ? { value: box.value } : undefined;
  });
}

/** One of a list; undefined when the user gave up. */
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
 * Runs steps in order; a step that answers `back` leads to the one before it, `same` to itself. Gives up with
 * `cancelled`.
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

/** An input box or a list. */
export type Input = vscode.QuickInput & Pick<vscode.InputBox, 'buttons' | 'onDidAccept' | 'onDidTriggerButton'>;

/**
 * Shows an input until it ends; undefined when it is left.
 * @param accept what Enter gives; undefined leaves it open.
 * @param press what a button gives, likewise.
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
      // Settles only what is still open: leaving the input is giving up.
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}

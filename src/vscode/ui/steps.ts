import type * as vscode from 'vscode';

/** The answer of a step if the user presses Back. */
export const back = Symbol('back');

/** An input box or a quick pick. */
export type Input = vscode.QuickInput & Pick<vscode.InputBox, 'buttons' | 'onDidAccept' | 'onDidTriggerButton'>;

/**
 * Shows an input until it closes. Returns undefined if the user closes it without an answer.
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

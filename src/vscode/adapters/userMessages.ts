/**
 * The only way to VS Code's messages, progress notifications and input fields. VS Code makes a link of `[text](command:…)` in
 * each of them, and a click runs that command without a question; most of these texts hold words of a server or of a
 * workspace's file. The functions are those of `vscode.window`; in what they show, no link can be written.
 */
import * as vscode from 'vscode';
import { unlinked } from '../../core/base/hostileText.js';

type Show = typeof vscode.window.showInformationMessage;

/** Looked up at each call: a window under test answers in VS Code's place. */
function shownBy(name: 'showInformationMessage' | 'showWarningMessage' | 'showErrorMessage'): Show {
  return (message: string, ...more: unknown[]) =>
    (vscode.window[name] as (...all: unknown[]) => Thenable<undefined>)(unlinked(message), ...more);
}

export const showInformation = shownBy('showInformationMessage');
export const showWarning = shownBy('showWarningMessage');
export const showError = shownBy('showErrorMessage');

export const withProgress: typeof vscode.window.withProgress = (options, work) =>
  vscode.window.withProgress(
    { ...options, ...(options.title === undefined ? {} : { title: unlinked(options.title) }) },
    (progress, token) =>
      work(
        {
          report: (step) =>
            progress.report({ ...step, ...(step.message === undefined ? {} : { message: unlinked(step.message) }) }),
        },
        token,
      ),
  );

/** Fields for a line of text, as `vscode.window.showInputBox` shows it. */
export function showLineInput(options: vscode.InputBoxOptions): Thenable<string | undefined> {
  const { prompt } = options;
  return vscode.window.showInputBox({
    ...options,
    ...(prompt === undefined ? {} : { prompt: unlinked(prompt) }),
    ...(options.validateInput === undefined
      ? {}
      : { validateInput: async (value) => shownProblem(await options.validateInput?.(value)) }),
  });
}

/** What a field begins with. */
type InputFields = Partial<
  Pick<
    vscode.InputBox,
    'title' | 'step' | 'totalSteps' | 'value' | 'valueSelection' | 'placeholder' | 'password' | 'ignoreFocusOut'
  >
> & { prompt?: string | undefined; problem?: string | undefined };

/** A field for a line of text whose prompt and problem hold no links; the problem is set by `problem` only. */
export function createInput(fields: InputFields): {
  box: Omit<vscode.InputBox, 'prompt' | 'validationMessage'>;
  readonly problem: (text: string | undefined) => void;
} {
  const box = vscode.window.createInputBox();
  const { problem, prompt, ...others } = fields;
  const tell = (text: string | undefined) => {
    box.validationMessage = text === undefined ? undefined : unlinked(text);
  };
  Object.assign(box, others, { prompt: prompt === undefined ? undefined : unlinked(prompt) });
  tell(problem);
  return { box, problem: tell };
}

function shownProblem(
  found: string | vscode.InputBoxValidationMessage | undefined | null,
): string | vscode.InputBoxValidationMessage | undefined {
  if (found === undefined || found === null) return undefined;
  return typeof found === 'string' ? unlinked(found) : { ...found, message: unlinked(found.message) };
}

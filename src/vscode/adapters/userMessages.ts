/**
 * All messages, progress notifications, and input fields must use these functions, which work like those of
 * `vscode.window` but remove links from the text. VS Code turns `[text](command:…)` in such texts into a link, and a
 * click on the link runs the command without asking the user. Most of these texts include text from a server or from a
 * workspace file.
 */
import * as vscode from 'vscode';
import { unlinked, withoutIcons } from '../../core/base/hostileText.js';

type Show = typeof vscode.window.showInformationMessage;

/** Looks up the function on each call, so that tests can replace it. */
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

/** A link in a notification that runs a command of MCP Deck. */
export interface CommandLink {
  label: string;
  command: string;
  /** A JSON value or a URI. */
  argument?: unknown;
}

/**
 * Shows a text with links in a notification until `over` resolves. Links are used instead of buttons, because an
 * extension cannot close a message with buttons. The links come first, because VS Code cuts the end of a long line.
 */
export function showUntil(over: Promise<unknown>, text: string, links: readonly CommandLink[]): Thenable<unknown> {
  const drawn = links.map(({ label, command, argument }) => {
    const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`;
    return `[${label}](command:${command}${query.replaceAll('(', '%28').replaceAll(')', '%29')})`;
  });
  const message = `${drawn.join(' · ')} – ${unlinked(text)}`;
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification }, (progress) => {
    progress.report({ message });
    return over;
  });
}

/** Shows a single-line input like `vscode.window.showInputBox`, without links. */
export function showLineInput(options: vscode.InputBoxOptions): Thenable<string | undefined> {
  const { prompt } = options;
  return vscode.window.showInputBox({
    ...options,
    ...(prompt === undefined ? {} : { prompt: boxText(prompt) }),
    ...(options.validateInput === undefined
      ? {}
      : { validateInput: async (value) => shownProblem(await options.validateInput?.(value)) }),
  });
}

/** The initial values of an input box. */
type InputFields = Partial<
  Pick<
    vscode.InputBox,
    'title' | 'step' | 'totalSteps' | 'value' | 'valueSelection' | 'placeholder' | 'password' | 'ignoreFocusOut'
  >
> & { prompt?: string | undefined; problem?: string | undefined };

/**
 * Creates an input box whose prompt and validation message contain no links. Set the validation message only with
 * `problem`.
 */
export function createInput(fields: InputFields): {
  box: Omit<vscode.InputBox, 'prompt' | 'validationMessage'>;
  /** Shows a text below the box, by default as an error. Undefined removes it. */
  readonly problem: (text: string | undefined, severity?: vscode.InputBoxValidationSeverity) => void;
} {
  const box = vscode.window.createInputBox();
  const { problem, prompt, ...others } = fields;
  const showProblem = (text: string | undefined, severity = vscode.InputBoxValidationSeverity.Error) => {
    box.validationMessage = text === undefined ? undefined : { message: boxText(text), severity };
  };
  Object.assign(box, others, { prompt: prompt === undefined ? undefined : boxText(prompt) });
  showProblem(problem);
  return { box, problem: showProblem };
}

function shownProblem(
  found: string | vscode.InputBoxValidationMessage | undefined | null,
): string | vscode.InputBoxValidationMessage | undefined {
  if (found === undefined || found === null) return undefined;
  return typeof found === 'string' ? boxText(found) : { ...found, message: boxText(found.message) };
}

/** The text below an input field, without links and icons, which VS Code would draw there. */
function boxText(text: string): string {
  return withoutIcons(unlinked(text));
}

/** Copies a text and confirms this in the status bar. */
export async function copyText(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Copied'), 2_000);
}

import * as vscode from 'vscode';
import { HostError } from '../core/base/hostError.js';
import { Sequencer } from '../core/base/sequencer.js';
import { askSafely } from './askSafely.js';
import type { Invocation } from './invocation.js';

/** One dialog at a time, however often a command is run (security requirement C11). */
const dialogs = new Sequencer();

export interface WideningQuestion {
  /** What would happen, as a question. */
  message: string;
  /** What that means. */
  detail: string;
  /** The title of the button that does it. */
  go: string;
}

/**
 * Asks before something is widened: anything can run a command with arguments (a keybinding, a task, another extension),
 * and only the person may widen. Resolves when the answer is yes, rejects with `cancelled` otherwise.
 */
export function askToWiden({ call }: Invocation, { message, detail, go }: WideningQuestion): Promise<void> {
  return dialogs.run(async () => {
    const who = call ? [vscode.l10n.t('A command with arguments asks for this: a keybinding, a task or another extension, not a click of yours here.')] : [];
    if (!(await askSafely({ message, detail: [detail, ...who].join('\n\n'), keep: vscode.l10n.t('Keep as It Is'), go }))) throw new HostError('cancelled', 'The person did not agree.');
  });
}

import type * as vscode from 'vscode';
import { showWarning } from './userMessages.js';

/** A question whose wrong answer is dear. */
export interface SafeQuestion {
  message: string;
  detail: string;
  /** The title of the button that leaves everything as it is. */
  keep: string;
  /** The title of the button that does it. */
  go: string;
}

/**
 * Asks in a dialog and tells whether the person agreed. VS Code gives Enter to the first button that does not close the
 * dialog, so that is the safe one here, and none of ours closes: it puts a Cancel of its own beside them.
 */
export async function askSafely({ message, detail, keep, go }: SafeQuestion): Promise<boolean> {
  const agree: vscode.MessageItem = { title: go };
  return (await showWarning(message, { modal: true, detail }, { title: keep }, agree)) === agree;
}

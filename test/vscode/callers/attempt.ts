import * as vscode from 'vscode';
import { answerInputs, answerModals, answerPicks, answerSaveDialog, answerTypedPicks } from '../support/dialogs.js';

/** The outcome of one run of a command while no user agrees to anything. */
export interface Attempt {
  /** Questions about permissions in dialogs, and calls that waited in the Requests view. */
  questions: string[];
  error?: unknown;
}

const pollMs = 50;
const guardMs = 15_000;

/** Runs the work while every dialog is refused, every list is dismissed, and every waiting call is denied. */
export async function attempt(work: () => Thenable<unknown>): Promise<Attempt> {
  const outcome: Attempt = { questions: [] };
  const modals = answerModals(({ buttons }) => (buttons.includes('Deny') ? 'Deny' : undefined));
  const restores = [
    modals,
    answerPicks(() => undefined),
    answerInputs(() => undefined),
    answerTypedPicks(() => undefined),
    answerSaveDialog(() => undefined),
    silentMessages(),
    closedOpenDialogs(),
  ];
  try {
    let isDone = false;
    const ended = Promise.resolve(work()).then(
      () => (isDone = true),
      (error: unknown) => {
        isDone = true;
        outcome.error = error;
      },
    );
    const deadline = Date.now() + guardMs;
    while (!isDone && Date.now() < deadline) {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, pollMs))]);
      if (isDone) break;
      // Closes real lists, and answers a waiting call.
      await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
      await vscode.commands.executeCommand('mcpDeck.answerRequest');
    }
    if (!isDone) outcome.questions.push('It did not end.');
  } finally {
    for (const one of restores.toReversed()) one.restore();
  }
  outcome.questions.push(...modals.asked.map(({ message }) => message));
  return outcome;
}

function silentMessages(): { restore(): void } {
  const { showInformationMessage, showErrorMessage } = vscode.window;
  vscode.window.showInformationMessage = () => Promise.resolve(undefined);
  vscode.window.showErrorMessage = () => Promise.resolve(undefined);
  return { restore: () => Object.assign(vscode.window, { showInformationMessage, showErrorMessage }) };
}

function closedOpenDialogs(): { restore(): void } {
  const { showOpenDialog } = vscode.window;
  vscode.window.showOpenDialog = () => Promise.resolve(undefined);
  return { restore: () => Object.assign(vscode.window, { showOpenDialog }) };
}

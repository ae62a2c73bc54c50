import * as vscode from 'vscode';
import { HostError, isCancelled, messageOf } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import { failureActionLabel } from '../../core/present/failure/failureActions.js';
import { failedServer, failureMessage, noteServer } from '../../core/present/failure/failureText.js';
import type { Invocation } from './invocation.js';
import { offerFailureAction } from './performFailureAction.js';
import type { CommandId } from '../manifest.js';
import { showError, showWarning } from '../adapters/userMessages.js';

/** A button that is added to one message, besides the buttons for its kind of failure. */
export interface FailureExtra {
  title: string;
  run(): void;
}

/**
 * Handles all errors of commands. A cancellation shows no message. A known failure shows a message with suggested
 * actions. Any other error shows a short message, and its stack is written to the log. If a script called the command,
 * the script receives the error.
 */
export class CommandFunnel {
  constructor(private readonly log: Log) {}

  async run(id: CommandId, invocation: Invocation, work: () => Promise<unknown>): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      if (invocation.call) throw this.forCaller(id, error);
      if (isDeclined(error)) return undefined;
      if (invocation.onFailure) invocation.onFailure(error);
      else this.show(error, invocation.target?.server);
      return undefined;
    }
  }

  /** Shows the error without waiting for the user's answer. */
  show(
    error: unknown,
    server?: string,
    {
      extras = [],
      subject,
    }: {
      extras?: readonly FailureExtra[];
      /** The failed action, if the error does not state it. */
      subject?: string;
    } = {},
  ): void {
    const concerned = failedServer(error) ?? server;
    const message = failureMessage(error, {
      isWorkspaceTrusted: vscode.workspace.isTrusted,
      ...(concerned === undefined ? {} : { server: concerned }),
    });
    if (!message) return;
    if (isOwnDenial(error)) {
      // The user has just answered the question, so a status bar message that disappears is enough.
      vscode.window.setStatusBarMessage(message.text, 5_000);
      return;
    }
    if (message.isUnexpected) this.log.write('error', stackOf(error));
    const buttons = message.actions.map((action) => ({
      title: failureActionLabel(action, message.variable),
      run: () => offerFailureAction(action, message.isUnexpected ? undefined : concerned),
    }));
    this.tell(message.severity, subject === undefined ? message.text : `${subject}: ${message.text}`, [
      ...extras,
      ...buttons,
    ]);
  }

  /** Shows a message with buttons. Does not wait for the answer. */
  tell(severity: 'error' | 'warning', text: string, buttons: readonly { title: string; run(): unknown }[]): void {
    const show = severity === 'error' ? showError : showWarning;
    show(text, ...buttons)
      .then((chosen) => chosen?.run())
      .then(undefined, (failure: unknown) => this.log.write('error', stackOf(failure)));
  }

  /** The error for a script. It has the same message as for the user, no stack, and the property `code`. */
  private forCaller(id: CommandId, error: unknown): Error {
    if (isCancelled(error)) return new vscode.CancellationError();
    const message = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted });
    if (message?.isUnexpected) this.log.write('error', `${id}: ${stackOf(error)}`);
    const plain = new Error(message?.text ?? messageOf(error));
    return error instanceof HostError ? Object.assign(plain, { code: error.code, data: error.data }) : plain;
  }
}

/**
 * Records which server a failure belongs to, so that the message can mention the server and offer its log and a
 * restart.
 */
export async function concerning<T>(server: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    noteServer(error, server);
    throw error;
  }
}

/**
 * Whether the user declined the approval or the sign-in that the action led to. If so, no message is needed, because
 * the server's line in the tree shows what it is waiting for. The line of a running server does not show this, so a
 * message shows its errors.
 */
function isDeclined(error: unknown): boolean {
  if (!(error instanceof HostError) || error.data.isStillRunning === true) return false;
  return (
    (error.code === 'not-trusted' && vscode.workspace.isTrusted) ||
    (error.code === 'auth-required' && error.data.declined === true)
  );
}

/** Whether the user denied the call in the question about it. */
function isOwnDenial(error: unknown): boolean {
  return error instanceof HostError && error.code === 'call-refused' && error.data.by === 'user';
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

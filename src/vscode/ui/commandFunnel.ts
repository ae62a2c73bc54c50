import * as vscode from 'vscode';
import { HostError, isCancelled, messageOf } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import type { FailureAction } from '../../core/present/failure/failureText.js';
import { failedServer, failureMessage, noteServer } from '../../core/present/failure/failureText.js';
import type { Invocation } from './invocation.js';
import { UserChoice } from './invocation.js';
import type { CommandId } from '../manifest.js';
import { commandIds, viewIds } from '../manifest.js';
import { showError, showWarning } from '../adapters/userMessages.js';

/** A button that is added to one message, besides the buttons for its kind of failure. */
export interface FailureExtra {
  title: string;
  run(): void;
}

/**
 * Handles all errors of commands. A cancellation is silent. A known failure shows a message with suggested actions. Any
 * other error shows a short message, and its stack goes to the log. If a script called the command, the script receives
 * the error.
 */
export class CommandFunnel {
  constructor(private readonly log: Log) {}

  async run(id: CommandId, invocation: Invocation, work: () => Promise<unknown>): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      if (invocation.call) throw this.forCaller(id, error);
      if (!isDeclined(error)) this.show(error, invocation.target?.server);
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
    if (message.isUnexpected) this.log.write('error', stackOf(error));
    const buttons = message.actions.map((action) => ({
      title: actionTitle(action, message.variable),
      run: () => perform(action, message.isUnexpected ? undefined : concerned),
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
 * the server's line in the tree shows what it is waiting for. The line of a running server does not show this, so its
 * errors get a message.
 */
function isDeclined(error: unknown): boolean {
  if (!(error instanceof HostError) || error.data.isStillRunning === true) return false;
  return (
    (error.code === 'not-trusted' && vscode.workspace.isTrusted) ||
    (error.code === 'auth-required' && error.data.declined === true)
  );
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export function actionTitle(action: FailureAction, variable?: string): string {
  switch (action) {
    case 'showLog':
      return vscode.l10n.t('Show Log');
    case 'restartServer':
      return vscode.l10n.t('Restart Server');
    case 'startServer':
      return vscode.l10n.t('Start Server');
    case 'reviewTrust':
      return vscode.l10n.t('Review…');
    case 'manageWorkspaceTrust':
      return vscode.l10n.t('Manage Workspace Trust');
    case 'openConfiguration':
      return vscode.l10n.t('Open Configuration');
    case 'showRules':
      return vscode.l10n.t('Show Rules');
    case 'reviewChange':
      return vscode.l10n.t('Review Change…');
    case 'signIn':
      return vscode.l10n.t('Sign In');
    case 'showSignInTrace':
      return vscode.l10n.t('Show Sign-in Trace');
    case 'manageStoredValues':
      return vscode.l10n.t('Stored Values…');
    case 'tryAgain':
      return vscode.l10n.t('Try Again');
    case 'editServer':
      return vscode.l10n.t('Edit Server…');
    case 'diagnoseServer':
      return vscode.l10n.t('Diagnose');
    case 'showServers':
      return vscode.l10n.t('Show Servers');
    case 'setSecret':
      return variable === undefined ? vscode.l10n.t('Add API Key…') : vscode.l10n.t('Set {0}…', variable);
  }
}

/** Runs the action as a command, so that its own errors are handled here too. */
function perform(action: FailureAction, server: string | undefined): Thenable<unknown> {
  if (action === 'manageWorkspaceTrust') return vscode.commands.executeCommand('workbench.trust.manage');
  if (action === 'showServers') return vscode.commands.executeCommand(`${viewIds.servers}.focus`);
  const command = commandIds[action === 'tryAgain' ? 'restartServer' : action];
  // An empty argument object selects the log of MCP Deck instead of the log of a server.
  return vscode.commands.executeCommand(command, server === undefined ? {} : new UserChoice(command, { server }));
}

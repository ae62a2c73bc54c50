import * as vscode from 'vscode';
import { HostError, isCancelled, messageOf } from '../../core/base/hostError.js';
import type { Log } from '../../core/base/log.js';
import type { FailureAction } from '../../core/present/failure/failureText.js';
import { failedServer, failureMessage, noteServer } from '../../core/present/failure/failureText.js';
import type { Invocation } from './invocation.js';
import { UserChoice } from './invocation.js';
import type { CommandId } from '../manifest.js';
import { commandIds } from '../manifest.js';
import { showError, showWarning } from '../adapters/userMessages.js';

/** A button of one message only, besides those that belong to the kind of failure. */
export interface FailureExtra {
  title: string;
  run(): void;
}

/**
 * Where every error of a command ends: canceled is silent, a known failure is a message with the ways on, anything else
 * is a short message with its stack in the log. What a script asked for is thrown back to the script.
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

  /** Tells the user, without making anyone wait for the answer. */
  show(
    error: unknown,
    server?: string,
    {
      extras = [],
      subject,
    }: { extras?: readonly FailureExtra[]; /** What failed, where the error does not say it. */ subject?: string } = {},
  ): void {
    const concerned = failedServer(error) ?? server;
    const message = failureMessage(error, {
      isWorkspaceTrusted: vscode.workspace.isTrusted,
      ...(concerned === undefined ? {} : { server: concerned }),
    });
    if (!message) return;
    if (message.isUnexpected) this.log.write('error', stackOf(error));
    const buttons = message.actions.map((action) => ({
      title: actionTitle(action),
      run: () => perform(action, message.isUnexpected ? undefined : concerned),
    }));
    this.tell(message.severity, subject === undefined ? message.text : `${subject}: ${message.text}`, [
      ...extras,
      ...buttons,
    ]);
  }

  /** A message with buttons; nobody waits for it. */
  tell(severity: 'error' | 'warning', text: string, buttons: readonly { title: string; run(): unknown }[]): void {
    const show = severity === 'error' ? showError : showWarning;
    show(text, ...buttons)
      .then((chosen) => chosen?.run())
      .then(undefined, (failure: unknown) => this.log.write('error', stackOf(failure)));
  }

  /** A script gets the same words as a person, no stack, and `code` to act on. */
  private forCaller(id: CommandId, error: unknown): Error {
    if (isCancelled(error)) return new vscode.CancellationError();
    const message = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted });
    if (message?.isUnexpected) this.log.write('error', `${id}: ${stackOf(error)}`);
    const plain = new Error(message?.text ?? messageOf(error));
    return error instanceof HostError ? Object.assign(plain, { code: error.code, data: error.data }) : plain;
  }
}

/** Notes the server that a failure belongs to, so that the message can name it and offer its log and a restart. */
export async function concerning<T>(server: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    noteServer(error, server);
    throw error;
  }
}

/**
 * A click that led to the trust question or to a sign-in was answered there; the server's line says what it waits
 * for. Of one that runs on it says nothing.
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

function actionTitle(action: FailureAction): string {
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
  }
}

/** What a button does is a command, so that its own errors come through here as well. */
function perform(action: FailureAction, server: string | undefined): Thenable<unknown> {
  if (action === 'manageWorkspaceTrust') return vscode.commands.executeCommand('workbench.trust.manage');
  // Without a server only our own log is meant, which the empty call names.
  return vscode.commands.executeCommand(
    commandIds[action],
    server === undefined ? {} : new UserChoice(commandIds[action], { server }),
  );
}

import { showWarning } from '../adapters/userMessages.js';
import * as vscode from 'vscode';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { HostError } from '../../core/base/hostError.js';
import { Sequencer } from '../../core/base/sequencer.js';
import type { Audit } from '../../core/consent/audit.js';
import type { Reports } from './reports.js';
import type { Invocation } from './invocation.js';
import { auditCallerOf } from './invocation.js';
import { commandIds } from '../manifest.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { realFile } from './realFile.js';

/** The documentation pages that explain questions, as names of files in `docs` without `.md`. */
export type DocumentationPage =
  'agents' | 'checks' | 'commands-and-api' | 'import-and-export' | 'presets' | 'testing' | 'trust-and-rules';

/** A question about an action that is hard to undo. */
export interface SafeQuestion {
  message: string;
  detail: string;
  /** The page of the documentation that explains the question. */
  page: DocumentationPage;
  /** The title of the button that performs the action. */
  go: string;
  /**
   * Present if `detail` leaves out something. The dialog then has no button for the action: the user must open this
   * text before they can agree.
   */
  whole?: WholeText | undefined;
}

/** The complete text of a question that is too long for a dialog. */
export interface WholeText {
  title: string;
  text: string;
  texts: Pick<Reports, 'show'>;
}

/** Asks in a dialog and returns whether the user agreed. */
export async function askSafely(question: SafeQuestion): Promise<boolean> {
  return (await askInDialog(question)) && (await agreesToWhole(question));
}

/**
 * Returns whether the user pressed the button for the action, or for the whole text. In VS Code, pressing Enter chooses
 * the first button that does not close the dialog. So the first button here changes nothing: it opens the documentation
 * and closes the question. VS Code adds its own Cancel button.
 */
async function askInDialog({ message, detail, page, go, whole }: SafeQuestion): Promise<boolean> {
  const learn: vscode.MessageItem = { title: vscode.l10n.t('Learn More') };
  const agree: vscode.MessageItem = { title: whole ? vscode.l10n.t('Show All') : go };
  const answer = await showWarning(message, { modal: true, detail }, learn, agree);
  if (answer === learn) await vscode.commands.executeCommand(commandIds.openDocumentation, { page });
  return answer === agree;
}

/** Opens the whole text of a question, if it has one, and asks again. */
async function agreesToWhole({ message, go, whole }: SafeQuestion): Promise<boolean> {
  if (!whole) return true;
  await whole.texts.show(whole.title, whole.text);
  // This question is a notification, because a dialog would cover the text. A program can press the first button.
  const agree: vscode.MessageItem = { title: go };
  const cancel: vscode.MessageItem = { title: vscode.l10n.t('Cancel'), isCloseAffordance: true };
  return (await showWarning(message, {}, cancel, agree)) === agree;
}

/** Shows one dialog at a time, regardless of how often a command runs (security requirement C11). */
const dialogs = new Sequencer();

/** A question before a permission is widened. `detail` states the consequences. */
export interface WideningQuestion extends Omit<SafeQuestion, 'page'> {
  /** ID of the affected server, if there is one. */
  server?: string;
  /** See `SafeQuestion`; default: the page about questions of commands. */
  page?: DocumentationPage;
  /**
   * Whether the user expects the question, because the action always asks it. The dialog then does not say why it asks,
   * except for a command with arguments.
   */
  isExpected?: boolean;
}

/**
 * Asks the user before a permission is widened. A keybinding, a task, another extension, or a tool of a language model
 * can run a command, but only the user may widen permissions. Resolves if the user agrees; otherwise rejects with
 * `cancelled`.
 */
export async function askToWiden(
  audit: Audit,
  invocation: Invocation,
  { server, message, detail, page = 'commands-and-api', isExpected = false, go, whole }: WideningQuestion,
): Promise<void> {
  const reason = isExpected && !invocation.call ? [] : unprovenText(invocation);
  const question = { message, detail: [detail, ...reason].join('\n\n'), page, go, whole };
  // The question about a whole text is a notification. It can stay open for a long time, so other dialogs do not wait
  // for it.
  const isAgreed = (await dialogs.run(() => askInDialog(question))) && (await agreesToWhole(question));
  audit.note({
    event: 'widening',
    ...(server === undefined ? {} : { server }),
    caller: auditCallerOf(invocation),
    question: message,
    outcome: isAgreed ? 'allowed' : 'refused',
  });
  if (!isAgreed) throw new HostError('cancelled', 'The user did not agree.');
}

/**
 * Like `askToWiden`, but does not ask if the invocation proves that the user pressed a button of MCP Deck for this
 * action.
 */
export async function askUnlessProven(audit: Audit, invocation: Invocation, question: WideningQuestion): Promise<void> {
  if (invocation.isProven !== true) await askToWiden(audit, invocation, question);
}

function unprovenText(invocation: Invocation): string[] {
  if (invocation.call)
    return [
      vscode.l10n.t(
        'A command with arguments requested this action. The command comes from a keybinding, a task, or another extension, not from a click in MCP Deck.',
      ),
    ];
  return invocation.isProven === true
    ? []
    : [vscode.l10n.t('MCP Deck asks because tasks and other programs can also run this command.')];
}

/**
 * Asks before a command with arguments writes a file, because the arguments can contain any path and the content comes
 * from a server. The question shows the absolute path with symbolic links resolved, and whether a file is replaced.
 * Rejects with `cancelled` if the user does not agree.
 *
 * @param mayReplace if false, the caller does not replace an existing file but reports it, so no question is asked
 * about such a file.
 */
export async function askToWrite(audit: Audit, invocation: Invocation, file: string, mayReplace = true): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere && !mayReplace) return;
  const name = visibleLine(path.basename(file), 120);
  const place = visibleLine(await realFile(file), 4_000);
  await askToWiden(audit, invocation, {
    message: isThere ? vscode.l10n.t('Replace the file "{0}"?', name) : vscode.l10n.t('Write the file "{0}"?', name),
    detail: isThere
      ? vscode.l10n.t('The file is at {0}. Its current content is lost.', place)
      : vscode.l10n.t('The file is written to {0}.', place),
    go: isThere ? vscode.l10n.t('Replace') : vscode.l10n.t('Write File'),
  });
}

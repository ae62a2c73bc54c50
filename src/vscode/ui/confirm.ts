import { showWarning } from '../adapters/userMessages.js';
import * as vscode from 'vscode';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { HostError } from '../../core/base/hostError.js';
import { Sequencer } from '../../core/base/sequencer.js';
import type { Audit } from '../../core/consent/audit.js';
import type { Invocation } from './invocation.js';
import { isNamedUnproven, whoWants } from './invocation.js';
import { visibleLine } from '../../core/base/hostileText.js';

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

/** One dialog at a time, however often a command is run (security requirement C11). */
const dialogs = new Sequencer();

export interface WideningQuestion {
  /** Id of the server that it is about, where there is one. */
  server?: string;
  /** What would happen, as a question. */
  message: string;
  /** What that means. */
  detail: string;
  /** The title of the button that does it. */
  go: string;
}

/**
 * Asks before something is widened: anything can run a command (a keybinding, a task, another extension, a tool of a
 * model), and only the person may widen. Resolves when the answer is yes, rejects with `cancelled` otherwise.
 */
export function askToWiden(
  audit: Audit,
  invocation: Invocation,
  { server, message, detail, go }: WideningQuestion,
): Promise<void> {
  return dialogs.run(async () => {
    const who = unprovenText(invocation);
    const isAgreed = await askSafely({
      message,
      detail: [detail, ...who].join('\n\n'),
      keep: vscode.l10n.t('Keep as It Is'),
      go,
    });
    audit.note({
      event: 'widening',
      ...(server === undefined ? {} : { server }),
      caller: whoWants(invocation),
      question: message,
      outcome: isAgreed ? 'allowed' : 'refused',
    });
    if (!isAgreed) throw new HostError('cancelled', 'The person did not agree.');
  });
}

/** As `askToWiden`, except where the user is proven to have pressed a button of ours for exactly this. */
export async function askUnlessProven(audit: Audit, invocation: Invocation, question: WideningQuestion): Promise<void> {
  if (invocation.isProven !== true) await askToWiden(audit, invocation, question);
}

/** As `askUnlessProven`, except where the command had no argument: then the user has picked the item from a list. */
export async function askUnlessPicked(audit: Audit, invocation: Invocation, question: WideningQuestion): Promise<void> {
  if (isNamedUnproven(invocation)) await askToWiden(audit, invocation, question);
}

function unprovenText(invocation: Invocation): string[] {
  if (invocation.call)
    return [
      vscode.l10n.t(
        'A command with arguments asks for this: a keybinding, a task or another extension, not a click of yours here.',
      ),
    ];
  return isNamedUnproven(invocation)
    ? [vscode.l10n.t('You are asked because tasks and other programs can run this command as well as a click.')]
    : [];
}

/**
 * Asks before a command with arguments writes a file: it can name any place, and what is written came from a server. The
 * question shows the whole path, with links followed, and says whether a file is replaced. Rejects with `cancelled`.
 * @param mayReplace false: a file that is there stays, which its writer says, so nothing is asked about it.
 */
export async function askToWrite(audit: Audit, invocation: Invocation, file: string, mayReplace = true): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (isThere && !mayReplace) return;
  const name = visibleLine(path.basename(file), 120);
  const place = visibleLine(await realPlace(file), 4_000);
  await askToWiden(audit, invocation, {
    message: isThere ? vscode.l10n.t('Replace the file "{0}"?', name) : vscode.l10n.t('Write the file "{0}"?', name),
    detail: isThere
      ? vscode.l10n.t('It is at {0}. What it holds now is lost.', place)
      : vscode.l10n.t('It is written to {0}.', place),
    go: isThere ? vscode.l10n.t('Replace') : vscode.l10n.t('Write File'),
  });
}

/** A folder that does not exist has no links to follow. */
async function realPlace(file: string): Promise<string> {
  const whole = path.resolve(file);
  const folder = await realpath(path.dirname(whole)).catch(() => path.dirname(whole));
  return path.join(folder, path.basename(whole));
}

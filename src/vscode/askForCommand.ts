import * as vscode from 'vscode';
import { HostError } from '../core/base/hostError.js';
import { Sequencer } from '../core/base/sequencer.js';
import { askSafely } from './askSafely.js';
import type { Audit } from '../core/consent/audit.js';
import type { Invocation } from './invocation.js';
import { isNamedUnproven, whoWants } from './invocation.js';

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
export function askToWiden(audit: Audit, invocation: Invocation, { server, message, detail, go }: WideningQuestion): Promise<void> {
  return dialogs.run(async () => {
    const who = unprovenText(invocation);
    const isAgreed = await askSafely({ message, detail: [detail, ...who].join('\n\n'), keep: vscode.l10n.t('Keep as It Is'), go });
    audit.note({ event: 'widening', ...(server === undefined ? {} : { server }), caller: whoWants(invocation), question: message, outcome: isAgreed ? 'allowed' : 'refused' });
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
  if (invocation.call) return [vscode.l10n.t('A command with arguments asks for this: a keybinding, a task or another extension, not a click of yours here.')];
  return isNamedUnproven(invocation) ? [vscode.l10n.t('You are asked because tasks and other programs can run this command as well as a click.')] : [];
}

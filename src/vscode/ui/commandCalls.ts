import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { ToolCallOptions } from '../../core/catalog/hostApi.js';
import type { HostApi } from '../../core/host/hostApi.js';
import type { Caller } from '../../core/consent/rule.js';
import { askSafely } from './confirm.js';
import type { Invocation } from './invocation.js';
import { calledServer } from './calledServer.js';
import type { Consent } from './openConsent.js';

/** Who has a tool run by a command, as the gate of calls is told. */
export type CommandCaller = Pick<ToolCallOptions, 'caller' | 'isAtHand'>;

/**
 * What is known of who started a run: `user` where a button of ours proves it or the user has just answered a question about
 * it, `script` where an argument object was passed, `unknown` for a click or a key that VS Code does not tell from a program.
 */
export type RunStarter = 'user' | 'script' | 'unknown';

export function starterOf({ isProven, call }: Invocation): RunStarter {
  if (isProven) return 'user';
  return call ? 'script' : 'unknown';
}

/**
 * The caller of a run. An unknown starter counts as a script, whose question is asked at once; where a rule keeps scripts from
 * the tool, the user is asked whether it is them, and runs it as the user if so. Rejects with `cancelled` if not.
 */
export async function callerOf(
  deck: { host: Pick<HostApi, 'servers'>; consent: Consent },
  starter: RunStarter,
  { server, tool: name, arguments: values }: { server: string; tool: string; arguments: Record<string, unknown> },
): Promise<CommandCaller> {
  if (starter !== 'unknown') return { caller: starter };
  const view = deck.host.servers.get(server);
  const tool = view?.offer?.tools.find((one) => one.name === name) ?? { name, inputSchema: {} };
  const foreseen = (caller: Caller) =>
    view && deck.consent.calls.foresee({ server: calledServer(view), tool, arguments: values, caller });
  if (foreseen('script') !== 'deny' || foreseen('user') === 'deny') return { caller: 'script', isAtHand: true };
  const isUser = await askSafely({
    message: vscode.l10n.t('Run "{0}" of "{1}" yourself?', visibleLine(name, 80), visibleLine(server, 60)),
    detail: vscode.l10n.t(
      'A rule denies this call to commands, and tasks and other programs can run this command as well as you. Run it only if you have just asked for it.',
    ),
    keep: vscode.l10n.t('Do Not Run'),
    go: vscode.l10n.t('Run Tool'),
  });
  if (!isUser) throw new HostError('cancelled', 'The user did not start the run.');
  return { caller: 'user' };
}

import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { visibleName } from '../../core/base/visibleName.js';
import type { ToolCallOptions } from '../../core/catalog/hostTypes.js';
import type { HostApi } from '../../core/host/hostApi.js';
import type { Caller, Effect, WayOfStart } from '../../core/consent/rule.js';
import { askSafely } from './confirm.js';
import type { Invocation } from './invocation.js';
import { calledServer } from './configuredServers.js';
import type { Consent } from './openConsent.js';

/** The caller of a tool call that a command starts, as passed to the tool consent. */
export type CommandCaller = Pick<ToolCallOptions, 'caller' | 'asksAtOnce'>;

/**
 * Who started a run.
 * - `user`: the user, because a button of MCP Deck proves it, or because the user has just answered a question about
 *   the run.
 * - `script`: a caller that passed an argument object.
 * - `unknown`: a click, a key or a program, which VS Code does not distinguish.
 */
export type RunStarter = 'user' | 'script' | 'unknown';

interface RequestedRun {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

/** Who started the command, for the record of its run. */
export function starterOf({ isProven, call }: Invocation): RunStarter {
  if (isProven) return 'user';
  return call ? 'script' : 'unknown';
}

/**
 * The caller of a run. An unknown starter is treated as a script, but its approval question is shown immediately. If a
 * rule denies the tool to scripts but not to the user, the user is asked to confirm the run, and the result is `user`.
 * Rejects with `cancelled` if the user does not confirm.
 */
export async function callerOf(
  deck: { host: Pick<HostApi, 'servers'>; consent: Consent },
  starter: RunStarter,
  call: RequestedRun,
  way: WayOfStart = 'command',
): Promise<CommandCaller> {
  if (starter !== 'unknown') return { caller: starter };
  const { server, tool: name } = call;
  if (effectFor(deck, call, 'script') !== 'deny' || effectFor(deck, call, 'user') === 'deny')
    return { caller: 'script', asksAtOnce: way };
  const isUser = await askSafely({
    message: vscode.l10n.t('Run "{0}" of "{1}" as your own call?', visibleName(name, 80), visibleName(server, 60)),
    detail:
      way === 'chat'
        ? vscode.l10n.t(
            'A rule denies this call for commands and chat messages. Another extension can send a message to the chat in your name, so continue only if you sent it.',
          )
        : vscode.l10n.t(
            'A rule denies this call for commands. Tasks and other programs can run this command too, so continue only if you started it.',
          ),
    page: 'commands-and-api',
    go: vscode.l10n.t('Run Tool'),
  });
  if (!isUser) throw new HostError('cancelled', 'The user did not start the run.');
  return { caller: 'user' };
}

/**
 * Whether approval is needed only because the starter is unknown: the rules would allow the call if the user made it.
 * The panel of the tool can then replace the question, because its Run button proves that the user runs the tool.
 */
export function asksOnlyForStarter(
  deck: { host: Pick<HostApi, 'servers'>; consent: Consent },
  starter: RunStarter,
  call: RequestedRun,
): boolean {
  return (
    starter === 'unknown' && effectFor(deck, call, 'script') === 'ask' && effectFor(deck, call, 'user') === 'allow'
  );
}

/** The effect of the rules on a call by this caller; undefined if the server is not configured. */
function effectFor(
  deck: { host: Pick<HostApi, 'servers'>; consent: Consent },
  { server, tool: name, arguments: values }: RequestedRun,
  caller: Caller,
): Effect | undefined {
  const view = deck.host.servers.get(server);
  const tool = view?.features?.tools.find((one) => one.name === name) ?? { name, inputSchema: {} };
  return view && deck.consent.calls.preview({ server: calledServer(view), tool, arguments: values, caller });
}

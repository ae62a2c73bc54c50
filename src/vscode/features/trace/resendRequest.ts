import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { messageOf } from '../../../core/base/hostError.js';
import { ProtocolError } from '../../../core/protocol/jsonRpc.js';
import type { TraceEntry } from '../../../core/trace/traceMessage.js';
import { resendParams } from '../../../core/present/documents/traceRows.js';
import type { ExtensionServices } from '../../ui/services.js';

/** The text that replaces a secret. */
const dots = '•••';

/**
 * Sends a recorded request again with edited parameters and a new ID. A tool call is subject to the same approval as
 * any run. The trace shows the response.
 */
export function resend(
  deck: Pick<ExtensionServices, 'host' | 'funnel'>,
  server: string | undefined,
  entry: TraceEntry | undefined,
  text: string,
): { problem?: string } {
  const { host, funnel } = deck;
  if (server === undefined || !entry || entry.method === undefined || resendParams(entry) === undefined)
    return { problem: vscode.l10n.t('This message is no longer stored, or it cannot be sent again.') };
  let params: unknown;
  try {
    params = JSON.parse(text);
  } catch (error) {
    return { problem: vscode.l10n.t('This text is not JSON: {0}', messageOf(error)) };
  }
  if (!isObject(params))
    return { problem: vscode.l10n.t('The parameters of a request must be an object: {0}.', '{ … }') };
  if (text.includes(dots))
    return { problem: vscode.l10n.t('A secret was omitted. Enter it in place of the dots ({0}).', dots) };
  if (host.servers.get(server)?.state.kind !== 'running')
    return {
      problem: vscode.l10n.t('"{0}" is not running, so it cannot receive messages. Start the server first.', server),
    };
  host.traces.start(server);
  host.calls.sendRequest({ server, method: entry.method, params }, { interactive: true }).catch((error: unknown) => {
    // The trace already contains an error response of the server, so no message is needed.
    if (!(error instanceof ProtocolError)) funnel.show(error, server);
  });
  return {};
}

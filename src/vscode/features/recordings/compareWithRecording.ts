import path from 'node:path';
import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { SecretFinder } from '../../../core/base/secretFinder.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { jsonPieces } from '../../../core/present/text/jsonPieces.js';
import type { ComparedRequest, Comparison } from '../../../core/testing/recording/compareRecording.js';
import type { Recording } from '../../../core/testing/recording/recordingModel.js';
import { showInformation, withProgress } from '../../adapters/userMessages.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { concerning } from '../../ui/commandFunnel.js';
import { askToWiden } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import { chooseRecording } from './chooseRecording.js';

type Services = Pick<ExtensionServices, 'comparisons' | 'consent' | 'host' | 'questionTexts'>;

/** The result that a script receives. */
interface ComparisonReport {
  compared: number;
  /** The number of requests that were not sent; see `Comparison.skipped`. */
  skipped: number;
  differences: { request: string; params: Record<string, unknown>; paths: string[] }[];
}

/** Limits of the question and of the shown documents: tools, length of a name, and characters of each document. */
const maxTools = 20;
const maxName = 80;
const maxDocument = 4 << 20;

/** "Compare with Recording…": sends the recorded requests to the server again, and shows the answers that differ. */
export async function compareWithRecording(
  deck: Services,
  invocation: Invocation<'compareRecording'>,
): Promise<ComparisonReport | undefined> {
  const { host } = deck;
  const title = vscode.l10n.t('Compare with Recording');
  const { id, state } = await chooseServer(host.servers, invocation, {
    title,
    isCandidate: ({ entry }) => entry.isEnabled,
    noneMessage: vscode.l10n.t('No server is enabled.'),
  });
  const file = await chooseRecording(invocation, title);
  const { readRecording } = await import('../../../core/testing/onDemand.js');
  const recording = await readRecording(file);
  if (state.kind !== 'running')
    await concerning(id, host.lifecycle.start(id, { interactive: invocation.call === undefined }));
  await confirmCalls(deck, invocation, id, recording);
  const comparison = await concerning(id, compareVisibly(deck, id, recording));
  const { compared, skipped } = comparison;
  const different = compared.filter(({ differences }) => differences.length > 0);
  if (!invocation.call) {
    await show(deck, id, file, comparison, different);
    return undefined;
  }
  return {
    compared: compared.length,
    skipped: skipped.length,
    differences: different.map(({ request: { request, params }, differences }) => ({
      request,
      params,
      paths: differences.map((one) => one.path),
    })),
  };
}

/**
 * Asks before tools are called; for a command with arguments, also if the recording calls no tools. All tools of the
 * recording are named, because the recording and the server cannot prove that a tool only reads. If there are too many
 * for the question, the user must open a text with all of them first. Rules about calls apply in addition.
 */
async function confirmCalls(
  { consent, host, questionTexts }: Services,
  invocation: Invocation,
  server: string,
  recording: Recording,
): Promise<void> {
  const { calledTools } = await import('../../../core/testing/onDemand.js');
  const called = calledTools(recording);
  if (called.size === 0 && !invocation.call) return;
  const tools = host.servers.get(server)?.features?.tools ?? [];
  const detail = (maxCount: number, maxLength: number) => {
    if (called.size === 0) return vscode.l10n.t('The recording calls no tools.');
    const lines = [...called].slice(0, maxCount).map(([name, count]) => {
      const isReading = tools.find((tool) => tool.name === name)?.annotations?.readOnlyHint === true;
      const line = `${visibleName(name, maxLength)} (${count})`;
      return isReading ? vscode.l10n.t('{0} (read-only according to the server)', line) : line;
    });
    if (called.size > lines.length) lines.push('…');
    return vscode.l10n.t('The recording calls these tools, which can change something:\n{0}', lines.join('\n'));
  };
  const shown = detail(maxTools, maxName);
  const text = detail(Infinity, Infinity);
  await askToWiden(consent.audit, invocation, {
    server,
    message: vscode.l10n.t('Send the recorded requests to "{0}"?', visibleName(server)),
    detail: shown,
    go: vscode.l10n.t('Send Requests'),
    whole: text === shown ? undefined : { title: vscode.l10n.t('Compare with Recording'), text, texts: questionTexts },
  });
}

async function compareVisibly({ host }: Services, server: string, recording: Recording): Promise<Comparison> {
  const { compareRecording, described } = await import('../../../core/testing/onDemand.js');
  const title = vscode.l10n.t('Comparing "{0}" with the recording', visibleName(server));
  const location = vscode.ProgressLocation.Notification;
  return withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const abort = new AbortController();
    const listener = token.onCancellationRequested(() =>
      abort.abort(new HostError('cancelled', 'The comparison was canceled.')),
    );
    try {
      return await compareRecording(recording, {
        host,
        server,
        signal: abort.signal,
        onRequest: ({ request, params }, index, count) =>
          progress.report({
            message: `${index + 1}/${count} ${visibleLine(described(request, params), 80)}`,
            increment: 100 / count,
          }),
      });
    } finally {
      listener.dispose();
    }
  });
}

async function show(
  { comparisons, host }: Services,
  server: string,
  file: string,
  { compared, skipped }: Comparison,
  different: readonly ComparedRequest[],
): Promise<void> {
  const left = skipped.length > 0 ? [notSent(skipped.length)] : [];
  const same = vscode.l10n.t(
    'Answers of "{0}" that match the recording: {1} of {2}.',
    visibleName(server),
    compared.length - different.length,
    compared.length,
  );
  void showInformation([same, ...left].join(' '));
  if (different.length === 0) return;
  const name = visibleLine(path.basename(file), 80);
  const secrets = new SecretFinder(host.servers.secretValues(server));
  await comparisons.compare(
    vscode.l10n.t('{0} (recorded) ↔ {1} (now)', name, visibleName(server, 60)),
    [vscode.l10n.t('{0} recorded', name) + '.json', vscode.l10n.t('{0} now', visibleName(server, 60)) + '.json'],
    [
      requestsText(different, ({ expected }) => expected),
      secrets.mask(requestsText(different, ({ actual }) => actual)),
    ],
  );
}

function notSent(count: number): string {
  return vscode.l10n.t(
    'Requests that were not sent, because parts of them are redacted, or because a comparison does not send requests of their method: {0}.',
    count,
  );
}

/** The requests with one of their two answers, as JSON. */
function requestsText(different: readonly ComparedRequest[], answerOf: (one: ComparedRequest) => unknown): string {
  const texts: string[] = [];
  let length = 0;
  for (const one of different) {
    const { request, params } = one.request;
    for (const piece of jsonPieces({ request, params, answer: answerOf(one) })) {
      texts.push(piece);
      length += piece.length;
      if (length > maxDocument) return [...texts, '\n…\n'].join('');
    }
    texts.push('\n');
  }
  return texts.join('');
}

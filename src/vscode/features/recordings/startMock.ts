import * as vscode from 'vscode';
import { freeName, slugOf } from '../../../core/base/freeName.js';
import { HostError } from '../../../core/base/hostError.js';
import { canonicalJson } from '../../../core/base/jsonText.js';
import { whenFound } from '../../../core/base/whenFound.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { ScratchMock } from '../../../core/registry/scratchServers.js';
import { scratchSource } from '../../../core/registry/scratchServers.js';
import type { RecordedHead } from '../../../core/testing/recording/recordingModel.js';
import { withProgress } from '../../adapters/userMessages.js';
import { concerning } from '../../ui/commandFunnel.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import { chooseRecording } from './chooseRecording.js';

type Services = Pick<ExtensionServices, 'host' | 'revealServer' | 'scratch'>;

/**
 * "Start Mock…": adds a server that gives the answers of a recording, and starts it after the user has approved the
 * start. For a script, rejects if the start is not approved yet; otherwise, returns the ID of the server. The server
 * exists only in this window.
 */
export async function startMock(deck: Services, invocation: Invocation<'startMock'>): Promise<string> {
  const file = await chooseRecording(invocation, vscode.l10n.t('Start Mock'));
  const { readRecording } = await import('../../../core/testing/onDemand.js');
  const { head } = await withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading the recording…') },
    () => readRecording(file),
  );
  const { call } = invocation;
  const options = call ? namedOptions(call) : await askForOptions(head);
  const view = await addMock(deck, head, { ...options, mock: { file, ...options.mock } });
  const { id, entry } = view;
  const shown = { name: entry.name, source: entry.source.id };
  deck.revealServer(shown);
  await concerning(id, deck.host.lifecycle.start(id, { interactive: call === undefined }));
  deck.revealServer(shown);
  return id;
}

type MockChoice = Pick<ScratchMock, 'protocol'> & { mock: Omit<ScratchMock['mock'], 'file'> };

function namedOptions({
  legacy,
  strict,
  latency,
}: {
  legacy?: unknown;
  strict?: unknown;
  latency?: unknown;
}): MockChoice {
  return {
    ...(typeof legacy === 'boolean' ? { protocol: legacy ? 'legacy' : '2026-07-28' } : {}),
    mock: { ...(strict === true ? { isStrict: true } : {}), ...(latency === true ? { hasLatency: true } : {}) },
  };
}

/**
 * Asks how the mock answers. Without a selection, the mock answers immediately, in the recorded version of the
 * protocol.
 */
async function askForOptions({ era, revision }: RecordedHead): Promise<MockChoice> {
  const strict: vscode.QuickPickItem = {
    label: vscode.l10n.t('Strict'),
    detail: vscode.l10n.t(
      'Refuse requests with redacted values, and refuse answers that differ from the recorded answers to the same server request',
    ),
  };
  const latency: vscode.QuickPickItem = {
    label: vscode.l10n.t('With Delays'),
    detail: vscode.l10n.t('Answer as slowly as the recorded server'),
  };
  const other: vscode.QuickPickItem = {
    label: era === 'legacy' ? vscode.l10n.t('MCP 2026-07-28') : vscode.l10n.t('MCP 2025-11-25'),
    detail: vscode.l10n.t('Use this version of the protocol instead of the recorded version, {0}', revision),
  };
  const picked = await vscode.window.showQuickPick([strict, latency, other], {
    title: vscode.l10n.t('Start Mock'),
    placeHolder: vscode.l10n.t('Press Enter to start the mock, or select options first'),
    canPickMany: true,
  });
  if (!picked) throw new HostError('cancelled', 'The user canceled the options.');
  const isLegacy = (era === 'legacy') !== picked.includes(other);
  return namedOptions({ legacy: isLegacy, strict: picked.includes(strict), latency: picked.includes(latency) });
}

/** Adds the mock, or finds a mock that serves the same recording with the same options. Starts nothing. */
async function addMock({ host, scratch }: Services, { server }: RecordedHead, added: ScratchMock): Promise<ServerView> {
  const { mock, protocol } = added;
  const wanted = canonicalJson({ mock, protocol });
  const same = host.servers
    .list()
    .find(
      ({ entry: { definition } }) =>
        definition.type === 'builtin' &&
        canonicalJson({ mock: definition.mock, protocol: definition.protocol }) === wanted,
    );
  if (same) return same;
  const name = freeName(
    slugOf(server.slice(0, 60), 'mock'),
    new Set([...scratch.names, ...host.servers.list().map(({ id }) => id)]),
  );
  scratch.setMock(name, added);
  const { id } = scratchSource(name);
  const view = await whenFound(host.servers.onDidChange, () =>
    host.servers.list().find(({ entry }) => entry.source.id === id),
  );
  if (!view) throw new HostError('internal', `The mock "${name}" did not appear.`);
  return view;
}

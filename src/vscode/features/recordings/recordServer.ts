import path from 'node:path';
import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { onStorage } from '../../../core/base/storageFailure.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { fileNameOf } from '../../../core/present/text/fileName.js';
import type { Recording } from '../../../core/testing/recording/recordingModel.js';
import { recordingEnding } from '../../../core/testing/recording/recordingModel.js';
import { showInformation } from '../../adapters/userMessages.js';
import { commandIds } from '../../manifest.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { concerning } from '../../ui/commandFunnel.js';
import { askToWrite } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import { OfferedTarget } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import { namedFile, recordingFilters } from './chooseRecording.js';
import type { RunningRecordings } from './runningRecordings.js';

/** The facts about a saved recording that a script receives. */
export interface SavedRecording {
  file: string;
  /** Number of requests in the recording. */
  requests: number;
  /** Requests that are missing because they were not answered or were too long. */
  skipped: number;
  /** The places where secrets were replaced with dots, each with its request. */
  redacted: string[];
}

/** Maximum number of redacted places that the message names. */
const maxNamed = 3;

/** "Record…": starts to record the messages of a server. Starts the server if it is not running. */
export async function recordServer(
  { host }: Pick<ExtensionServices, 'host'>,
  recordings: RunningRecordings,
  invocation: Invocation<'recordServer'>,
): Promise<void> {
  const { id, state } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Record Server'),
    isCandidate: ({ entry, isRecorded }) => entry.isEnabled && isRecorded !== true,
    noneMessage: vscode.l10n.t('No server can be recorded.'),
  });
  if (recordings.get(id))
    throw new UserError(vscode.l10n.t('"{0}" is already being recorded. Stop the recording first.', visibleName(id)));
  const { recordingLimits } = await import('../../../core/testing/onDemand.js');
  // The handshake is part of the recording, so the recording begins before the start.
  recordings.start(id, recordingLimits);
  try {
    if (state.kind !== 'running')
      await concerning(id, host.lifecycle.start(id, { interactive: invocation.call === undefined }));
  } catch (error) {
    recordings.stop(id);
    throw error;
  }
  if (!invocation.call) void offerToStop(id);
}

async function offerToStop(server: string): Promise<void> {
  const stop = vscode.l10n.t('Stop and Save…');
  const answer = await showInformation(
    vscode.l10n.t(
      'Recording "{0}". Use its tools, resources, and prompts, and then stop the recording.',
      visibleName(server),
    ),
    stop,
  );
  if (answer === stop) await vscode.commands.executeCommand(commandIds.stopRecording, new OfferedTarget({ server }));
}

/**
 * "Stop Recording…": asks for a file, writes the recording without secrets, and states what was left out. If the user
 * chooses no file, the recording continues.
 */
export async function stopRecording(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  recordings: RunningRecordings,
  invocation: Invocation<'stopRecording'>,
): Promise<SavedRecording | undefined> {
  const view = await recordedServer(deck, recordings, invocation);
  const file = await fileFor(deck, view.id, recordings, invocation);
  const saved = await save(deck, recordings, view.id, file);
  if (invocation.call) return saved;
  void tell(view.id, saved);
  return undefined;
}

async function recordedServer(
  { host }: Pick<ExtensionServices, 'host'>,
  recordings: RunningRecordings,
  invocation: Invocation<'stopRecording'>,
): Promise<ServerView> {
  const recorded = host.servers.list().filter(({ id }) => recordings.get(id));
  const [only, ...others] = recorded;
  if (only && others.length === 0 && !invocation.call && invocation.target?.server === undefined) return only;
  const view = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Stop Recording'),
    isCandidate: ({ id }) => recordings.get(id) !== undefined,
    noneMessage: vscode.l10n.t('No server is being recorded.'),
  });
  if (recordings.get(view.id)) return view;
  throw new UserError(vscode.l10n.t('"{0}" is not being recorded.', visibleName(view.id)));
}

async function fileFor(
  { consent }: Pick<ExtensionServices, 'consent'>,
  server: string,
  recordings: RunningRecordings,
  invocation: Invocation<'stopRecording'>,
): Promise<string> {
  if (invocation.call) {
    const file = namedFile(invocation.call.file);
    await askToWrite(consent.audit, invocation, file);
    return file;
  }
  const name = fileNameOf(server, 'server') + recordingEnding;
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const uri = await vscode.window.showSaveDialog({
    defaultUri: folder ? vscode.Uri.joinPath(folder.uri, name) : vscode.Uri.file(path.resolve(name)),
    filters: recordingFilters(),
    title: vscode.l10n.t('Save Recording'),
  });
  if (uri) return uri.fsPath;
  void offerToDiscard(server, recordings);
  throw new HostError('cancelled', 'No file was chosen.');
}

async function offerToDiscard(server: string, recordings: RunningRecordings): Promise<void> {
  const discard = vscode.l10n.t('Discard Recording');
  const answer = await showInformation(
    vscode.l10n.t('The recording of "{0}" was not saved. It continues.', visibleName(server)),
    discard,
  );
  if (answer === discard) recordings.stop(server);
}

/** Writes the recording and stops it. If it cannot be written, the recording continues. */
async function save(
  { host }: Pick<ExtensionServices, 'host'>,
  recordings: RunningRecordings,
  server: string,
  file: string,
): Promise<SavedRecording> {
  const { makeRecording, readRecording, writeRecording } = await import('../../../core/testing/onDemand.js');
  const log = recordings.get(server)?.log;
  if (!log) throw new UserError(vscode.l10n.t('"{0}" is not being recorded.', visibleName(server)));
  const features = host.servers.get(server)?.features;
  const { recording, skipped } = await makeRecording({
    log,
    server,
    secrets: host.servers.secretValues(server),
    features,
  });
  await onStorage({ operation: 'write', thing: file, server }, () => writeRecording(file, recording));
  recordings.stop(server);
  // Some secrets are found only when the lines are written.
  return { file, skipped, ...(await contentOf(await readRecording(file))) };
}

async function contentOf(recording: Recording): Promise<Pick<SavedRecording, 'requests' | 'redacted'>> {
  const { described, requestsOf } = await import('../../../core/testing/onDemand.js');
  const requests = requestsOf(recording);
  const redacted = requests.flatMap(({ request, params, redacted: places = [] }) =>
    places.map((place) => `${described(request, { name: params['name'], uri: params['uri'] })}: ${place}`),
  );
  return { requests: requests.length, redacted };
}

async function tell(server: string, { file, requests, skipped, redacted }: SavedRecording): Promise<void> {
  const named = redacted.slice(0, maxNamed).map((place) => visibleLine(place, 120));
  const texts = [
    vscode.l10n.t(
      'Requests recorded for "{0}": {1}. The recording is in "{2}".',
      visibleName(server),
      requests,
      visibleLine(path.basename(file), 100),
    ),
    ...(redacted.length > 0
      ? [
          vscode.l10n.t(
            'Values that were replaced by •••, because they are secret: {0} ({1}).',
            redacted.length,
            [...named, ...(redacted.length > maxNamed ? ['…'] : [])].join(', '),
          ),
        ]
      : []),
    ...(skipped > 0
      ? [vscode.l10n.t('Requests that are missing because they were not answered or were too long: {0}.', skipped)]
      : []),
  ];
  const open = vscode.l10n.t('Open Recording');
  const mock = vscode.l10n.t('Start Mock…');
  const answer = await showInformation(texts.join(' '), open, mock);
  if (answer === open) await vscode.window.showTextDocument(vscode.Uri.file(file));
  if (answer === mock) await vscode.commands.executeCommand(commandIds.startMock, vscode.Uri.file(file));
}

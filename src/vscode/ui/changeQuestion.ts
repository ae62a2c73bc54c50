import os from 'node:os';
import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { describePortable } from '../../core/interchange/portableDefinition.js';
import type { StartQuestion } from '../../core/present/questions/startQuestion.js';
import { startSections } from '../../core/present/questions/startQuestion.js';
import type { ServerEntry } from '../../core/registry/serverEntry.js';
import type { OwnPlace } from '../adapters/ownPlaces.js';
import { inputsAt } from '../adapters/ownPlaces.js';

/**
 * The question before MCP Deck writes a definition for a command with arguments, as a copy, or as an update. It shows
 * everything that the definition would run. Rejects if the definition is invalid.
 */
export async function changeQuestion(
  message: string,
  name: string,
  fields: Readonly<Record<string, unknown>>,
  { inputs }: ServerEntry,
  place: OwnPlace,
): Promise<StartQuestion> {
  const known = await inputsAt(place, inputs);
  const description = describePortable({ name, fields }, known, place.source, os.homedir());
  if ('problem' in description) throw new HostError('invalid-arguments', description.problem);
  const ending =
    place.kind === 'user'
      ? vscode.l10n.t('Servers in your user settings start without asking you again.')
      : vscode.l10n.t('You are asked again before the server first runs with this definition.');
  return { message, detail: [...startSections(description), ending].join('\n\n') };
}

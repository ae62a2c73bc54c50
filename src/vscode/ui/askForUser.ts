import os from 'node:os';
import * as vscode from 'vscode';
import { HostError, UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { InputDefinition } from '../../core/config/serverDefinition.js';
import type { PortableServer } from '../../core/interchange/portableServer.js';
import { describePortable } from '../../core/interchange/portableDefinition.js';
import { userServerQuestions } from '../../core/present/questions/installQuestion.js';
import { inputsAt, userPlace } from '../adapters/ownPlaces.js';
import { askSafely } from './confirm.js';

/**
 * Asks for approval before servers are written to the user settings, because servers in the user settings start without
 * approval. The question shows everything that the servers would run, regardless of the caller. Returns the names of
 * the approved servers. Rejects with `cancelled` if the user approves none.
 */
export async function askForUser(
  servers: readonly PortableServer[],
  inputs: readonly InputDefinition[],
  from: string,
): Promise<ReadonlySet<string>> {
  const place = userPlace();
  const known = await inputsAt(place, inputs);
  const newcomers = servers.map((server) => {
    const description = describePortable(server, known, place.source, os.homedir());
    if ('problem' in description)
      throw new UserError(
        vscode.l10n.t(
          'The server "{0}" cannot be used in MCP Deck. {1}',
          visibleLine(server.name),
          description.problem,
        ),
      );
    return { name: server.name, description };
  });
  const agreed = new Set<string>();
  for (const { message, detail, names } of userServerQuestions(newcomers, from)) {
    if (await askSafely({ message, detail, page: 'trust-and-rules', go: vscode.l10n.t('Add to User Settings') }))
      for (const name of names) agreed.add(name);
  }
  if (agreed.size === 0) throw new HostError('cancelled', 'Nothing was written.');
  return agreed;
}

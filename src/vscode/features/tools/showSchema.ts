import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { schemaDocument } from '../../../core/present/documents/definitionText.js';
import { namedServer } from '../../ui/chooseServer.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';

/** "Show Schema": opens the input and the output schema of a tool as a read-only document. */
export const showSchemaCommand: Feature = {
  name: 'show schema',
  register({ commands, host, results }) {
    return commands.defineCommand(commandIds.showSchema, async ({ call, target }) => {
      const { id, features } = namedServer(host.servers, call ? call.server : target?.server);
      const name = call ? call.tool : target?.tool;
      const tool = features?.tools.find((one) => one.name === name);
      if (tool) {
        const title = `${visibleLine(tool.name, 80)} - ${vscode.l10n.t('schema')}`;
        await results.open({ title, isError: false, summary: '', document: schemaDocument(tool), files: [] });
      } else if (features)
        throw new HostError('invalid-arguments', vscode.l10n.t('The server "{0}" does not offer this tool.', id));
      else throw new UserError(vscode.l10n.t('The server "{0}" is not running. Start it to see its tools.', id));
    });
  },
};

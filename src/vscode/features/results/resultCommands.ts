import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { UserError } from '../../../core/base/hostError.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';

/** The command of the *Open Result* button below a result in the chat. */
export const resultCommands: Feature = {
  name: 'result commands',
  register({ commands, results }): Disposable {
    return commands.defineCommand(commandIds.openResult, async ({ call }) => {
      const result = typeof call?.result === 'string' ? results.find(call.result) : undefined;
      if (!result)
        throw new UserError(
          vscode.l10n.t(
            'This result is no longer available, because a window keeps only the latest results. Run the tool again.',
          ),
        );
      await results.open(result);
    });
  },
};

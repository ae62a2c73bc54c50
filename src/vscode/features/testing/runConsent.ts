import * as vscode from 'vscode';
import { Sequencer } from '../../../core/base/sequencer.js';
import type { TestFile } from '../../../core/testing/testModel.js';
import { askSafely } from '../../ui/confirm.js';
import { visibleLine } from '../../../core/base/hostileText.js';

/**
 * Asks before the first run of a file in this window, because any program can start tests and the file comes from the
 * workspace. Asks again if the file uses another server, other tools, or other environment variables.
 */
export class RunConsent {
  private readonly agreed = new Set<string>();
  private readonly dialogs = new Sequencer();

  /** Resolves to whether the user agreed to run all files. Asks about all new ones at once. */
  ask(tests: readonly TestFile[]): Promise<boolean> {
    return this.dialogs.run(async () => {
      const { demandOf, demandNames } = await import('../../../core/testing/onDemand.js');
      const asked = tests
        .map((test) => ({ test, demand: demandOf(test) }))
        .map((one) => ({ ...one, key: JSON.stringify([one.test.file, one.demand]) }))
        .filter(({ key }) => !this.agreed.has(key));
      if (asked.length === 0) return true;
      const texts = asked.slice(0, maxFiles).map(({ test, demand: { server, tools, variables } }) => {
        const lines = [
          server === undefined
            ? vscode.l10n.t('Server: defined in the file')
            : vscode.l10n.t('Server: {0}', visibleLine(server, 60)),
          ...(tools.length > 0 ? [vscode.l10n.t('Tools: {0}', demandNames(tools))] : []),
          ...(variables.length > 0 ? [vscode.l10n.t('Environment variables: {0}', demandNames(variables))] : []),
        ];
        return [visibleLine(vscode.workspace.asRelativePath(test.file), 200), ...lines].join('\n');
      });
      const more = asked.length - maxFiles;
      if (more > 0) texts.push(vscode.l10n.t('Other files: {0}', more));
      const isAgreed = await askSafely({
        message: vscode.l10n.t('Run these tests of servers?'),
        detail: [
          vscode.l10n.t('The tests call tools without a question for each call. Rules apply.'),
          ...(asked.some(({ demand }) => demand.variables.length > 0)
            ? [vscode.l10n.t('The values of the environment variables are sent to the server.')]
            : []),
          ...texts,
        ].join('\n\n'),
        page: 'testing',
        go: vscode.l10n.t('Run Tests'),
      });
      if (isAgreed) for (const { key } of asked) this.agreed.add(key);
      return isAgreed;
    });
  }
}

/** Maximum number of files that the question describes. */
const maxFiles = 12;

import * as vscode from 'vscode';
import { Sequencer } from '../../../core/base/sequencer.js';
import type { TestFile } from '../../../core/testing/testModel.js';
import { askSafely } from '../../ui/confirm.js';
import type { Reports } from '../../ui/reports.js';

/**
 * Asks before the first run of a file in this window, because any program can start tests and the file comes from the
 * workspace. Asks again if the file uses another server, other tools, or other environment variables.
 */
export class RunConsent {
  private readonly agreed = new Set<string>();
  private readonly dialogs = new Sequencer();

  constructor(private readonly texts: Reports) {}

  /** Resolves to true if the user agreed to run all files. One question is about all files that are new. */
  ask(tests: readonly TestFile[]): Promise<boolean> {
    return this.dialogs.run(async () => {
      const { testActionsOf, runQuestion } = await import('../../../core/testing/onDemand.js');
      const asked = tests
        .map((test) => ({ test, actions: testActionsOf(test) }))
        .map((one) => ({ ...one, key: JSON.stringify([one.test.file, one.actions]) }))
        .filter(({ key }) => !this.agreed.has(key));
      if (asked.length === 0) return true;
      const { detail, whole: text } = runQuestion(
        asked.map(({ test, actions }) => ({ file: vscode.workspace.asRelativePath(test.file), actions })),
      );
      const isAgreed = await askSafely({
        message: vscode.l10n.t('Run these tests of servers?'),
        detail,
        page: 'testing',
        go: vscode.l10n.t('Run Tests'),
        whole: text === undefined ? undefined : { title: vscode.l10n.t('Tests of Servers'), text, texts: this.texts },
      });
      if (isAgreed) for (const { key } of asked) this.agreed.add(key);
      return isAgreed;
    });
  }
}

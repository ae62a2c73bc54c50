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
  /** The keys of the files that the user agreed to run. */
  private readonly agreed = new Set<string>();
  private readonly dialogs = new Sequencer();

  constructor(private readonly texts: Reports) {}

  /**
   * Resolves to undefined if the user agreed to run all files, otherwise to the reason why they do not run. One question
   * is about all files that are new.
   */
  ask(tests: readonly TestFile[]): Promise<string | undefined> {
    return this.dialogs.run(async () => {
      const { newFilesOf, runQuestion } = await import('../../../core/testing/onDemand.js');
      const asked = newFilesOf(tests, this.agreed);
      if (asked === 'tooLong')
        return vscode.l10n.t(
          'The names of the tools in these files are too long for one question. Run fewer files at a time.',
        );
      if (asked.length === 0) return undefined;
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
      if (!isAgreed) return vscode.l10n.t('You did not agree to run these tests.');
      for (const { key } of asked) this.agreed.add(key);
      return undefined;
    });
  }
}

import * as vscode from 'vscode';
import { Sequencer } from '../../../core/base/sequencer.js';
import type { TestFile } from '../../../core/testing/testModel.js';
import { askSafely } from '../../ui/confirm.js';
import type { Reports } from '../../ui/reports.js';
import { showWarning } from '../../adapters/userMessages.js';

/**
 * Asks before the first run of a file in this window, because any program can start tests and the file comes from the
 * workspace. Asks again if the file uses another server, other tools, or other environment variables.
 */
export class RunConsent {
  private readonly agreed = new Set<string>();
  private readonly dialogs = new Sequencer();

  constructor(private readonly texts: Reports) {}

  /** Resolves to whether the user agreed to run all files. Asks about all new ones at once. */
  ask(tests: readonly TestFile[]): Promise<boolean> {
    return this.dialogs.run(async () => {
      const { demandOf, runQuestion } = await import('../../../core/testing/onDemand.js');
      const asked = tests
        .map((test) => ({ test, demand: demandOf(test) }))
        .map((one) => ({ ...one, key: JSON.stringify([one.test.file, one.demand]) }))
        .filter(({ key }) => !this.agreed.has(key));
      if (asked.length === 0) return true;
      const question = runQuestion(
        asked.map(({ test, demand }) => ({ file: vscode.workspace.asRelativePath(test.file), demand })),
      );
      const isAgreed = question.isCut ? await askWithDocument(question, this.texts) : await askAbout(question.detail);
      if (isAgreed) for (const { key } of asked) this.agreed.add(key);
      return isAgreed;
    });
  }
}

function askAbout(detail: string): Promise<boolean> {
  return askSafely({ message: runMessage(), detail, page: 'testing', go: vscode.l10n.t('Run Tests') });
}

/** The question has no room for everything that runs, so the user must open the whole text before they can agree. */
async function askWithDocument({ detail, whole }: { detail: string; whole: string }, texts: Reports): Promise<boolean> {
  const go = vscode.l10n.t('Show All');
  if (!(await askSafely({ message: runMessage(), detail, page: 'testing', go }))) return false;
  await texts.show(vscode.l10n.t('Tests of Servers'), whole);
  // This question is a notification, because a dialog would cover the text. A program can press the first button.
  const run: vscode.MessageItem = { title: vscode.l10n.t('Run Tests') };
  const cancel: vscode.MessageItem = { title: vscode.l10n.t('Cancel'), isCloseAffordance: true };
  return (await showWarning(runMessage(), {}, cancel, run)) === run;
}

function runMessage(): string {
  return vscode.l10n.t('Run these tests of servers?');
}

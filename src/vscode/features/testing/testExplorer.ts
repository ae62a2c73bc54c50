import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore, toDisposable } from '../../../core/base/disposable.js';
import { isObject } from '../../../core/base/guards.js';
import { messageOf } from '../../../core/base/hostError.js';
import { Sequencer } from '../../../core/base/sequencer.js';
import { foldersWithoutTests, testFilePattern } from '../../manifest.js';
import type { ExtensionServices } from '../../ui/services.js';
import { itemTags } from '../../ui/testController.js';
import { watchTest } from './continuousRun.js';
import { RunConsent } from './runConsent.js';
import type { TestReader } from './testFiles.js';
import { isTestFile } from './testFiles.js';
import { TestItems } from './testItems.js';
import type { RunMode, TestServices } from './testRun.js';
import { TestRun } from './testRun.js';
import { registerTestLanguage } from './testLanguage.js';

type Services = TestServices &
  Pick<ExtensionServices, 'questionTexts'> & { log: { write(level: 'debug' | 'info' | 'warn', line: string): void } };

/** Time without an edit before a file is read again, in milliseconds. */
const quietMs = 300;

/** The parts that exist after the first test file was found. */
interface Opened {
  controller: vscode.TestController;
  items: TestItems;
}

/**
 * The tests of servers in the Test Explorer. The controller is created with the first test file, because a controller
 * without tests would add the Testing view to every window.
 */
export class TestExplorer implements Disposable {
  private readonly store = new DisposableStore();
  private readonly consent: RunConsent;
  /** Executes one run at a time, because different runs can use the same ports and files. */
  private readonly runs = new Sequencer();
  private opened: Opened | undefined;
  /** The timers of files that are being edited. */
  private readonly edits = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly deck: Services,
    private readonly reader: TestReader,
  ) {
    this.consent = new RunConsent(deck.questionTexts);
    this.store.add(toDisposable(() => this.edits.forEach((timer) => clearTimeout(timer))));
    const watcher = this.store.add(vscode.workspace.createFileSystemWatcher(testFilePattern));
    this.store.add(watcher.onDidCreate((uri) => this.changed(uri)));
    this.store.add(watcher.onDidChange((uri) => this.changed(uri)));
    this.store.add(watcher.onDidDelete((uri) => this.opened?.items.remove(uri)));
    this.store.add(vscode.workspace.onDidOpenTextDocument(({ uri }) => this.changed(uri, true)));
    this.store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.edited(document.uri)));
    for (const { uri } of vscode.workspace.textDocuments) this.changed(uri, true);
    void this.findFirst();
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Runs a test and stores its snapshots. Returns false if the value is not an item of the Test Explorer. */
  async updateSnapshot(item: unknown): Promise<boolean> {
    const { items } = this.opened ?? {};
    if (!items || !isObject(item) || !items.meaningOf(item as unknown as vscode.TestItem)) return false;
    const source = new vscode.CancellationTokenSource();
    try {
      await this.run(new vscode.TestRunRequest([item as unknown as vscode.TestItem]), source.token, 'update');
    } finally {
      source.dispose();
    }
    return true;
  }

  private async findFirst(): Promise<void> {
    if (!vscode.workspace.workspaceFolders) return;
    const found = await vscode.workspace.findFiles(testFilePattern, foldersWithoutTests, 1).then(undefined, () => []);
    if (found.length > 0) await this.open().items.discover();
  }

  private changed(uri: vscode.Uri, isOpened = false): void {
    if (!isTestFile(uri)) return;
    const { items } = this.open();
    // The tests of an opened file are read immediately, so that the editor shows their buttons even without the Testing
    // view.
    void (isOpened ? items.read(items.fileItem(uri)) : items.changed(uri)).catch((error: unknown) =>
      this.deck.log.write('warn', messageOf(error)),
    );
  }

  /** Reads a file again when its text has not changed for a moment. */
  private edited(uri: vscode.Uri): void {
    if (!isTestFile(uri)) return;
    const key = uri.toString();
    clearTimeout(this.edits.get(key));
    this.edits.set(
      key,
      setTimeout(() => {
        this.edits.delete(key);
        void this.opened?.items.changed(uri);
      }, quietMs),
    );
  }

  private open(): Opened {
    if (this.opened) return this.opened;
    this.store.add(registerTestLanguage(this.deck, this.reader));
    const { controller } = this.deck.tests;
    const items = new TestItems(controller, this.reader);
    controller.resolveHandler = async (item) => {
      if (item) await items.read(item);
      else await items.discover();
    };
    controller.refreshHandler = async (token) => {
      await items.discover(token);
      await Promise.all(items.files.filter(({ children }) => children.size > 0).map((item) => items.read(item)));
    };
    const { Run, Debug } = vscode.TestRunProfileKind;
    this.addProfile(controller, vscode.l10n.t('Run'), Run, 'run');
    this.addProfile(controller, vscode.l10n.t('Debug'), Debug, 'debug');
    this.addProfile(controller, vscode.l10n.t('Run with Trace'), Run, 'trace');
    return (this.opened = { controller, items });
  }

  private addProfile(
    controller: vscode.TestController,
    label: string,
    kind: vscode.TestRunProfileKind,
    mode: RunMode,
  ): void {
    const handler = (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
      request.continuous === true ? this.runContinuously(request, token, mode) : this.run(request, token, mode);
    this.store.add(controller.createRunProfile(label, kind, handler, mode !== 'trace', itemTags.test, mode === 'run'));
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, mode: RunMode): Promise<void> {
    const { controller, items } = this.open();
    const testing = await import('../../../core/testing/onDemand.js');
    const run = new TestRun(this.deck, items, this.consent, mode, { controller, request, testing });
    await this.runs.run(() => run.start(token));
  }

  /** Runs the files of a request whenever they or their servers change, until the request is canceled. */
  private async runContinuously(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    mode: RunMode,
  ): Promise<void> {
    const { items } = this.open();
    const store = new DisposableStore();
    this.store.add(store);
    token.onCancellationRequested(() => store.dispose());
    if (!request.include) await items.discover(token);
    const { exclude, profile } = request;
    for (const item of request.include ?? items.files) {
      const file = items.fileItem(items.meaningOf(item)?.uri ?? vscode.Uri.parse(item.id));
      const { uri } = file;
      if (!uri) continue;
      const test = items.testOf(uri) ?? (await items.read(file));
      if (token.isCancellationRequested) return;
      store.add(
        watchTest(this.deck, { uri, test }, () =>
          this.run(new vscode.TestRunRequest([item], exclude, profile, true), token, mode),
        ),
      );
    }
  }
}

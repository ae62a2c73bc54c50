import path from 'node:path';
import * as vscode from 'vscode';
import { visibleLine } from '../../../core/base/hostileText.js';
import { Sequencer } from '../../../core/base/sequencer.js';
import { runInSlices } from '../../../core/base/timeSlice.js';
import type { TestEra, TestFile } from '../../../core/testing/testModel.js';
import type { OutlinedCase } from '../../../core/testing/testOutline.js';
import { itemTags } from '../../ui/testController.js';
import type { TestReader } from './testFiles.js';
import { findTestFiles, isTestFile, problemsText } from './testFiles.js';

/** The subject of an item: a test file, or a case of a test file, in one era or in all eras of the file. */
export type ItemMeaning =
  { kind: 'file'; uri: vscode.Uri } | { kind: 'case'; uri: vscode.Uri; name: string; era?: TestEra };

/** The items of the Test Explorer: files, their cases, and the eras of a case if its file runs in several eras. */
export class TestItems {
  private readonly meanings = new WeakMap<vscode.TestItem, ItemMeaning>();
  /** The files without problems, by URI. */
  private readonly tests = new Map<string, TestFile>();
  /** Reads one file at a time, because each reading creates its items in several turns of the event loop. */
  private readonly readings = new Sequencer();

  constructor(
    private readonly controller: vscode.TestController,
    private readonly reader: TestReader,
  ) {}

  meaningOf(item: vscode.TestItem): ItemMeaning | undefined {
    return this.meanings.get(item);
  }

  /** The content of a file at its last reading; undefined if the file has problems. */
  testOf(uri: vscode.Uri): TestFile | undefined {
    return this.tests.get(uri.toString());
  }

  /** The items of all listed files. The controller has items of checks too. */
  get files(): vscode.TestItem[] {
    const found: vscode.TestItem[] = [];
    this.controller.items.forEach((item) => {
      if (this.meanings.get(item)?.kind === 'file') found.push(item);
    });
    return found;
  }

  /** Lists the files of the workspace. Their cases are read when an item is opened or run. */
  async discover(token?: vscode.CancellationToken): Promise<void> {
    const found = await findTestFiles(token);
    const ids = new Set(found.map(String));
    for (const { id } of this.files) if (!ids.has(id)) this.controller.items.delete(id);
    for (const uri of found) this.fileItem(uri);
  }

  /** Returns the item of a file. Creates the item if it does not exist yet. */
  fileItem(uri: vscode.Uri): vscode.TestItem {
    const known = this.controller.items.get(uri.toString());
    if (known) return known;
    const item = this.controller.createTestItem(
      uri.toString(),
      visibleLine(vscode.workspace.asRelativePath(uri), 200),
      uri,
    );
    item.canResolveChildren = true;
    item.tags = [itemTags.test];
    this.meanings.set(item, { kind: 'file', uri });
    this.controller.items.add(item);
    return item;
  }

  remove(uri: vscode.Uri): void {
    this.controller.items.delete(uri.toString());
    this.tests.delete(uri.toString());
  }

  /** Lists a file. Reads it again if it was read before. */
  async changed(uri: vscode.Uri): Promise<void> {
    if (!isTestFile(uri)) return;
    const item = this.fileItem(uri);
    if (this.tests.has(uri.toString()) || item.error !== undefined || item.children.size > 0) await this.read(item);
  }

  /** Reads the cases of the file of an item. Returns undefined if the file has problems. */
  read(item: vscode.TestItem): Promise<TestFile | undefined> {
    return this.readings.run(() => this.readNow(item));
  }

  private async readNow(item: vscode.TestItem): Promise<TestFile | undefined> {
    const { uri } = item;
    if (!uri) return undefined;
    const { outlineOf, serverTags } = await import('../../../core/testing/onDemand.js');
    const { read, lineCount } = await this.reader.read(uri);
    if ('problems' in read) {
      this.tests.delete(uri.toString());
      item.error = problemsText(read.problems);
      item.children.replace([]);
      return undefined;
    }
    const { test } = read;
    this.tests.set(uri.toString(), test);
    item.error = undefined;
    const servers = serverTags(test);
    item.tags = [itemTags.test, ...servers.map(tagOf)];
    await runInSlices(this.showCases(item, uri, outlineOf(test, lineCount), servers));
    return test;
  }

  /**
   * Shows the cases of a file, one in each step. An item of the previous reading stays if the file still contains its
   * case.
   */
  private *showCases(
    file: vscode.TestItem,
    uri: vscode.Uri,
    cases: readonly OutlinedCase[],
    servers: readonly string[],
  ): Generator<void, void> {
    const names = new Set(cases.map(({ name }) => name));
    for (const [id] of [...file.children]) {
      if (!names.has(id)) file.children.delete(id);
      yield;
    }
    for (const { name, firstLine, lastLine, tags, eras, skip } of cases) {
      const one = file.children.get(name) ?? this.caseItem({ kind: 'case', uri, name }, visibleLine(name, 200));
      one.range = new vscode.Range(firstLine - 1, 0, lastLine - 1, 0);
      one.tags = [itemTags.test, ...[...servers, ...tags].map(tagOf)];
      one.description = skip === undefined ? undefined : vscode.l10n.t('skipped');
      for (const [id] of [...one.children]) if (!eras.some((era) => era === id)) one.children.delete(id);
      for (const era of eras) {
        const child = one.children.get(era) ?? this.caseItem({ kind: 'case', uri, name, era }, eraLabel(era));
        child.range = one.range;
        child.tags = one.tags;
        if (!child.parent) one.children.add(child);
      }
      if (!one.parent) file.children.add(one);
      yield;
    }
  }

  /** The item that shows the result of a case. */
  resultItem(file: vscode.TestItem, name: string, era: TestEra): vscode.TestItem | undefined {
    const item = file.children.get(name);
    return item?.children.get(era) ?? item;
  }

  private caseItem(meaning: Extract<ItemMeaning, { kind: 'case' }>, label: string): vscode.TestItem {
    const item = this.controller.createTestItem(meaning.era ?? meaning.name, label, meaning.uri);
    this.meanings.set(item, meaning);
    return item;
  }
}

/** Tags cannot contain spaces. */
function tagOf(name: string): vscode.TestTag {
  return new vscode.TestTag(visibleLine(name, 60).replace(/\s+/g, '-'));
}

function eraLabel(era: TestEra): string {
  return era === 'legacy' ? vscode.l10n.t('up to 2025-11-25') : era;
}

/** The folder of the workspace that contains a file, or the folder of the file. */
export function folderOf(uri: vscode.Uri): string {
  return vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
}

import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { Emitter } from '../../../core/base/event.js';
import type { RunHistory } from '../../../core/runs/runHistory.js';
import { filterRuns, runNodes } from '../../../core/runs/runNodes.js';
import type { TreeElement } from '../../ui/treeElement.js';
import { reconcile } from '../../ui/treeElement.js';
import { setContext } from '../../ui/setContext.js';

/** The part of the view that the tree changes: the message above the runs. */
export type RunsViewport = Pick<vscode.TreeView<unknown>, 'message'>;

/** The Runs view: favorites and past runs. */
export class RunTree implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  /** Fires when the whole view must be refreshed. */
  readonly onDidChange = this.changed.event;
  private roots = new Map<string, TreeElement>();
  private words = '';

  constructor(
    private readonly history: RunHistory,
    private readonly view: RunsViewport,
  ) {
    this.store.add(history.onDidChange(() => this.changed.fire()));
  }

  /** Shows only the runs that contain these words. Empty: all runs. */
  get filter(): string {
    return this.words;
  }

  set filter(words: string) {
    if (words.trim() === this.words) return;
    this.words = words.trim();
    setContext('mcpDeck.hasRunFilter', this.words !== '');
    this.changed.fire();
  }

  async getChildren(element?: TreeElement): Promise<TreeElement[]> {
    if (element) return element.readChildren();
    await this.history.whenRead();
    const { words } = this;
    const all = {
      runs: this.history.runs(),
      favourites: this.history.favourites(),
    };
    const lists = filterRuns(all, words);
    this.tell(lists.runs.length + lists.favourites.length, all.runs.length + all.favourites.length);
    const { list, byId } = reconcile(runNodes(lists, Date.now(), vscode.env.language), this.roots);
    this.roots = byId;
    return list;
  }

  dispose(): void {
    this.store.dispose();
  }

  private tell(shown: number, all: number): void {
    const message =
      this.words === ''
        ? undefined
        : shown === 0
          ? vscode.l10n.t('No runs or favorites match "{0}".', this.words)
          : vscode.l10n.t('{0} of {1} runs and favorites match "{2}".', shown, all, this.words);
    if (this.view.message !== message) this.view.message = message;
  }
}

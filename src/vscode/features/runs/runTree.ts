import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { Emitter } from '../../../core/base/event.js';
import type { RunHistory } from '../../../core/runs/runHistory.js';
import { runNodes } from '../../../core/present/tree/runNodes.js';
import type { TreeElement } from '../../ui/treeElement.js';
import { reconcile } from '../../ui/treeElement.js';

/** The Runs view: favorites and past runs. */
export class RunTree implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  /** Fires when the whole view must be refreshed. */
  readonly onDidChange = this.changed.event;
  private roots = new Map<string, TreeElement>();

  constructor(private readonly history: RunHistory) {
    this.store.add(history.onDidChange(() => this.changed.fire()));
  }

  async getChildren(element?: TreeElement): Promise<TreeElement[]> {
    if (element) return element.readChildren();
    await this.history.whenRead();
    const lists = { runs: this.history.runs(), favourites: this.history.favourites() };
    const { list, byId } = reconcile(runNodes(lists, Date.now(), vscode.env.language), this.roots);
    this.roots = byId;
    return list;
  }

  dispose(): void {
    this.store.dispose();
  }
}

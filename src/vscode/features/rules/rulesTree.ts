import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { Event } from '../../../core/base/event.js';
import { Emitter } from '../../../core/base/event.js';
import type { RuleBook } from '../../../core/consent/ruleBook.js';
import type { RuleContext } from '../../../core/consent/ruleFindings.js';
import { ruleFindings } from '../../../core/consent/ruleFindings.js';
import { ruleNodes } from '../../../core/present/tree/ruleNodes.js';
import type { TreeElement } from '../../ui/treeElement.js';
import { reconcile } from '../../ui/treeElement.js';

/** The Rules view: all rules for tool calls with their lifetime. */
export class RulesTree implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  /** Fires when the whole view must be refreshed. */
  readonly onDidChange = this.changed.event;
  private roots = new Map<string, TreeElement>();

  /** @param configured The servers that rules can apply to. Problems of rules are updated when this list changes. */
  constructor(
    private readonly rules: RuleBook,
    private readonly configured: { current(): RuleContext; readonly onDidChange: Event<void> },
  ) {
    this.store.add(rules.onDidChange(() => this.changed.fire()));
    this.store.add(configured.onDidChange(() => this.changed.fire()));
  }

  getChildren(element?: TreeElement): TreeElement[] {
    if (element) return element.readChildren();
    const findings = ruleFindings(this.rules.rules, this.configured.current());
    const rules = this.rules.rules.map((placed) => ({
      placed,
      lastUsed: this.rules.lastUsed(placed),
      finding: findings.get(placed),
    }));
    const { list, byId } = reconcile(ruleNodes(rules, Date.now(), vscode.env.language), this.roots);
    this.roots = byId;
    return list;
  }

  dispose(): void {
    this.store.dispose();
  }
}

import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { Emitter } from '../../../core/base/event.js';
import { gatewayNodes } from '../../../core/present/tree/gatewayNodes.js';
import type { GatewayService } from '../../ui/services.js';
import type { TreeElement } from '../../ui/treeElement.js';
import { reconcile } from '../../ui/treeElement.js';

/**
 * Delay before changes are drawn, in milliseconds. Agents can call tools quickly, so all changes in this time are drawn
 * together.
 */
const drawMs = 250;

/**
 * The Gateway view: the URL of the gateway, its clients, and the texts that wait for approval. It is empty while the
 * gateway is off.
 */
export class GatewayTree implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  /** Fires when the whole view must be refreshed. */
  readonly onDidChange = this.changed.event;
  private roots = new Map<string, TreeElement>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly gateway: GatewayService) {
    this.store.add(gateway.onDidChange(() => this.drawSoon()));
  }

  getChildren(element?: TreeElement): TreeElement[] {
    if (element) return element.readChildren();
    const { opened, absent, waitingTexts } = this.gateway;
    const agents = opened
      ? [
          ...opened.clients.list.map((client) => ({ ...client, use: client })),
          ...absent.map((claim) => ({ ...claim, state: 'approved' as const })),
        ]
      : [];
    const { list, byId } = reconcile(
      opened ? gatewayNodes({ url: opened.url, agents, waitingTexts: waitingTexts.length }) : [],
      this.roots,
    );
    this.roots = byId;
    return list;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.store.dispose();
  }

  private drawSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.changed.fire();
    }, drawMs);
  }
}

import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { Emitter } from '../../../core/base/event.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import { isTicking, rootNodes, serverNode, serverNodeId } from '../../../core/present/tree/serverNodes.js';
import type { ServerUpdates } from '../../../core/gallery/updates/serverUpdates.js';
import type { ResourcePins } from '../../../core/catalog/resourcePins.js';
import type { CountTokens } from '../../../core/present/text/toolTokens.js';
import { countTools } from '../../../core/present/text/toolTokens.js';
import type { TreeNode } from '../../../core/present/tree/treeNode.js';
import { sameLine } from '../../../core/present/tree/treeNode.js';
import type { ServersState } from '../../manifest.js';
import type { LockMarks } from '../../ui/lockMarks.js';
import { setContext } from '../../ui/setContext.js';
import type { TreeElement } from '../../ui/treeElement.js';
import { reconcile } from '../../ui/treeElement.js';

/** Maximum number of tools that are scrolled into view together with their server. */
const revealedTools = 5;

/** The operations on the view that shows the tree. */
export interface ServersViewport {
  readonly visible: boolean;
  readonly onDidChangeVisibility: vscode.Event<{ readonly visible: boolean }>;
  readonly onDidExpandElement: vscode.Event<{ readonly element: TreeElement }>;
  readonly onDidCollapseElement: vscode.Event<{ readonly element: TreeElement }>;
  message?: string;
  reveal(element: TreeElement, options: { select: boolean; focus: boolean; expand: number }): Thenable<void>;
}

/** What the view shows in addition to the servers: pinned resources, updates, lock marks, and token counts. */
export interface ShownFacts {
  pins: ResourcePins;
  updates: Pick<ServerUpdates, 'of' | 'onDidChange'>;
  lockMarks: LockMarks;
  countTokens: CountTokens;
}

/** The Servers view. Keeps an element for each tree item and refreshes the changed ones. */
export class ServerTree implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<TreeElement | undefined>());
  /** Fires with the element whose item or children changed. Undefined refreshes the whole tree. */
  readonly onDidChange = this.changed.event;
  private roots = new Map<string, TreeElement>();
  /** The snapshot of each root in the last update. */
  private drawn = new Map<string, ServerView>();
  /**
   * IDs of the items that the user expanded. They are kept here, because the items of a server disappear while it is
   * not running.
   */
  private readonly open = new Set<string>();
  private ticking: NodeJS.Timeout | undefined;

  constructor(
    private readonly servers: ServersApi,
    private readonly view: ServersViewport,
    private readonly shown: ShownFacts,
  ) {
    this.store.add(
      servers.onDidChange(({ server }) => (server === undefined ? this.listChanged() : this.serverChanged(server))),
    );
    const { pins, updates, lockMarks } = shown;
    this.store.add(lockMarks.onDidChange(({ server }) => this.marksChanged(server)));
    this.store.add(pins.onDidChange(() => this.changed.fire(undefined)));
    this.store.add(updates.onDidChange(() => this.listChanged()));
    this.store.add(view.onDidChangeVisibility(() => this.keepTime()));
    this.store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.describe()));
    this.store.add(view.onDidExpandElement(({ element }) => this.open.add(element.node.id)));
    this.store.add(view.onDidCollapseElement(({ element }) => this.open.delete(element.node.id)));
    this.describe();
    this.keepTime();
  }

  getChildren(element?: TreeElement): TreeElement[] {
    const children = element ? element.readChildren() : this.readRoots();
    for (const child of children) child.wasOpen = this.open.has(child.node.id);
    return children;
  }

  /** Counts the tokens that a tooltip shows. If the count fails, the tooltip is shown without it. */
  async prepareTooltip(node: TreeNode): Promise<void> {
    const tools = node.countedTools?.() ?? [];
    if (tools.length > 0) await countTools(tools, this.shown.countTokens).catch(() => undefined);
  }

  /**
   * Selects a server and scrolls to its first tools, or to the lines that explain why it does not run. Does nothing for
   * a server that the host does not know.
   */
  async reveal(id: string): Promise<void> {
    const isServer = ({ node }: TreeElement) => node.id === serverNodeId(id);
    const server = this.roots.get(serverNodeId(id)) ?? this.readRoots().find(isServer);
    if (!server) return;
    await this.view.reveal(server, { select: true, focus: false, expand: 1 });
    const lines = server.readChildren();
    const [tools] = lines;
    if (tools?.node.isCollapsible === true) await this.view.reveal(tools, { select: false, focus: false, expand: 1 });
    const shown = tools?.node.isCollapsible === true ? tools.readChildren() : lines;
    const last = shown.slice(0, revealedTools).at(-1);
    if (last) await this.view.reveal(last, { select: false, focus: false, expand: 0 });
  }

  dispose(): void {
    clearInterval(this.ticking);
    this.store.dispose();
  }

  private readRoots(): TreeElement[] {
    const servers = this.servers.list();
    const nodes = rootNodes(
      {
        servers,
        broken: this.servers.brokenEntries(),
        pins: this.shown.pins.list(),
        news: (id) => this.shown.updates.of(id),
        drift: (id) => this.shown.lockMarks.of(id),
      },
      Date.now(),
    );
    const { list, byId } = reconcile(nodes, this.roots);
    this.roots = byId;
    this.drawn = new Map(servers.map((view) => [view.id, view]));
    return list;
  }

  /**
   * Handles a change of the server list or of a definition. Refreshes the whole tree only if items were added or
   * removed.
   */
  private listChanged(): void {
    const before = [...this.roots.values()].map(({ node }) => node);
    const drawn = this.drawn;
    const after = this.readRoots();
    this.describe();
    this.keepTime();
    const isSameList =
      after.length === before.length && after.every(({ node }, index) => node.id === before[index]?.id);
    if (!isSameList) {
      this.changed.fire(undefined);
      return;
    }
    after.forEach((element, index) => {
      const old = before[index];
      const server = element.node.target.server;
      const hasNewChildren = server !== undefined && drawn.get(server) !== this.drawn.get(server);
      if (hasNewChildren || !old || !sameLine(old, element.node)) this.changed.fire(element);
    });
  }

  private serverChanged(id: string): void {
    this.describe();
    this.keepTime();
    const view = this.servers.get(id);
    const element = this.roots.get(serverNodeId(id));
    if (!view || !element || this.drawn.get(id) === view) return;
    this.redraw(element, view);
  }

  private marksChanged(id: string): void {
    const view = this.servers.get(id);
    const element = this.roots.get(serverNodeId(id));
    if (!view || !element) return;
    this.redraw(element, view);
    // The marks of tools are on the lines below the server, whose own line can be unchanged.
    this.changed.fire(element);
  }

  private redraw(element: TreeElement, view: ServerView): void {
    const node = serverNode(view, Date.now(), {
      pins: this.shown.pins.list(),
      isAlone: this.servers.list().length === 1,
      news: this.shown.updates.of(view.id),
      drift: this.shown.lockMarks.of(view.id),
    });
    this.drawn.set(view.id, view);
    for (const changed of element.update(node)) this.changed.fire(changed);
  }

  /** Refreshes items with elapsed time every second, as long as there are such items and the view is visible. */
  private keepTime(): void {
    const isNeeded = this.view.visible && this.servers.list().some(isTicking);
    if (isNeeded === (this.ticking !== undefined)) return;
    if (isNeeded) this.ticking = setInterval(() => this.tick(), 1_000);
    else {
      clearInterval(this.ticking);
      this.ticking = undefined;
    }
  }

  private tick(): void {
    for (const view of this.servers.list()) {
      const element = this.roots.get(serverNodeId(view.id));
      if (element && isTicking(view)) this.redraw(element, view);
    }
  }

  /** Updates the message above the tree and the context key for the welcome content. */
  private describe(): void {
    const state = this.state();
    setContext('mcpDeck.serversState', state);
    const isEmpty = this.servers.list().length === 0;
    if (state === 'untrusted' && !isEmpty)
      this.view.message = vscode.l10n.t(
        'Restricted Mode: only the built-in server starts until you trust this workspace.',
      );
    else if (state === 'stopped') this.view.message = vscode.l10n.t('No server is running.');
    else this.view.message = undefined;
  }

  private state(): ServersState {
    if (!vscode.workspace.isTrusted) return 'untrusted';
    const servers = this.servers.list();
    if (servers.length === 0) return 'none';
    return servers.every(({ state }) => state.kind === 'stopped') ? 'stopped' : 'running';
  }
}

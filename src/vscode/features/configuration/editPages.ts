import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { isObject } from '../../../core/base/guards.js';
import { freeName } from '../../../core/base/freeName.js';
import { restoredServer } from '../../../core/interchange/pasted/unsavedServer.js';
import type { ServerEntry } from '../../../core/registry/serverEntry.js';
import { savedTarget } from '../../../shared/panel/pageTarget.js';
import type { DefinitionPages, NewServer } from '../../ui/pages.js';
import type { ExtensionServices } from '../../ui/services.js';
import { panelTypes } from '../../manifest.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { ownPlaces, readFields } from '../../adapters/ownPlaces.js';
import { DefinitionPage } from './definitionPage.js';
import type { DefinitionSubject } from './definitionSubject.js';
import { idOf, isNew, newId } from './definitionSubject.js';
import type { Edited } from '../../ui/saveServer.js';

/**
 * The forms that add and edit server definitions, each in a tab. Unsaved input is kept until the same form opens again.
 */
export class EditPages implements DefinitionPages, Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  /**
   * @param deck Returns the services. Called when a page opens, because the services do not exist yet when this object
   * is created.
   */
  constructor(private readonly deck: () => ExtensionServices) {}

  async open({ name }: Pick<ServerEntry, 'name'>, place: OwnPlace): Promise<void> {
    const known = this.panels.get(idOf({ name, place, before: {} }));
    if (known) return known.reveal();
    this.show(newPanel(), { name, place, before: await readFields(name, place) });
  }

  /** Opens the form of a new server. If another server has the same name, a number is added to the name. */
  add(subject: NewServer): void {
    const views = this.deck().host.servers.list();
    // A server that replaces a scratch server can have the same name.
    const taken = new Set(views.flatMap(({ entry }) => (entry.source.kind === 'scratch' ? [] : [entry.name])));
    const name = freeName(subject.server.name, taken);
    this.show(newPanel(), { ...subject, server: { ...subject.server, name } });
  }

  /**
   * Restores a page that was open before the window reloaded. An unsaved server is restored from the state of the page.
   * Closes the page if its server does not exist.
   */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { server: name, id } = savedTarget(state, 'server') ?? {};
    const unsaved = id === newId && isObject(state) ? restoredServer(state['kept']) : undefined;
    if (unsaved) return this.show(panel, unsaved);
    const place =
      name === undefined ? undefined : ownPlaces().find((one) => idOf({ name, place: one, before: {} }) === id);
    try {
      if (id === undefined || name === undefined || !place || this.panels.has(id)) panel.dispose();
      else this.show(panel, { name, place, before: await readFields(name, place) });
    } catch {
      panel.dispose();
    }
  }

  dispose(): void {
    // The tabs are not closed, because VS Code restores them when the window reloads.
    this.panels.clear();
  }

  private show(panel: vscode.WebviewPanel, subject: DefinitionSubject): void {
    const known = (edited: Edited) => this.panels.set(idOf(edited), panel);
    new DefinitionPage(this.deck(), panel, subject, known);
    if (!isNew(subject)) known(subject);
    panel.onDidDispose(() => {
      for (const [id, one] of this.panels) if (one === panel) this.panels.delete(id);
    });
  }
}

function newPanel(): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(panelTypes.edit, '', vscode.ViewColumn.Active, {});
}

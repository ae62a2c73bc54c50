import * as vscode from 'vscode';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { updateLockedTool } from '../../ui/lockedTools.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { definitionOf, toolHash } from '../../../core/consent/toolDefinition.js';
import { hiddenInTool, hiddenWords } from '../../../core/present/text/hiddenText.js';
import { definitionText } from '../../../core/present/documents/definitionText.js';
import type { Tool } from '../../../core/protocol/mcp.js';
import { askToWiden } from '../../ui/confirm.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { OfferedTarget, auditCallerOf } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { queryWith } from '../../ui/titleButtons.js';
import { calledServer } from '../../ui/configuredServers.js';
import type { ConsentDocuments } from './consentDocuments.js';
import { consentScheme } from './consentDocuments.js';
import { showInformation, showWarning } from '../../adapters/userMessages.js';

/** The version of a tool that was shown for review. */
interface Shown {
  hash: string;
  /** Whether a command with arguments opened the comparison. If so, the user may not have seen it. */
  isByCommand: boolean;
  /** A token that proves that the user pressed a button in the title of the comparison. */
  token: string;
}

interface ToolName {
  server: string;
  tool: string;
}

/** Reviews tools in quarantine: shows the change as a comparison and accepts it. */
export class ChangeReview {
  /** The shown version by tool. Only a shown version can be accepted. */
  private readonly seen = new Map<string, Shown>();

  constructor(
    private readonly deck: Pick<ExtensionServices, 'commands' | 'consent' | 'host'>,
    private readonly documents: ConsentDocuments,
  ) {}

  /** Opens the comparison and asks for the decision without taking the focus. */
  async open(invocation: Invocation<'reviewChange'>): Promise<void> {
    const name = await this.choose(invocation);
    const { view, tool } = this.find(name);
    const server = calledServer(view);
    const verdict = this.deck.consent.pins.of(server).verdict(server.hash, tool);
    if (verdict.kind !== 'changed')
      throw new UserError(
        vscode.l10n.t('"{0}" of "{1}" has not changed since you approved it.', visibleName(name.tool, 80), name.server),
      );
    const title = `${visibleName(name.tool, 80)} — ${visibleName(name.server, 60)}`;
    const query = queryWith(
      name,
      this.show(name, verdict.why === 'unhashable' ? undefined : toolHash(tool), invocation),
    );
    const before = this.documents.put(
      `${vscode.l10n.t('Approved')}/${title}.jsonc`,
      definitionText(verdict.before),
      query,
    );
    const now = this.documents.put(`${vscode.l10n.t('Now')}/${title}.jsonc`, definitionText(definitionOf(tool)), query);
    await vscode.commands.executeCommand('vscode.diff', before, now, vscode.l10n.t('{0}: approved ↔ now', title), {
      preview: true,
    });
    if (!invocation.call) void this.offer(name, tool);
  }

  /** Returns the token for the shown comparison. Revokes the token of an earlier, different comparison. */
  private show(name: ToolName, hash: string | undefined, { call }: Invocation<'reviewChange'>): string {
    const { titleButtons } = this.deck.commands;
    const known = this.seen.get(keyOf(name));
    const isByCommand = call !== undefined;
    if (known !== undefined && known.hash === hash) {
      this.seen.set(keyOf(name), { ...known, isByCommand });
      return known.token;
    }
    this.forget(name);
    const token = titleButtons.issue([commandIds.acceptChange], name);
    if (hash !== undefined) this.seen.set(keyOf(name), { hash, isByCommand, token });
    return token;
  }

  private forget(name: ToolName): void {
    this.deck.commands.titleButtons.withdraw(this.seen.get(keyOf(name))?.token);
    this.seen.delete(keyOf(name));
  }

  /**
   * Approves the definition of the tool that was shown. Asks the user first, unless the user pressed a button of MCP
   * Deck. Always asks if a command with arguments opened the comparison.
   */
  async accept(invocation: Invocation<'acceptChange'>): Promise<void> {
    const name = await this.choose(invocation);
    if (this.reviewed(name).isByCommand || invocation.isProven !== true) {
      const what = [visibleName(name.tool, 80), visibleName(name.server, 60)] as const;
      await askToWiden(this.deck.consent.audit, invocation, {
        server: name.server,
        message: vscode.l10n.t('Accept the change to "{0}" of "{1}"?', ...what),
        detail: vscode.l10n.t(
          'The tool can run again, in the version that the comparison shows. Read the comparison before you accept.',
        ),
        go: vscode.l10n.t('Accept Change'),
      });
    }
    // The tool may have changed again while the question was open.
    const { view, tool } = this.reviewed(name);
    await this.deck.consent.calls.acceptChange(calledServer(view), tool, auditCallerOf(invocation));
    await updateLockedTool(this.deck.host, view, tool);
    this.forget(name);
    await this.close(name);
  }

  private reviewed(name: ToolName): { view: ServerView; tool: Tool; isByCommand: boolean } {
    const found = this.find(name);
    const seen = this.seen.get(keyOf(name));
    if (seen?.hash === toolHash(found.tool)) return { ...found, isByCommand: seen.isByCommand };
    throw new UserError(
      vscode.l10n.t(
        'The current version of "{0}" of "{1}" was not reviewed. Review the change first.',
        visibleName(name.tool, 80),
        name.server,
      ),
    );
  }

  private async offer(name: ToolName, tool: Tool): Promise<void> {
    const hidden = hiddenInTool(tool);
    const accept = vscode.l10n.t('Accept Change…');
    const keep = vscode.l10n.t('Keep in Quarantine');
    const warning =
      hidden === 0 ? '' : ` ${vscode.l10n.t('The new definition of the tool contains {0}.', hiddenWords(hidden))}`;
    const message = vscode.l10n.t(
      '"{0}" of "{1}" has changed since you approved it. The tool does not run until you accept the change.',
      visibleName(name.tool, 80),
      visibleName(name.server, 60),
    );
    const chosen = await showWarning(message + warning, keep, accept);
    // The change may have been accepted elsewhere in the meantime, because VS Code keeps a notification until the user
    // answers it.
    const view = this.deck.host.servers.get(name.server);
    const isOver =
      view?.features?.tools.some((one) => one.name === name.tool) === true && view.quarantined?.has(name.tool) !== true;
    if (chosen !== undefined && isOver)
      void showInformation(
        vscode.l10n.t(
          '"{0}" of "{1}" has not changed since you approved it.',
          visibleName(name.tool, 80),
          visibleName(name.server, 60),
        ),
      );
    else if (chosen === accept) await vscode.commands.executeCommand(commandIds.acceptChange, new OfferedTarget(name));
    else if (chosen === keep) await this.close(name);
  }

  /** The tool of the tree item, the document, or the argument object, or one that the user selects. */
  private async choose({ target, document, call }: Invocation<'reviewChange' | 'acceptChange'>): Promise<ToolName> {
    const about = document?.scheme === consentScheme ? nameIn(document) : undefined;
    const server = target?.server ?? call?.server ?? about?.server;
    const tool = target?.tool ?? call?.tool ?? about?.tool;
    if (typeof server === 'string' && typeof tool === 'string') return { server, tool };
    const active = vscode.window.activeTextEditor?.document.uri;
    const open = active?.scheme === consentScheme ? nameIn(active) : undefined;
    if (open && server === undefined) return open;
    const items = this.deck.host.servers
      .list()
      .filter(({ id }) => server === undefined || id === server)
      .flatMap(({ id, quarantined }) =>
        [...(quarantined ?? [])].map((name) => ({
          label: visibleLine(name, 80),
          description: visibleLine(id, 60),
          name: { server: id, tool: name },
        })),
      );
    const [only] = items;
    if (!only) throw new UserError(vscode.l10n.t('No tool is in quarantine.'));
    if (items.length === 1) return only.name;
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Tools that changed since you approved them'),
      matchOnDescription: true,
    });
    if (!picked) throw new HostError('cancelled', 'No tool was picked.');
    return picked.name;
  }

  private find({ server, tool: name }: ToolName): { view: ServerView; tool: Tool } {
    const view = this.deck.host.servers.get(server);
    const tool = view?.features?.tools.find((one) => one.name === name);
    if (!view || !tool)
      throw new UserError(
        vscode.l10n.t(
          '"{0}" of "{1}" is not available now. Start the server to review the tool.',
          visibleLine(name, 80),
          visibleLine(server, 60),
        ),
      );
    return { view, tool };
  }

  private async close(name: ToolName): Promise<void> {
    const isOf = (uri: vscode.Uri) =>
      uri.scheme === consentScheme && keyOf(nameIn(uri) ?? { server: '', tool: '' }) === keyOf(name);
    const tabs = vscode.window.tabGroups.all
      .flatMap(({ tabs: all }) => all)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && isOf(input.modified));
    const hadFocus = tabs.some(({ isActive, group }) => isActive && group.isActive);
    await vscode.window.tabGroups.close(tabs, true);
    // When the last editor of a group closes, VS Code does not move the focus, so it is moved here.
    if (hadFocus) await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }
}

function nameIn(uri: vscode.Uri): ToolName | undefined {
  try {
    const about = JSON.parse(uri.query) as Partial<ToolName>;
    return typeof about.server === 'string' && typeof about.tool === 'string'
      ? { server: about.server, tool: about.tool }
      : undefined;
  } catch {
    return undefined;
  }
}

function keyOf({ server, tool }: ToolName): string {
  return JSON.stringify([server, tool]);
}

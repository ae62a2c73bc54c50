import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, messageOf, UserError } from '../../../core/base/hostError.js';
import { ruleKey } from '../../../core/present/tree/ruleNodes.js';
import type { PlacedRule } from '../../../core/consent/rule.js';
import { ruleText } from '../../../core/consent/rule.js';
import { askToWiden, askUnlessProven } from '../../ui/confirm.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import type { SettingKey } from '../../manifest.js';
import { commandIds, viewIds } from '../../manifest.js';
import { addRule, addToolRule } from './addRule.js';
import { AuditView } from './auditView.js';
import { ChangeReview } from './changeReview.js';
import { ConsentDocuments } from './consentDocuments.js';

/** Commands for rules, approvals, changed tools, and the audit log. */
export const consentFeature: Feature = {
  name: 'consent',
  register(deck): Disposable {
    const { commands } = deck;
    const store = new DisposableStore();
    const documents = store.add(new ConsentDocuments());
    const review = new ChangeReview(deck, documents);
    const audit = store.add(
      new AuditView(deck.consent, documents, (error) =>
        deck.log.write('warn', `The audit log could not be read: ${messageOf(error)}`),
      ),
    );
    store.add(
      commands.defineCommand(commandIds.showRules, async () =>
        vscode.commands.executeCommand(`${viewIds.rules}.focus`),
      ),
    );
    store.add(commands.defineCommand(commandIds.addRule, (invocation) => addRule(deck, invocation)));
    store.add(commands.defineCommand(commandIds.addToolRule, (invocation) => addToolRule(deck, invocation)));
    store.add(commands.defineCommand(commandIds.removeRule, (invocation) => removeRule(deck, invocation)));
    store.add(
      commands.defineCommand(commandIds.openRule, async (invocation) =>
        openRule(await chooseRule(deck, invocation, false), deck, documents),
      ),
    );
    store.add(commands.defineCommand(commandIds.resetApprovals, (invocation) => resetApprovals(deck, invocation)));
    store.add(commands.defineCommand(commandIds.reviewChange, (invocation) => review.open(invocation)));
    store.add(commands.defineCommand(commandIds.acceptChange, (invocation) => review.accept(invocation)));
    store.add(commands.defineCommand(commandIds.showAuditLog, (invocation) => showAuditLog(audit, invocation)));
    return store;
  },
};

/** The rule of the tree item or of `{ rule }`, or one that the user selects. */
async function chooseRule(
  { consent }: Pick<ExtensionServices, 'consent'>,
  { target, call }: Invocation<'openRule' | 'removeRule'>,
  isToRemove: boolean,
): Promise<PlacedRule> {
  const rules = consent.rules.rules.filter(({ source }) => !isToRemove || source !== 'workspaceFile');
  const key = target?.rule ?? call?.rule;
  if (key !== undefined) {
    const found = rules.find((placed) => ruleKey(placed) === key);
    if (!found) throw goneError();
    return found;
  }
  if (rules.length === 0)
    throw new UserError(vscode.l10n.t('There are no rules. To add a rule, run "MCP Deck: Add Rule…".'));
  const items = rules.map((placed) => ({
    label: ruleText(placed.rule),
    ...(placed.problem === undefined ? {} : { detail: placed.problem }),
    placed,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Rule'), matchOnDetail: true });
  if (!picked) throw new HostError('cancelled', 'No rule was picked.');
  return picked.placed;
}

function goneError(): UserError {
  return new UserError(vscode.l10n.t('This rule no longer exists.'));
}

/** Opens the setting that contains the rule. A rule that is not in a file is shown as JSON. */
async function openRule(
  { source, rule }: PlacedRule,
  { log }: Pick<ExtensionServices, 'log'>,
  documents: ConsentDocuments,
): Promise<void> {
  const revealSetting = { key: 'mcpDeck.rules' satisfies SettingKey, edit: true };
  if (source === 'always')
    await vscode.commands.executeCommand('workbench.action.openApplicationSettingsJson', { revealSetting });
  else if (source === 'workspaceFile')
    await vscode.commands.executeCommand('workbench.action.openWorkspaceSettingsFile', { revealSetting });
  else {
    log.write('debug', 'A rule that is not in a file is shown.');
    await show(documents.put(`${vscode.l10n.t('Rule')}.json`, `${JSON.stringify(rule, undefined, 2)}\n`), 'json');
  }
}

async function removeRule(
  deck: Pick<ExtensionServices, 'consent'>,
  invocation: Invocation<'removeRule'>,
): Promise<void> {
  const placed = await chooseRule(deck, invocation, true);
  const { rule } = placed;
  if (rule.effect !== 'allow') {
    await askUnlessProven(deck.consent.audit, invocation, {
      message: vscode.l10n.t('Remove this rule?'),
      detail: ruleText(rule),
      go: vscode.l10n.t('Remove Rule'),
    });
  }
  // The list may have changed while the question was open, so this checks that the position still contains the same
  // rule.
  const there = deck.consent.rules.rules.find((one) => ruleKey(one) === ruleKey(placed));
  if (JSON.stringify(there?.rule) !== JSON.stringify(rule)) throw goneError();
  await deck.consent.calls.removeRule(placed, auditCallerOf(invocation));
}

async function resetApprovals(
  { consent, gateway }: Pick<ExtensionServices, 'consent' | 'gateway'>,
  invocation: Invocation,
): Promise<void> {
  await askToWiden(consent.audit, invocation, {
    message: vscode.l10n.t('Reset your approvals for tools?'),
    detail: vscode.l10n.t(
      'Rules of this session and this workspace, approvals in your settings, and approvals of agents and of tool texts for agents are removed. Other rules in your settings are kept. The stored versions of tools are deleted.',
    ),
    go: vscode.l10n.t('Reset Approvals'),
  });
  await consent.calls.reset(auditCallerOf(invocation));
  await gateway.forgetAll();
}

/** Shows the whole log, or only the entries of the server that the user clicked or that the call specifies. */
async function showAuditLog(view: AuditView, { target, call }: Invocation<'showAuditLog'>): Promise<void> {
  const server = target?.server ?? call?.server;
  await show(await view.show(typeof server === 'string' ? { server } : {}), 'log');
}

async function show(uri: vscode.Uri, language: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const shown = await vscode.languages.setTextDocumentLanguage(document, language).then(undefined, () => document);
  await vscode.window.showTextDocument(shown, { preview: true });
}

import * as vscode from 'vscode';
import type { DeckApi } from './vscode/api.js';
import { lazyApi } from './vscode/api.js';
import type { Deck } from './vscode/deck.js';
import { DeckLoader } from './vscode/deckLoader.js';
import {
  commandIds,
  languageModelToolNames,
  panelTypes,
  participantId,
  serverProviderId,
  taskType,
  traceViewId,
  viewIds,
} from './vscode/manifest.js';
import { registerLazyFileSystem } from './vscode/lazyFileSystem.js';
import { watchLanguages } from './vscode/ui/safeLanguage.js';
import { loadWhenNeeded } from './vscode/startup.js';
import { OwnAgentOffer } from './vscode/features/gateway/ownAgent.js';
import { bundleDrop } from './vscode/features/servers/bundleDrop.js';
import { LazyTree } from './vscode/features/servers/lazyTree.js';

/** The loader is in a module variable, because VS Code calls `deactivate` without a context. */
let loader: DeckLoader | undefined;

/**
 * The composition root: registers the parts that VS Code needs immediately. All other parts are loaded on first use.
 */
export function activate(extension: vscode.ExtensionContext): DeckApi {
  const load = (): Promise<Deck> => deck.load();
  const tree = new LazyTree(async () => (await load()).tree);
  const runs = new LazyTree(async () => (await load()).runTree);
  const rules = new LazyTree(async () => (await load()).rulesTree);
  const gateway = new LazyTree(async () => (await load()).gatewayTree);
  const view = vscode.window.createTreeView(viewIds.servers, {
    treeDataProvider: tree,
    showCollapseAll: true,
    dragAndDropController: bundleDrop,
  });
  const runsView = vscode.window.createTreeView(viewIds.runs, {
    treeDataProvider: runs,
    showCollapseAll: true,
    canSelectMany: true,
  });
  const ownAgent = new OwnAgentOffer();
  extension.subscriptions.push(vscode.lm.registerMcpServerDefinitionProvider(serverProviderId, ownAgent));
  const deck = new DeckLoader({
    extension,
    view,
    runsView,
    onDidChangeTree: (element) => tree.refresh(element),
    onDidChangeRuns: () => runs.refresh(undefined),
    onDidChangeRules: () => rules.refresh(undefined),
    ownAgent,
    onDidChangeGateway: () => gateway.refresh(undefined),
  });
  loader = deck;
  const rulesView = vscode.window.createTreeView(viewIds.rules, { treeDataProvider: rules });
  // The view shows when each rule was last used. These times are refreshed when the view becomes visible.
  rulesView.onDidChangeVisibility(({ visible }) => (visible ? rules.refresh(undefined) : undefined));
  const gatewayView = vscode.window.createTreeView(viewIds.gateway, { treeDataProvider: gateway });
  extension.subscriptions.push(view, runsView, rulesView, gatewayView, registerLazyFileSystem(load));
  extension.subscriptions.push(watchLanguages([extension.storageUri, extension.globalStorageUri]));

  for (const id of Object.values(commandIds)) {
    extension.subscriptions.push(
      vscode.commands.registerCommand(id, async (...args: unknown[]) => (await load()).run(id, args)),
    );
  }

  for (const name of languageModelToolNames)
    extension.subscriptions.push(
      vscode.lm.registerTool(name, {
        prepareInvocation: async ({ input }) => (await load()).agentTools.prepare(name, input),
        invoke: async ({ input }, token) => (await load()).agentTools.invoke(name, input, token),
      }),
    );

  const participant = vscode.chat.createChatParticipant(participantId, async (...request) =>
    (await load()).chat.handler?.(...request),
  );
  participant.iconPath = vscode.Uri.joinPath(extension.extensionUri, 'media', 'icon.png');
  participant.followupProvider = {
    provideFollowups: async (...request) => (await load()).chat.followups?.provideFollowups(...request),
  };
  extension.subscriptions.push(participant);

  extension.subscriptions.push(
    vscode.window.registerUriHandler({ handleUri: async (uri) => (await load()).openUri(uri) }),
  );
  const tasks: vscode.TaskProvider = {
    provideTasks: async (token) => (await load()).tasks.provideTasks(token),
    resolveTask: async (task, token) => (await load()).tasks.resolveTask(task, token),
  };
  extension.subscriptions.push(vscode.tasks.registerTaskProvider(taskType, tasks));
  for (const type of Object.values(panelTypes)) {
    extension.subscriptions.push(
      vscode.window.registerWebviewPanelSerializer(type, {
        deserializeWebviewPanel: async (panel, state) => (await load()).restorePanel(type, panel, state),
      }),
    );
  }

  extension.subscriptions.push(
    vscode.window.registerWebviewViewProvider(traceViewId, {
      resolveWebviewView: async (view) => (await load()).trace.resolve(view),
    }),
  );

  // Deferred to the next turn of the event loop, because other extensions wait until this activation ends.
  setImmediate(() => void loadWhenNeeded(extension, () => void load().catch(reportLoadFailure)));
  return lazyApi(load);
}

/** Stops all servers and waits for their processes to end, for as long as VS Code waits for this function. */
export async function deactivate(): Promise<void> {
  await loader?.close();
}

function reportLoadFailure(error: unknown): void {
  void vscode.window.showErrorMessage(
    vscode.l10n.t('MCP Deck could not start: {0}', error instanceof Error ? error.message : String(error)),
  );
}

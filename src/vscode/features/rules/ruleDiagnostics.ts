import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore, toDisposable } from '../../../core/base/disposable.js';
import { canonicalJson } from '../../../core/base/jsonText.js';
import type { PlacedList } from '../../../core/config/settingPlaces.js';
import { maxConfigBytes } from '../../../core/config/configBytes.js';
import { placeSetting } from '../../../core/config/settingPlaces.js';
import type { RuleSource } from '../../../core/consent/rule.js';
import { readRules } from '../../../core/consent/readRules.js';
import { ruleFindings } from '../../../core/consent/ruleFindings.js';
import { ruleFindingText } from '../../../core/present/text/ruleFindingText.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { SettingKey } from '../../manifest.js';
import { rangeOf } from '../../adapters/openSource.js';
import { readTextUpTo } from '../../adapters/storage.js';

const key = 'mcpDeck.rules' satisfies SettingKey;
/** Delay, in milliseconds, before changed rules are read. Changes that arrive within this time are read together. */
const burstMs = 100;
/** The URI scheme under which editors show the user settings. */
const userScheme = 'vscode-userdata';

/**
 * Shows rules in the Problems view, at their position in the settings, if they are invalid, can never match, or use a
 * former name of a field.
 */
export const ruleDiagnosticsFeature: Feature = {
  name: 'rule problems',
  register(deck): Disposable {
    const store = new DisposableStore();
    const collection = store.add(vscode.languages.createDiagnosticCollection('mcp-deck-rules'));
    let timer: NodeJS.Timeout | undefined;
    let latest = 0;
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const turn = ++latest;
        void findProblems(deck).then((problems) => {
          if (turn !== latest) return;
          collection.clear();
          for (const [uri, found] of problems) collection.set(uri, found);
        });
      }, burstMs);
    };
    store.add(toDisposable(() => clearTimeout(timer)));
    store.add(deck.consent.rules.onDidChange(later));
    store.add(deck.consent.configured.onDidChange(later));
    store.add(
      vscode.workspace.onDidOpenTextDocument(({ uri }) => (uri.path.endsWith('/settings.json') ? later() : undefined)),
    );
    later();
    return store;
  },
};

async function findProblems(
  deck: Pick<ExtensionServices, 'consent' | 'extension'>,
): Promise<[vscode.Uri, vscode.Diagnostic[]][]> {
  const { rules } = deck.consent.rules;
  const findings = ruleFindings(rules, deck.consent.configured.current());
  if (findings.size === 0) return [];
  const found: [vscode.Uri, vscode.Diagnostic[]][] = [];
  for (const { uris, source } of filesOf(deck.extension)) {
    const place = await firstWithRules(uris);
    if (!place) continue;
    const { uri, written } = place;
    const diagnostics: vscode.Diagnostic[] = [];
    for (const inFile of readRules(written.value, source)) {
      // Finds the same rule among those in effect. A rule of the file that is not in effect gets no diagnostic. For
      // example, the file may belong to another profile.
      const counted = rules.find(
        (one) =>
          one.source === source &&
          one.index === inFile.index &&
          one.problem === inFile.problem &&
          canonicalJson(one.rule) === canonicalJson(inFile.rule),
      );
      const finding = counted && findings.get(counted);
      if (!finding) continue;
      const diagnostic = new vscode.Diagnostic(
        rangeOf(written.items[inFile.index] ?? written.whole),
        ruleFindingText(finding),
        finding.kind === 'former-name' ? vscode.DiagnosticSeverity.Information : vscode.DiagnosticSeverity.Warning,
      );
      diagnostic.source = 'MCP Deck';
      diagnostics.push(diagnostic);
    }
    if (diagnostics.length > 0) found.push([uri, diagnostics]);
  }
  return found;
}

/**
 * The files that can contain rules, as lists of alternative URIs. Of each list, the first file that contains rules is
 * used. VS Code does not provide the location of the user settings: in a local window, the file is next to the
 * extension's storage, and editors use a separate scheme for it. If the extensions run remotely, the location is
 * unknown, and problems are shown only after an editor has opened the file.
 */
function filesOf({ globalStorageUri }: vscode.ExtensionContext): { uris: vscode.Uri[]; source: RuleSource }[] {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const beside = vscode.Uri.joinPath(globalStorageUri, '..', '..', 'settings.json');
  const shown = vscode.workspace.textDocuments
    .map(({ uri }) => uri)
    .filter(({ scheme, path }) => path === beside.path || (scheme === userScheme && path.endsWith('/settings.json')));
  return [
    { uris: [...shown, beside.with({ scheme: userScheme }), beside], source: 'always' },
    ...(workspaceFile ? [{ uris: [workspaceFile], source: 'workspaceFile' as const }] : []),
    ...workspaceFolders.map(({ uri }) => ({
      uris: [vscode.Uri.joinPath(uri, '.vscode', 'settings.json')],
      source: 'workspaceFile' as const,
    })),
  ];
}

async function firstWithRules(
  uris: readonly vscode.Uri[],
): Promise<{ uri: vscode.Uri; written: PlacedList } | undefined> {
  for (const uri of uris) {
    const written = placeSetting(await readSettings(uri), key);
    if (written) return { uri, written };
  }
  return undefined;
}

async function readSettings(uri: vscode.Uri): Promise<string> {
  try {
    return await readTextUpTo(uri, maxConfigBytes);
  } catch {
    // The file cannot be read. Usually, it does not exist.
    return '';
  }
}

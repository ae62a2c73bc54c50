import os from 'node:os';
import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { countHidden, visibleLine, visibleText } from '../../../core/base/hostileText.js';
import type { BundlePlace } from '../../../core/gallery/bundleManifest.js';
import { bundlePlatform } from '../../../core/gallery/bundleManifest.js';
import type { AnnouncedItem } from '../../../core/gallery/bundles/bundleInfo.js';
import { bundleServer, startText } from '../../../core/gallery/bundles/bundleServer.js';
import { settingProblems, settingsSchema, settingsStart } from '../../../core/gallery/bundles/bundleSettings.js';
import type { StagedBundle } from '../../../core/gallery/bundles/bundleStore.js';
import { schemaForm } from '../../../core/present/form/schemaForm.js';
import type { Arguments, Problem } from '../../../shared/panel/formMessages.js';
import type { FormRequestState } from '../../../shared/panel/formRequestPage.js';
import { FormRequestPage } from '../../ui/formRequestPage.js';
import type { BundleOrigin } from '../../ui/pages.js';
import type { ExtensionServices } from '../../ui/services.js';
import { updateBundle } from './updateBundle.js';

/** Maximum number of tools or prompts that the page names. */
const maxNames = 40;

/** A checked bundle that the user is about to install. */
export interface BundleToInstall {
  staged: StagedBundle;
  /** Where the file comes from, for display. */
  from: string;
  origin?: BundleOrigin;
  /** ID of the server that the bundle updates. Default: the bundle becomes a new server. */
  updates?: string;
  /** Missing runtimes, as sentences. */
  problems: readonly string[];
}

/**
 * The page of a bundle before it is unpacked: what it is, what it will run, and the form of its settings. Its button
 * unpacks the bundle and opens the page of a new server, which shows the exact command and saves it. For an update, the
 * button asks about the new definition and replaces the installed one.
 */
export class BundlePage {
  private readonly page: FormRequestPage;
  private readonly place: BundlePlace;

  constructor(
    private readonly deck: ExtensionServices,
    panel: vscode.WebviewPanel,
    private readonly bundle: BundleToInstall,
  ) {
    const { staged } = bundle;
    this.place = { folder: staged.folder, home: os.homedir(), platform: bundlePlatform() };
    panel.title = vscode.l10n.t('Install "{0}"', visibleLine(staged.info.title ?? staged.info.name, 60));
    this.page = new FormRequestPage(deck, {
      panel,
      title: vscode.l10n.t('Install Bundle'),
      subject: 'the settings of a bundle',
      icon: 'tool',
      draftKey: () => JSON.stringify(['bundle', staged.sha256]),
      state: () => this.state(),
      check: (values) => this.check(values),
      submit: (values) => this.submit(values),
      leave: () => true,
      suggest: (question) => deck.workspaceValues.suggestions(question, 'absolute'),
    });
    panel.onDidDispose(() => void staged.dispose().catch((error: unknown) => deck.funnel.show(error)));
  }

  /** The schema of the form. An update may leave secrets empty, and then keeps their stored values. */
  private get schema() {
    const { staged, updates } = this.bundle;
    const { settings } = staged.info;
    const asked = settings.map((setting) => (setting.isSecret ? { ...setting, isRequired: false } : setting));
    return settingsSchema({ settings: updates === undefined ? settings : asked });
  }

  private state(): Omit<FormRequestState, 'draft'> {
    const { staged, problems, from } = this.bundle;
    const { info } = staged;
    const texts = JSON.stringify(info.manifest);
    const hidden = countHidden(texts);
    return {
      bundle: vscode.l10n.bundle ?? {},
      target: { server: info.name, kind: 'server', id: `bundle ${staged.sha256}` },
      title: vscode.l10n.t('Install Bundle'),
      hint: visibleLine(from, 120),
      message: this.facts().join('\n'),
      warnings: [
        ...problems,
        ...(hidden === 0
          ? []
          : [vscode.l10n.t('The manifest contains hidden characters ({0}). They are shown as codes.', hidden)]),
      ],
      submit:
        this.bundle.updates === undefined ? vscode.l10n.t('Unpack and Continue') : vscode.l10n.t('Unpack and Update'),
      ways: [
        {
          way: 'cancel',
          text: vscode.l10n.t('Discard'),
          tooltip: vscode.l10n.t('Closes the page and deletes the copy of the file'),
          icon: 'discard',
        },
      ],
      hasModes: info.settings.length > 0,
      form: schemaForm(this.schema),
      start: settingsStart(info, this.place),
    };
  }

  /** The facts about the bundle that the user needs, one per line. */
  private facts(): string[] {
    const { staged } = this.bundle;
    const { info, isSigned, sha256 } = staged;
    const name = visibleLine(info.title ?? info.name, 80);
    const version = visibleLine(info.version, 40);
    return [
      info.author === undefined
        ? vscode.l10n.t('{0}, version {1}. The manifest names no author.', name, version)
        : vscode.l10n.t(
            '{0}, version {1}, by {2} according to its manifest.',
            name,
            version,
            visibleLine(info.author, 80),
          ),
      ...(info.description === '' ? [] : [visibleText(info.description, 1_000)]),
      startText(info, this.place, staged.label),
      ...namesLine(info.tools, (list) => vscode.l10n.t('Tools listed in the bundle: {0}', list)),
      ...namesLine(info.prompts, (list) => vscode.l10n.t('Prompts listed in the bundle: {0}', list)),
      isSigned
        ? vscode.l10n.t('Signature: not verified. MCP Deck does not verify the signatures of bundles.')
        : vscode.l10n.t('Signature: none.'),
      vscode.l10n.t('SHA-256: {0}', sha256),
      ...(this.bundle.updates === undefined
        ? [vscode.l10n.t('Nothing runs yet. The next page shows the exact command before the server is saved.')]
        : [
            vscode.l10n.t(
              'Enter the settings again. Leave a secret empty to keep its stored value. You are asked before anything changes.',
            ),
          ]),
    ];
  }

  private async check(values: unknown): Promise<Problem[]> {
    const { info } = this.bundle.staged;
    const { problems } = (await this.deck.schemas.load()).check(this.schema, values);
    if (problems.length > 0 || !isObject(values)) return [...problems];
    return settingProblems(info, values);
  }

  private async submit(values: Arguments): Promise<boolean> {
    if ((await this.check(values)).length > 0) return false;
    const { deck, place } = this;
    const { staged, from, origin, updates } = this.bundle;
    const { info, label, folder } = staged;
    const { fields, inputs, secrets } = bundleServer(info, place, values, label);
    this.page.progress(vscode.l10n.t('Unpacking…'));
    await staged.unpack();
    if (updates !== undefined) {
      const made = { fields: { ...fields, ...origin?.fields }, inputs, secrets };
      await updateBundle(deck, { staged, updates, made });
      return true;
    }
    const server = { name: info.name, fields: { ...fields, ...origin?.fields } };
    deck.editPages.add({
      server,
      inputs,
      secrets: secrets.map((secret) => ({ ...secret, server: info.name, before: '' })),
      needs: [],
      notes: [vscode.l10n.t('The files of the bundle are in {0}. Source: {1}', folder, visibleLine(from, 200))],
      place: 'user',
      onDidSave: (user) => {
        deck.bundles.use(folder, user).catch((error: unknown) => deck.funnel.show(error));
      },
    });
    return true;
  }
}

function namesLine(items: readonly AnnouncedItem[], line: (list: string) => string): string[] {
  if (items.length === 0) return [];
  const names = items.slice(0, maxNames).map(({ name }) => visibleLine(name, 60));
  return [line([...names, ...(items.length > maxNames ? ['…'] : [])].join(', '))];
}

import os from 'node:os';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, isCancelled, messageOf } from '../../../core/base/hostError.js';
import { runInSlices } from '../../../core/base/timeSlice.js';
import { Gallery } from '../../../core/gallery/gallery.js';
import type { GalleryMatch } from '../../../core/gallery/gallery.js';
import type { GalleryEntry } from '../../../core/gallery/galleryEntry.js';
import { ProgramSearch } from '../../../core/gallery/neededProgram.js';
import { serverVersions } from '../../../core/gallery/serverVersions.js';
import { headersOfFile, officialRegistry } from '../../../core/gallery/sourceSettings.js';
import { failureText } from '../../../core/present/failure/failureText.js';
import { latestEntry, serverOffer } from '../../../core/present/gallery/serverOffer.js';
import type { RowFacts } from '../../../core/present/gallery/serverRows.js';
import { ageText, serverRow } from '../../../core/present/gallery/serverRows.js';
import { sourceLine } from '../../../core/present/gallery/sourceLines.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type {
  GalleryAction,
  GalleryFromPage,
  GalleryResults,
  GalleryRow,
  GalleryToPage,
  ServerKey,
  VersionLine,
} from '../../../shared/galleryPage.js';
import { galleryGuards } from '../../../shared/galleryPage.js';
import { copyText } from '../../adapters/userMessages.js';
import { commandIds, galleryPanelType } from '../../manifest.js';
import { openLink } from '../../ui/openLink.js';
import { Page } from '../../ui/page.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { CurrentSources } from '../../ui/gallerySources.js';
import { currentSources, enterValues, sourceSettings } from '../../ui/gallerySources.js';
import { Installation } from './installation.js';

/** Age, in milliseconds, above which the lists are read again from their registries. */
const freshMs = 5 * 60_000;
/** Minimum time, in milliseconds, between two messages to the page about changed lists. */
const tellEveryMs = 1_000;
/** Maximum number of rows of one search. */
const maxRows = 500;

/** Opens the page of *Find a Server…*. */
export function openGalleryPage(deck: ExtensionServices): GalleryPage {
  const panel = vscode.window.createWebviewPanel(
    galleryPanelType,
    vscode.l10n.t('Find a Server'),
    vscode.ViewColumn.Active,
    {},
  );
  return new GalleryPage(deck, panel);
}

/**
 * The page that finds and installs servers. The registries are contacted only while it is open. VS Code does not
 * restore it, so a reloaded window contacts none.
 */
export class GalleryPage implements Disposable {
  private readonly store = new DisposableStore();
  private readonly page: Page<GalleryToPage, GalleryFromPage>;
  private readonly installation: Installation;
  private readonly programs = new ProgramSearch(process.env, os.homedir());
  private gallery = new Gallery([]);
  private current: CurrentSources = { sources: [] };
  private reading: Promise<void> | undefined;
  /**
   * The versions that the page shows or offers, by place, name and version. They can still be installed after the list
   * has a newer version.
   */
  private readonly versions = new Map<string, GalleryEntry>();
  private telling: NodeJS.Timeout | undefined;
  private isGone = false;

  constructor(
    private readonly deck: ExtensionServices,
    private readonly panel: vscode.WebviewPanel,
  ) {
    const icon = (theme: 'light' | 'dark') =>
      vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `server-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    this.installation = new Installation(
      deck,
      (place, file) => {
        const source = this.current.sources.find((one) => one.place === place);
        return source && headersOfFile(source, file);
      },
      (text) => this.page.channel.notify('progress', text === undefined ? {} : { text }),
    );
    this.page = this.store.add(
      new Page<GalleryToPage, GalleryFromPage>({
        webview: panel.webview,
        extensionUri: deck.extension.extensionUri,
        name: 'gallery',
        title: vscode.l10n.t('Find a Server'),
        guards: galleryGuards,
        log: deck.log,
        handlers: {
          notices: {
            ready: () => void this.show(),
            act: ({ action, place }) => this.act(action, place),
            openLink: ({ href }) => this.report(openLink(href, undefined)),
            copy: ({ text }) => this.report(copyText(text)),
          },
          requests: {
            search: ({ query, limit }) => this.search(query, limit),
            details: (key) => this.details(key),
            latest: ({ place, name }) => {
              const entry = this.gallery.find(place, name);
              return entry ? latestEntry(entry) : null;
            },
            versions: (key) => this.listVersions(key),
            installForm: ({ option, ...key }) => this.installation.form(this.require(key), option),
            preview: ({ option, arguments: values, ...key }) =>
              this.installation.preview(this.require(key), option, values),
            install: ({ option, arguments: values, mode, shown, ...key }) =>
              this.installation.install({ found: this.require(key), option, values, mode, shown }),
            check: ({ arguments: values }) => this.installation.check(values),
            suggest: (question) => deck.workspaceValues.suggestions(question, 'absolute'),
            ...deck.workspaceValues.formAnswers(() => 'absolute'),
          },
        },
      }),
    );
    this.store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (sourceSettings.some((key) => event.affectsConfiguration(key))) this.report(this.readAgain());
      }),
    );
    this.store.add({ dispose: () => this.gallery.dispose() });
    panel.onDidDispose(() => this.dispose());
  }

  get isClosed(): boolean {
    return this.isGone;
  }

  reveal(): void {
    this.panel.reveal();
    this.page.channel.notify('focusSearch', {});
  }

  dispose(): void {
    this.isGone = true;
    clearTimeout(this.telling);
    this.store.dispose();
  }

  private async show(): Promise<void> {
    this.reading ??= this.readSources();
    await this.reading;
    if (this.isGone) return;
    this.page.channel.notify('show', { bundle: vscode.l10n.bundle ?? {}, ...this.lines() });
  }

  /** Reads the sources and the stored lists. Updates the lists if one of them is old. */
  private async readSources(): Promise<void> {
    this.current = await currentSources(this.deck);
    this.gallery.dispose();
    if (this.isGone) return;
    this.gallery = new Gallery(this.current.sources);
    this.gallery.onDidChange(() => this.changed());
    await this.gallery.open();
    const isOld = this.gallery.states.some(({ ageMs }) => ageMs === undefined || ageMs > freshMs);
    if (isOld) this.report(this.update());
  }

  /** Updates the lists, and shows new versions of installed servers in the Servers view. */
  private async update(): Promise<void> {
    await this.gallery.update();
    await this.deck.updates.refresh(this.deck.host.servers.list());
  }

  private async readAgain(): Promise<void> {
    this.reading = this.readSources();
    await this.reading;
    this.changed();
  }

  private changed(): void {
    if (this.telling || this.isGone) return;
    this.telling = setTimeout(() => {
      this.telling = undefined;
      this.page.channel.notify('changed', this.lines());
    }, tellEveryMs);
  }

  private lines() {
    const { note } = this.current;
    return { sources: this.gallery.states.map(sourceLine), ...(note === undefined ? {} : { note }) };
  }

  private async search(query: string, limit: number): Promise<GalleryResults> {
    const most = Math.min(maxRows, Math.max(1, Math.trunc(limit)));
    const found = await this.gallery.search(query, most + 1);
    const facts = this.facts();
    return {
      // Runs in slices, because reading the packages of large entries takes long.
      rows: await runInSlices(rowsOf(found.slice(0, most), facts)),
      hasMore: found.length > most && most < maxRows,
    };
  }

  private details(key: ServerKey) {
    const found = this.find(key);
    const latest = this.gallery.find(key.place, key.name);
    if (!found || !latest) return null;
    this.versions.set(versionKey(key.place, found.entry), found.entry);
    return serverOffer(found, this.facts(), { latest, blocked: this.installation.blockedText(found) });
  }

  private async listVersions({ place, name }: ServerKey): Promise<VersionLine[]> {
    const source = this.gallery.source(place);
    if (!source) return [];
    const entries = await serverVersions(place, name, source).catch((error: unknown) => {
      const { what, next } = failureText(error, undefined);
      throw new Error(`${what} ${next}`);
    });
    for (const entry of entries) this.versions.set(versionKey(place, entry), entry);
    return entries.map(({ version, publishedAt }) => ({
      version,
      text: [
        visibleName(version, 60),
        ...(publishedAt === undefined ? [] : [vscode.l10n.t('{0} ago', ageText(Date.now() - Date.parse(publishedAt)))]),
      ].join(' · '),
    }));
  }

  private find({ place, name, version }: ServerKey): GalleryMatch | undefined {
    const latest = this.gallery.find(place, name);
    // Other versions of a server that its registry no longer lists cannot be installed.
    if (!latest || version === undefined || latest.version === version) return latest && { place, entry: latest };
    const entry = this.versions.get(versionKey(place, { name, version }));
    return entry && { place, entry };
  }

  private require(key: ServerKey): GalleryMatch {
    const found = this.find(key);
    if (!found)
      throw new HostError(
        'invalid-arguments',
        vscode.l10n.t('The registry no longer lists this server. Search again.'),
      );
    return found;
  }

  private facts(): RowFacts {
    const { programs, gallery } = this;
    return {
      source: (place) => ({
        name: gallery.source(place)?.name ?? '',
        isVerifying: place.replace(/\/+$/, '') === officialRegistry,
      }),
      programs,
      now: Date.now(),
    };
  }

  private act(action: GalleryAction, place = ''): void {
    switch (action) {
      case 'refresh':
        return this.report(this.update());
      case 'openSettings':
        return this.report(vscode.commands.executeCommand('workbench.action.openSettings', 'mcpDeck.registries'));
      case 'enterValues':
        return this.report(enterValues(this.deck, place).then(() => this.readAgain()));
      case 'showLog':
        return this.report(vscode.commands.executeCommand(commandIds.showLog));
      case 'addServer':
        return this.report(vscode.commands.executeCommand(commandIds.addServer));
      case 'learnMore':
        return this.report(vscode.commands.executeCommand(commandIds.openDocumentation, { page: 'finding-servers' }));
    }
  }

  private report(work: PromiseLike<unknown>): void {
    work.then(undefined, (error: unknown) => {
      if (isCancelled(error)) return;
      this.deck.log.write('debug', messageOf(error));
      this.deck.funnel.show(error);
    });
  }
}

function* rowsOf(found: readonly GalleryMatch[], facts: RowFacts): Generator<undefined, GalleryRow[]> {
  const rows: GalleryRow[] = [];
  for (const one of found) {
    rows.push(serverRow(one, facts));
    yield;
  }
  return rows;
}

function versionKey(place: string, { name, version }: Pick<GalleryEntry, 'name' | 'version'>): string {
  return JSON.stringify([place, name, version]);
}

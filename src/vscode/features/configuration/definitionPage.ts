import * as vscode from 'vscode';
import { isObject, without } from '../../../core/base/guards.js';
import { isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { isLive } from '../../../core/connection/serverConnection.js';
import { keptServer } from '../../../core/interchange/pasted/unsavedServer.js';
import { failureLines, failureMessage, failureText } from '../../../core/present/failure/failureText.js';
import { failedField } from '../../../core/present/form/failedField.js';
import { schemaForm } from '../../../core/present/form/schemaForm.js';
import { isShownWhole } from '../../../core/present/form/shownWhole.js';
import { joinNewServer, nameProblem, newServerSchema, splitNewServer } from '../../../core/present/form/newServer.js';
import type { WrittenFields } from '../../../core/present/form/serverForm.js';
import { fieldProblems, plainForm, schemaFor } from '../../../core/present/form/serverForm.js';
import type { Arguments, Problem } from '../../../shared/panel/formMessages.js';
import type { FormFailure, FormRequestState, Remedy, WayOut } from '../../../shared/panel/formRequestPage.js';
import { isRemedy } from '../../../shared/panel/formRequestPage.js';
import { performOnPage } from '../../ui/performFailureAction.js';
import type { ExtensionServices } from '../../ui/services.js';
import { userChoice } from '../../ui/invocation.js';
import type { SettingKey } from '../../manifest.js';
import { commandIds } from '../../manifest.js';
import { openSource } from '../../adapters/openSource.js';
import { keyOf, placeOfKey, saveChoices } from '../../ui/saveChoices.js';
import { FormRequestPage } from '../../ui/formRequestPage.js';
import { readFields, readOwnPlace } from '../../adapters/ownPlaces.js';
import type { DefinitionSubject } from './definitionSubject.js';
import { draftKey, idOf, isNew, isOf, preferredPlace } from './definitionSubject.js';
import {
  discard,
  editMessage,
  failureWays,
  newMessage,
  openFile,
  secretWarnings,
  warningsOf,
} from './definitionTexts.js';
import type { Edited } from '../../ui/saveServer.js';
import { changedFields, saveEdited, saveNew, startSaved } from '../../ui/saveServer.js';

/** Maximum number of lines of the error output that the page shows after a failed start. */
const maxLines = 4;

/**
 * The page with the form of one server definition. After a new server was saved, the same page edits the saved
 * definition. The page stays open if the server does not start, so that the user can correct the definition.
 */
export class DefinitionPage {
  private readonly page: FormRequestPage;
  private failure: FormFailure | undefined;
  /** The error of the server's state when the page was last drawn. */
  private shownError: Error | undefined;
  /** Whether the page itself is changing or starting the server. */
  private isBusy = false;
  /**
   * Warnings that the page shows. If the saved definition causes other warnings, the user is asked for approval before
   * the start.
   */
  private shownWarnings: readonly string[] = [];
  /** The definition as it was last sent to the page. */
  private drawn: WrittenFields = {};

  constructor(
    private readonly deck: ExtensionServices,
    readonly panel: vscode.WebviewPanel,
    private subject: DefinitionSubject,
    private readonly onDidSave: (edited: Edited) => void,
  ) {
    this.page = new FormRequestPage(deck, {
      panel,
      title: isNew(subject) ? vscode.l10n.t('Add Server') : vscode.l10n.t('Edit Server'),
      subject: 'the definition of a server',
      icon: 'tool',
      draftKey: () => draftKey(this.subject),
      state: () => this.state(),
      check: (values) => this.check(values),
      submit: (values, isSecondary, json) => this.whileBusy(() => this.submit(values, !isSecondary, json)),
      leave: (way) => this.leave(way),
      suggest: (question) => deck.workspaceValues.suggestions(question, 'absolute'),
    });
    const changes = deck.host.servers.onDidChange(() => this.serverChanged());
    panel.onDidDispose(() => changes.dispose());
  }

  private async whileBusy<T>(work: () => Promise<T>): Promise<T> {
    this.isBusy = true;
    try {
      return await work();
    } finally {
      this.isBusy = false;
    }
  }

  private get name(): string {
    return isNew(this.subject) ? this.subject.server.name : this.subject.name;
  }

  /** The server of this definition; undefined if there is none yet. */
  private get view(): ServerView | undefined {
    return this.deck.host.servers.list().find(({ entry }) => isOf(entry, this.subject));
  }

  /**
   * Updates the shown failure when the server fails or recovers while the page is open. Unsaved input, and the progress
   * of the page's own start, are not disturbed.
   */
  private serverChanged(): void {
    if (this.isBusy || this.page.isClosed || this.page.hasInput || errorOf(this.view) === this.shownError) return;
    this.failure = undefined;
    this.page.refresh();
  }

  private get fields(): WrittenFields {
    return isNew(this.subject) ? this.subject.server.fields : this.subject.before;
  }

  private state(): Omit<FormRequestState, 'draft'> {
    const { subject, name, fields, view } = this;
    const title = isNew(subject) ? vscode.l10n.t('Add Server') : vscode.l10n.t('Edit "{0}"', visibleLine(name, 80));
    this.panel.title = isNew(subject) ? title : vscode.l10n.t('Edit "{0}"', visibleLine(name, 60));
    this.shownWarnings = warningsOf(subject, name, fields);
    this.drawn = fields;
    const isRunning = view !== undefined && isLive(view.state);
    this.shownError = errorOf(view);
    const failure =
      this.failure ?? (isNew(subject) || !this.shownError ? undefined : this.failureOf(subject, this.shownError));
    return {
      bundle: vscode.l10n.bundle ?? {},
      target: { server: name, kind: 'server', id: idOf(subject) },
      title,
      ...(isNew(subject) ? { kept: keptServer(subject) } : {}),
      ...(isNew(subject) ? {} : { hint: subject.place.label }),
      message: isNew(subject) ? newMessage(subject) : editMessage(subject),
      warnings: [...this.shownWarnings, ...(isNew(subject) ? [] : secretWarnings(name, fields))],
      ...(failure ? { failure } : {}),
      submit: isRunning ? vscode.l10n.t('Save and Restart') : vscode.l10n.t('Save and Start'),
      secondSubmit: vscode.l10n.t('Save'),
      ways: isNew(subject) ? [discard()] : [openFile(), discard()],
      hasModes: true,
      form: schemaForm(plainForm(this.schema, fields)),
      start: isNew(subject)
        ? joinNewServer({ name, saveTo: keyOf(preferredPlace(subject)), fields })
        : { ...subject.before },
    };
  }

  private get schema() {
    const schema = schemaFor(this.fields, settingsSchema(this.deck));
    return isNew(this.subject) ? newServerSchema(schema, saveChoices()) : schema;
  }

  private async check(values: unknown): Promise<Problem[]> {
    const { problems } = (await this.deck.schemas.load()).check(this.schema, values);
    if (problems.length > 0 || !isObject(values)) return [...problems];
    if (!isNew(this.subject)) return fieldProblems(this.name, values);
    const { name, saveTo, fields } = splitNewServer(values);
    const place = placeOfKey(saveTo);
    const taken = place ? Object.keys((await readOwnPlace(place)).servers) : [];
    return [...nameProblem(name, new Set(taken)), ...fieldProblems(name, fields)];
  }

  private async submit(values: Arguments, isStart: boolean, json: string | undefined): Promise<boolean> {
    if ((await this.check(values)).length > 0) return false;
    const before = this.subject;
    const isEachShown = this.showsWhole(values, json);
    // If the user changed nothing, the definition is that of the file's author, and its start asks for approval as
    // usual.
    const isDecided = isNew(before) || changedFields(before.before, values).length > 0;
    const edited = await this.save(values, isEachShown);
    if (!edited) return false;
    const isWhole = isNew(before) || changedFields(values, edited.before).length === 0;
    const isShown =
      isWhole &&
      isDecided &&
      isEachShown &&
      warningsOf(edited, edited.name, edited.before).every((one) => this.shownWarnings.includes(one));
    this.subject = edited;
    this.onDidSave(edited);
    if (isNew(before)) before.onDidSave?.({ name: edited.name, source: edited.place.source.id });
    if (!isStart) {
      this.deck.revealServer({ name: edited.name, source: edited.place.source.id });
      return true;
    }
    this.page.progress(vscode.l10n.t('Saved. Starting "{0}"…', visibleLine(edited.name, 80)));
    return this.start(edited, isShown);
  }

  /**
   * Whether the page showed every value completely. It does not show the values of arguments that were moved to secret
   * storage.
   */
  private showsWhole(values: Arguments, json: string | undefined): boolean {
    const { subject, drawn } = this;
    // These two fields record where a server was installed from, and do not change what runs.
    const fields = without(isNew(subject) ? splitNewServer(values).fields : values, 'gallery', 'version');
    const schema = schemaFor(fields, settingsSchema(this.deck));
    return (
      isShownWhole(fields, { drawn, schema, ...(json === undefined ? {} : { json }) }) &&
      !(isNew(subject) && subject.secrets.some(({ field }) => field === 'args'))
    );
  }

  private async save(values: Arguments, isShown: boolean): Promise<Edited | undefined> {
    const { subject, deck } = this;
    if (!isNew(subject)) {
      await saveEdited(deck, subject, values);
      return { ...subject, before: await readFields(subject.name, subject.place) };
    }
    const all = splitNewServer(values);
    const place = placeOfKey(all.saveTo);
    if (!place) return undefined;
    return saveNew(deck, subject, all, place, isShown).catch((error: unknown) => {
      // The user was asked and did not add the server.
      if (isCancelled(error)) return undefined;
      throw error;
    });
  }

  /** Starts the saved server. Resolves to false if that fails; the page then shows the failure. */
  private async start(edited: Edited, isShown: boolean): Promise<boolean> {
    try {
      const id = await startSaved(this.deck, edited, isShown);
      this.deck.revealServer({ name: edited.name, source: edited.place.source.id });
      this.deck.log.write('debug', `"${id}" was saved and started.`);
      return true;
    } catch (error) {
      this.deck.revealServer({ name: edited.name, source: edited.place.source.id });
      if (this.page.isClosed) throw error;
      this.failure = isCancelled(error) ? undefined : this.failureOf(edited, error);
      this.page.refresh();
      return false;
    }
  }

  private failureOf(edited: Edited, error: unknown): FormFailure {
    const { view } = this;
    const field = failedField(error, edited.before);
    const { what, next } = failureText(error, view?.id ?? edited.name);
    const message = failureMessage(error, {
      isWorkspaceTrusted: vscode.workspace.isTrusted,
      ...(view ? { server: view.id } : {}),
    });
    if (message?.isUnexpected === true) this.deck.log.write('error', error instanceof Error ? (error.stack ?? '') : '');
    return {
      what,
      next,
      lines: failureLines(error, view?.stderr ?? []).slice(0, maxLines),
      ways: view ? failureWays(message) : [],
      ...(field === undefined ? {} : { field }),
    };
  }

  private leave(way: WayOut): boolean {
    const { subject, deck } = this;
    if (way === 'cancel') return true;
    if (isNew(subject)) return false;
    if (isRemedy(way)) {
      void this.whileBusy(() => this.remedy(subject, way));
      return false;
    }
    if (way === 'openSource') void openSource(subject.place.source).catch((error: unknown) => deck.funnel.show(error));
    const { view } = this;
    const command = way === 'showLog' ? commandIds.showLog : way === 'diagnose' ? commandIds.diagnoseServer : undefined;
    if (view && command !== undefined)
      void vscode.commands.executeCommand(command, userChoice(command, { server: view.id }));
    return false;
  }

  /**
   * Runs the command that removes the cause of the failed start. If the server runs afterward, the page closes, as
   * after *Save and Start*.
   */
  private async remedy(edited: Edited, remedy: Remedy): Promise<void> {
    const { view } = this;
    if (!view) return;
    // The error is ignored, because `performOnPage` shows it in a message, or this page shows the failure of the
    // server.
    await performOnPage(this.deck, remedy, { server: view.id, panel: this.panel }).then(undefined, () => undefined);
    const now = this.view;
    if (!now || this.page.isClosed || this.subject !== edited) return;
    const { state } = now;
    const error = errorOf(now);
    this.failure = error && this.failureOf(edited, error);
    // Unsaved input is kept. When it is saved, it is merged with the changes that the command wrote.
    if (!this.page.hasInput) {
      if (state.kind === 'running') {
        this.deck.revealServer({ name: edited.name, source: edited.place.source.id });
        return this.page.close();
      }
      this.subject = { ...edited, before: await readFields(edited.name, edited.place) };
    }
    this.page.refresh();
  }
}

/** The error of a server that failed or needs a sign-in. */
function errorOf(view: ServerView | undefined): Error | undefined {
  return view?.state.kind === 'failed' || view?.state.kind === 'needsSignIn' ? view.state.error : undefined;
}

/** The schema of a server in the user's language. Settings, files, and forms use the same schema. */
function settingsSchema(deck: Pick<ExtensionServices, 'extension'>): unknown {
  const { contributes } = deck.extension.extension.packageJSON as {
    contributes: { configuration: readonly { properties: Record<string, { additionalProperties?: unknown }> }[] };
  };
  const key = 'mcpDeck.servers' satisfies SettingKey;
  return contributes.configuration.map(({ properties }) => properties[key]).find((property) => property !== undefined)
    ?.additionalProperties;
}

import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { isObject, without } from '../../../core/base/guards.js';
import { isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServerView } from '../../../core/catalog/hostApi.js';
import { isLive } from '../../../core/connection/serverConnection.js';
import { describeCarried } from '../../../core/interchange/carriedDefinition.js';
import { keptServer } from '../../../core/interchange/pasted/unsavedServer.js';
import { failureActionLabel } from '../../../core/present/failure/failureActions.js';
import type { FailureMessage } from '../../../core/present/failure/failureText.js';
import { failureLines, failureMessage, failureText } from '../../../core/present/failure/failureText.js';
import { failedField } from '../../../core/present/form/failedField.js';
import { schemaForm } from '../../../core/present/form/schemaForm.js';
import { isShownWhole } from '../../../core/present/form/shownWhole.js';
import { joinNewServer, nameProblem, newServerSchema, splitNewServer } from '../../../core/present/form/newServer.js';
import type { ServerFields } from '../../../core/present/form/serverForm.js';
import { fieldProblems, plainForm, plainSecretNames, schemaFor } from '../../../core/present/form/serverForm.js';
import type { Arguments, Problem } from '../../../shared/panel/formMessages.js';
import type { FormFailure, FormRequestState, Remedy, WayOut } from '../../../shared/panel/formRequestPage.js';
import { isRemedy } from '../../../shared/panel/formRequestPage.js';
import { performOnPage } from '../../ui/failureActions.js';
import type { ExtensionServices } from '../../ui/services.js';
import { UserChoice } from '../../ui/invocation.js';
import type { NewServer } from '../../ui/pages.js';
import { commandIds } from '../../manifest.js';
import { openSource } from '../../adapters/openSource.js';
import { keyOf, placeOfKey, saveChoices } from '../../ui/saveChoices.js';
import { FormRequestPage } from '../../ui/formRequestPage.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { descriptionOfPlace, ownPlaces, readFields, readOwnPlace } from '../../adapters/ownPlaces.js';
import { settingsSchema } from './settingsSchema.js';
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
  /** Whether the page itself changes or starts the server. */
  private isBusy = false;
  /**
   * Warnings that the page shows. If the saved definition causes other warnings, the user is asked for approval before
   * the start.
   */
  private shownWarnings: readonly string[] = [];
  /** The definition as it was last sent to the page. */
  private drawn: ServerFields = {};

  constructor(
    private readonly deck: ExtensionServices,
    readonly panel: vscode.WebviewPanel,
    private subject: Edited | NewServer,
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
   * Shows a failure of the server that began or ended while the page is open. Unsaved input, and the progress of the
   * page's own start, are not disturbed.
   */
  private serverChanged(): void {
    if (this.isBusy || this.page.isClosed || this.page.hasInput || errorOf(this.view) === this.shownError) return;
    this.failure = undefined;
    this.page.refresh();
  }

  private get fields(): ServerFields {
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
   * Whether the page showed every value completely. It shows only the names of secrets that were moved out of
   * arguments.
   */
  private showsWhole(values: Arguments, json: string | undefined): boolean {
    const { subject, drawn } = this;
    // These two fields tell where a server was installed from, and do not change what runs.
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
      void vscode.commands.executeCommand(command, new UserChoice(command, { server: view.id }));
    return false;
  }

  /**
   * Runs the command that removes the cause of the failed start. If the server runs afterward, the page closes, as
   * after *Save and Start*.
   */
  private async remedy(edited: Edited, remedy: Remedy): Promise<void> {
    const { view } = this;
    if (!view) return;
    // The failure of the command is shown here, or in a message.
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

export function isNew(subject: Edited | NewServer): subject is NewServer {
  return 'server' in subject;
}

/** The ID of the page of a new server. It has no ID of its own yet. */
export const newId = 'new';

/** The ID of a page. */
export function idOf(subject: Edited | NewServer): string {
  return isNew(subject) ? newId : JSON.stringify([subject.place.source.id, subject.name]);
}

/**
 * The key of the stored input. The input belongs to one version of the definition, so the key contains a hash of the
 * definition.
 */
function draftKey(subject: Edited | NewServer): string {
  const text = JSON.stringify(isNew(subject) ? subject.server : subject.before);
  return JSON.stringify(['edit', idOf(subject), createHash('sha256').update(text).digest('base64')]);
}

/** The error of a server that failed or needs a sign-in. */
function errorOf(view: ServerView | undefined): Error | undefined {
  return view?.state.kind === 'failed' || view?.state.kind === 'needsSignIn' ? view.state.error : undefined;
}

function isOf(entry: { name: string; source: { id: string } }, subject: Edited | NewServer): boolean {
  return !isNew(subject) && entry.name === subject.name && entry.source.id === subject.place.source.id;
}

/**
 * The file or setting that is suggested for a new server: the one that the pasted text specified; otherwise, the
 * workspace file if the definition refers to the workspace; otherwise, the user settings.
 */
function preferredPlace({ place, server }: NewServer): OwnPlace | undefined {
  const places = ownPlaces();
  const wanted = place ?? (/\$\{workspaceFolder|"\.{1,2}[\\/]/.test(JSON.stringify(server.fields)) ? 'vscode' : 'user');
  return places.find(({ kind }) => kind === wanted) ?? places[0];
}

/** Warnings about dangerous parts of a definition and about hidden characters, which a form would not show. */
function warningsOf(subject: Edited | NewServer, name: string, fields: ServerFields): string[] {
  const source = isNew(subject) ? { id: 'new', kind: 'vscode' as const, label: '' } : subject.place.source;
  const description = describeCarried({ name, fields }, [], source);
  return 'problem' in description ? [] : [...new Set(description.warnings)];
}

function secretWarnings(name: string, fields: ServerFields): string[] {
  return plainSecretNames(name, fields).map((secret) =>
    vscode.l10n.t(
      '"{0}" looks like a secret and is in the file as plain text. An input keeps it in secret storage instead.',
      visibleLine(secret, 80),
    ),
  );
}

function newMessage({ secrets, needs, notes }: NewServer): string {
  const list = (names: readonly string[]) => names.map((name) => visibleLine(name, 60)).join(', ');
  return [
    vscode.l10n.t('Check what the server runs or connects to. "Save and Start" approves what this page shows.'),
    ...(secrets.some(({ field }) => field === 'args')
      ? [
          vscode.l10n.t(
            'This page does not show arguments that are kept in secret storage, so you are asked before the server starts or is added to your user settings. Check these arguments where you copied the text.',
          ),
        ]
      : []),
    ...(secrets.length === 0
      ? []
      : [
          vscode.l10n.t(
            'Moved to secret storage: {0}.',
            list(
              secrets.map(({ field, name }) =>
                field === 'args' ? vscode.l10n.t('argument {0}', Number(name) + 1) : name,
              ),
            ),
          ),
        ]),
    ...(needs.length === 0
      ? []
      : [vscode.l10n.t('MCP Deck asks for these values when the server starts: {0}.', list(needs))]),
    ...notes,
  ].join('\n');
}

function editMessage({ place }: Edited): string {
  const edit = vscode.l10n.t(
    'Variables such as ${workspaceFolder}, ${env:NAME} and ${input:id} are replaced when the server starts.',
  );
  const scope = vscode.l10n.t('This server is {0}.', descriptionOfPlace(place));
  if (place.kind === 'user') return `${scope} ${edit}`;
  return [
    `${scope} ${edit}`,
    vscode.l10n.t(
      'If you change the definition, "Save and Start" approves what this page shows. Otherwise, you are asked.',
    ),
  ].join('\n');
}

function openFile(): FormRequestState['ways'][number] {
  return {
    way: 'openSource',
    text: vscode.l10n.t('Open File'),
    tooltip: vscode.l10n.t('Shows the definition where it is written'),
    icon: 'go-to-file',
  };
}

function discard(): FormRequestState['ways'][number] {
  return {
    way: 'cancel',
    text: vscode.l10n.t('Discard'),
    tooltip: vscode.l10n.t('Closes the form without changing the file'),
    icon: 'discard',
  };
}

/** The buttons of a failed start: what removes its cause, then what explains it. */
function failureWays(message: FailureMessage | undefined): FormFailure['ways'] {
  const label = (remedy: Remedy) => failureActionLabel(remedy, message?.variable);
  const icons: Partial<Record<Remedy, string>> = {
    setSecret: 'key',
    replaceSecret: 'key',
    signIn: 'account',
    reviewTrust: 'shield',
  };
  return [
    ...(message?.actions ?? [])
      .filter((action) => isRemedy(action))
      .map((way) => ({ way, text: label(way), tooltip: label(way), icon: icons[way] ?? 'gear' })),
    {
      way: 'showLog',
      text: vscode.l10n.t('Show Log'),
      tooltip: vscode.l10n.t('Shows everything that the server wrote'),
      icon: 'output',
    },
    {
      way: 'diagnose',
      text: vscode.l10n.t('Diagnose'),
      tooltip: vscode.l10n.t('Checks everything that the server needs to start'),
      icon: 'pulse',
    },
  ];
}

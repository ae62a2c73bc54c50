import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { isObject } from '../../../core/base/guards.js';
import { UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { schemaForm } from '../../../core/present/form/schemaForm.js';
import type { ServerFields } from '../../../core/present/form/serverForm.js';
import {
  definitionProblem,
  editedFields,
  fieldProblems,
  plainSecretNames,
  schemaFor,
} from '../../../core/present/form/serverForm.js';
import type { JsonSchema } from '../../../core/protocol/mcp.js';
import type { ServerEntry } from '../../../core/registry/serverEntry.js';
import type { Problem } from '../../../shared/panel/formMessages.js';
import type { FormRequestState } from '../../../shared/panel/formRequestPage.js';
import { savedTarget } from '../../../shared/panel/pageTarget.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { SettingKey } from '../../manifest.js';
import { panelTypes } from '../../manifest.js';
import { openSource } from '../../adapters/openSource.js';
import { FormRequestPage } from '../../ui/formRequestPage.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { descriptionOfPlace, ownPlaces, readFields, writeOwnPlace } from '../../adapters/ownPlaces.js';

/** The server that a form edits, and its definition when the form opened. */
interface Edited {
  name: string;
  place: OwnPlace;
  before: ServerFields;
}

/** The forms that edit server definitions, each in a tab. Unsaved input is kept for the next time. */
export class EditPages implements Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();

  /** @param deck Called when a page opens, because the services do not exist yet when this object is created. */
  constructor(private readonly deck: () => ExtensionServices) {}

  async open({ name }: ServerEntry, place: OwnPlace): Promise<void> {
    const id = idOf(name, place);
    const known = this.panels.get(id);
    if (known) return known.reveal();
    const before = await readFields(name, place);
    this.add(vscode.window.createWebviewPanel(panelTypes.edit, '', vscode.ViewColumn.Active, {}), id, {
      name,
      place,
      before,
    });
  }

  /** Restores a page that was open before the window reloaded. Closes it if its server no longer exists. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { server: name, id } = savedTarget(state, 'server') ?? {};
    const place = name === undefined ? undefined : ownPlaces().find((one) => idOf(name, one) === id);
    try {
      if (id === undefined || name === undefined || !place || this.panels.has(id)) panel.dispose();
      else this.add(panel, id, { name, place, before: await readFields(name, place) });
    } catch {
      panel.dispose();
    }
  }

  dispose(): void {
    // VS Code restores the tabs when the window reloads.
    this.panels.clear();
  }

  private add(panel: vscode.WebviewPanel, id: string, edited: Edited): void {
    const deck = this.deck();
    const { name, place, before } = edited;
    panel.title = vscode.l10n.t('Edit "{0}"', visibleLine(name, 60));
    const schema = schemaFor(before, settingsSchema(deck));
    new FormRequestPage(deck, {
      panel,
      title: vscode.l10n.t('Edit Server'),
      subject: `the definition of "${name}"`,
      icon: 'tool',
      draftKey: draftKey(id, before),
      state: () => stateOf(id, edited, schema),
      check: (values) => check(deck, name, schema, values),
      submit: (after) => save(deck, edited, after).then(() => true),
      leave: (way) => {
        if (way === 'openSource') void openSource(place.source).catch((error: unknown) => deck.funnel.show(error));
        return way !== 'openSource';
      },
      suggest: (question) => deck.workspaceValues.suggestions(question, 'absolute'),
    });
    this.panels.set(id, panel);
    panel.onDidDispose(() => this.panels.delete(id));
  }
}

/** Saves the fields. Checks them again, because the page is not trusted to have checked them. */
async function save(
  { consent }: Pick<ExtensionServices, 'consent'>,
  { name, place, before }: Edited,
  after: ServerFields,
): Promise<void> {
  const fields = editedFields({ before, after, now: await readFields(name, place) });
  const problem = definitionProblem(name, fields);
  if (problem !== undefined) throw new UserError(vscode.l10n.t('"{0}" was not saved: {1}', visibleLine(name), problem));
  await writeOwnPlace(place, { servers: { [name]: fields } });
  consent.audit.note({
    event: 'server-edited',
    server: name,
    source: place.label,
    fields: changedFields(before, fields),
    caller: 'user',
  });
}

/** Names of the fields that differ. */
export function changedFields(before: ServerFields, after: ServerFields): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

async function check(
  deck: Pick<ExtensionServices, 'schemas'>,
  name: string,
  schema: JsonSchema,
  values: unknown,
): Promise<Problem[]> {
  const { problems } = (await deck.schemas.load()).check(schema, values);
  return problems.length > 0 || !isObject(values) ? [...problems] : fieldProblems(name, values);
}

function stateOf(id: string, { name, place, before }: Edited, schema: JsonSchema): Omit<FormRequestState, 'draft'> {
  return {
    bundle: vscode.l10n.bundle ?? {},
    target: { server: name, kind: 'server', id },
    title: vscode.l10n.t('Edit "{0}"', visibleLine(name, 80)),
    hint: place.label,
    message: vscode.l10n.t(
      'Saved {0}. Variables such as ${workspaceFolder}, ${env:NAME}, and ${input:id} are replaced when the server starts.',
      descriptionOfPlace(place),
    ),
    warnings: plainSecretNames(name, before).map((secret) =>
      vscode.l10n.t(
        '"{0}" looks like a secret and is in the file as plain text. To keep it in secret storage instead, use an input.',
        visibleLine(secret, 80),
      ),
    ),
    submit: vscode.l10n.t('Save'),
    ways: [
      {
        way: 'openSource',
        text: vscode.l10n.t('Open File'),
        tooltip: vscode.l10n.t('Opens the file that contains the definition'),
        icon: 'go-to-file',
      },
      {
        way: 'cancel',
        text: vscode.l10n.t('Discard'),
        tooltip: vscode.l10n.t('Closes the form without changing the file'),
        icon: 'discard',
      },
    ],
    hasModes: true,
    form: schemaForm(schema),
    start: { ...before },
  };
}

/** The schema of the setting in the user's language. Settings, files, and forms use the same schema. */
function settingsSchema(deck: Pick<ExtensionServices, 'extension'>): unknown {
  const { contributes } = deck.extension.extension.packageJSON as {
    contributes: { configuration: readonly { properties: Record<string, { additionalProperties?: unknown }> }[] };
  };
  const key = 'mcpDeck.servers' satisfies SettingKey;
  return contributes.configuration.map(({ properties }) => properties[key]).find((property) => property !== undefined)
    ?.additionalProperties;
}

function idOf(name: string, { source }: OwnPlace): string {
  return JSON.stringify([source.id, name]);
}

/** The input belongs to one version of the definition, so the key contains the definition. */
function draftKey(id: string, before: ServerFields): string {
  return JSON.stringify(['edit', id, createHash('sha256').update(JSON.stringify(before)).digest('base64')]);
}

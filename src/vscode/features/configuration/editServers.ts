import os from 'node:os';
import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { ConfigSource } from '../../../core/config/serverDefinition.js';
import { otherSpellings } from '../../../core/config/fieldNames.js';
import type { PortableServer, Loss } from '../../../core/interchange/portableServer.js';
import { portableDefinition } from '../../../core/interchange/portableDefinition.js';
import { keepsReceiver, unmovedInputs } from '../../../core/interchange/storedInputMove.js';
import { interchangeText } from '../../../core/present/documents/interchangeReport.js';
import { checkName } from '../../../core/present/form/newServer.js';
import { chooseServer } from '../../ui/chooseServer.js';
import type { ExtensionServices } from '../../ui/services.js';
import { askToWiden, askUnlessProven } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import type { ImportRequest } from '../../ui/addImported.js';
import { addImported, plainSecretTexts, planImport } from '../../ui/addImported.js';
import { carryStored } from './carryStored.js';
import { changeQuestion } from '../../ui/changeQuestion.js';
import { setFields } from './setFields.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { descriptionOfPlace, ownPlaces, placeOf, readOwnPlace, writeOwnPlace } from '../../adapters/ownPlaces.js';
import { releaseBundles } from '../../ui/releaseBundles.js';
import { removeServer } from './removeServer.js';
import type { Reports } from '../../ui/reports.js';
import { showLineInput, showWarning } from '../../adapters/userMessages.js';

/** "Edit Server…": opens a form. For a script, sets the fields that the script passes. */
export async function editServer(
  deck: Pick<ExtensionServices, 'consent' | 'editPages' | 'host'>,
  invocation: Invocation<'editServer'>,
): Promise<void> {
  const { view, place } = await choose(deck.host, invocation, vscode.l10n.t('Edit Server'));
  if (invocation.call) await setFields(deck, invocation, view.entry, place);
  else await deck.editPages.open(view.entry, place);
}

/**
 * "Remove Server…": removes the server from its file or setting. If the user or the script chooses this, also deletes
 * its stored values. A scratch server is removed without asking.
 */
export async function removeChosenServer(
  deck: Pick<ExtensionServices, 'bundles' | 'consent' | 'host' | 'scratch'>,
  invocation: Invocation<'removeServer'>,
): Promise<void> {
  const title = vscode.l10n.t('Remove Server');
  const view = await chooseView(deck.host, invocation, title, ({ kind }) => kind !== 'builtin');
  if (view.entry.source.kind === 'scratch') {
    deck.scratch.remove(view.entry.name);
    return;
  }
  const place = requirePlace(view);
  const { call } = invocation;
  if (call) await askToRemove(deck, invocation, view, place);
  const isForgotten = await removeServer(deck.host, view, place, call && (call.forget === true ? 'forget' : 'keep'));
  deck.consent.audit.note({
    event: 'server-removed',
    server: view.id,
    from: place.label,
    isForgotten,
    caller: auditCallerOf(invocation),
  });
  await releaseBundles(deck, view);
}

/**
 * Asks the user before a command with arguments removes the definition of a server and, with `forget`, its stored
 * values.
 */
function askToRemove(
  { consent }: Pick<ExtensionServices, 'consent'>,
  invocation: Invocation<'removeServer'>,
  { id, entry }: ServerView,
  place: OwnPlace,
): Promise<void> {
  const isForgotten = invocation.call?.forget === true;
  return askToWiden(consent.audit, invocation, {
    server: id,
    message: vscode.l10n.t('Remove "{0}" from {1}?', visibleName(entry.name, 80), place.label),
    detail: isForgotten
      ? vscode.l10n.t('The stored values of the server are also deleted, and you are signed out.')
      : vscode.l10n.t('The stored values of the server are kept.'),
    go: isForgotten ? vscode.l10n.t('Remove and Forget') : vscode.l10n.t('Remove'),
  });
}

/** Copies a server under another name in the same file or setting. All other fields stay unchanged. */
export async function duplicateServer(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  invocation: Invocation<'duplicateServer'>,
): Promise<string> {
  const { view, place } = await choose(deck.host, invocation, vscode.l10n.t('Duplicate Server'));
  const { servers } = await readOwnPlace(place);
  const fields = Object.hasOwn(servers, view.entry.name) ? servers[view.entry.name] : undefined;
  if (!isObject(fields))
    throw new UserError(vscode.l10n.t('"{0}" is no longer in {1}.', visibleLine(view.entry.name), place.label));
  const taken = new Set(Object.keys(servers));
  const name = invocation.call ? nameOf(invocation.call.name, taken) : await askName(view.entry.name, taken);
  // The user is asked because rules and disabled tools of the original do not apply to the copy.
  const { message, detail } = await changeQuestion(
    vscode.l10n.t('Add "{0}", a copy of "{1}", to {2}?', visibleName(name), visibleName(view.entry.name), place.label),
    name,
    fields,
    view.entry,
    place,
  );
  await askUnlessProven(deck.consent.audit, invocation, {
    server: view.id,
    message,
    detail,
    go: vscode.l10n.t('Add Server'),
  });
  await writeOwnPlace(place, { servers: { [name]: fields } });
  deck.consent.audit.note({
    event: 'server-added',
    servers: [name],
    to: place.label,
    from: view.id,
    caller: auditCallerOf(invocation),
    outcome: 'allowed',
  });
  return name;
}

function nameOf(value: unknown, taken: ReadonlySet<string>): string {
  const name = typeof value === 'string' ? value.trim() : '';
  const problem = checkName(name, taken);
  if (problem !== undefined) throw new HostError('invalid-arguments', problem);
  return name;
}

async function askName(name: string, taken: ReadonlySet<string>): Promise<string> {
  let suggestion = `${name}-2`;
  for (let number = 3; taken.has(suggestion); number++) suggestion = `${name}-${number}`;
  const answer = await showLineInput({
    title: vscode.l10n.t('Duplicate Server'),
    prompt: vscode.l10n.t('The name of the copy'),
    value: suggestion,
    validateInput: (text) => checkName(text, taken),
  });
  if (answer === undefined) throw new HostError('cancelled', 'No name was given.');
  return answer.trim();
}

/**
 * Moves a server to another file or setting. If a part of the definition would be lost, first asks the user to accept
 * the losses; for a script, rejects unless it passes `acceptLosses`. A command with arguments always asks before it
 * writes. Approvals depend on the source, so the user is asked for approval again. Stored input values are moved if
 * they would reach the same program or URL. Disabled tools stay disabled.
 */
export async function moveServer(
  deck: Pick<ExtensionServices, 'consent' | 'host' | 'switches'>,
  reports: Reports,
  invocation: Invocation<'moveServer'>,
): Promise<string> {
  const title = vscode.l10n.t('Move Server');
  const { view, place } = await choose(deck.host, invocation, title);
  const { entry } = view;
  const to = invocation.call
    ? ownPlaces().find(({ kind, source }) => kind === invocation.call?.to && source.id !== place.source.id)
    : await pickPlace(title, place);
  if (!to)
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('"to" must be another location: "user", "vscode", or "portable".'),
    );
  const base = place.source.folderPath;
  const arrival: ImportRequest = {
    servers: [await portableFrom(place, entry)],
    inputs: entry.inputs,
    place: to,
    moved: [],
    from: { base: base ?? os.homedir(), workspaceFolder: base, label: place.label },
  };
  const plan = await planImport(arrival);
  const isSame = keepsReceiver(arrival.servers[0] ?? { name: entry.name, fields: {} }, plan.losses);
  const stored = (await deck.host.storedValues.inputs()).filter(({ server, isUsed }) => server === view.id && isUsed);
  const losses = [
    ...plan.losses,
    ...unmovedInputs(entry.name, stored, to.kind, isSame),
    ...(base === to.source.folderPath
      ? []
      : [
          {
            server: entry.name,
            field: '',
            message: vscode.l10n.t(
              'Approvals are not moved with the server, so you are asked again to approve its tools in the new location.',
            ),
          },
        ]),
  ];
  const { call } = invocation;
  if (losses.some(({ field }) => field !== '') && call?.acceptLosses !== true)
    await accept(losses, { name: entry.name, to, reports, title, isScript: call !== undefined });
  // For the user settings, `addImported` asks the user.
  const [moved] = arrival.servers;
  if (moved && to.kind !== 'user') {
    const { message, detail } = await changeQuestion(
      vscode.l10n.t('Move "{0}" from {1} to {2}?', visibleName(entry.name), place.label, to.label),
      entry.name,
      moved.fields,
      entry,
      to,
    );
    await askUnlessProven(deck.consent.audit, invocation, {
      server: view.id,
      message,
      detail: [detail, ...plainSecretTexts([moved])].join('\n\n'),
      go: vscode.l10n.t('Move Server'),
    });
  }
  if (view.state.kind === 'running') await deck.host.lifecycle.stop(view.id);
  const off = deck.switches.offOf(view.id);
  const { names, inputIds } = await addImported(deck, arrival, auditCallerOf(invocation));
  const [name] = names;
  // The old entry is removed only after the new one was written.
  if (name !== undefined) {
    await writeOwnPlace(place, { servers: { [entry.name]: undefined } });
    deck.consent.audit.note({
      event: 'server-moved',
      server: view.id,
      from: place.label,
      to: to.label,
      caller: auditCallerOf(invocation),
    });
    losses.push(
      ...(await carryStored(deck, {
        before: entry,
        name,
        source: to.source.id,
        inputIds,
        stored: isSame && to.kind !== 'portable' ? stored : [],
        off,
      })),
    );
  }
  const text =
    names.length > 0
      ? vscode.l10n.t('"{0}" was moved to {1}.', names.join(', '), to.label)
      : vscode.l10n.t('"{0}" was not moved, because it is already in {1}.', visibleLine(entry.name), to.label);
  if (!call && losses.some(({ field }) => field !== ''))
    await reports.show(title, interchangeText({ title: text, servers: names, losses, unusable: [] }));
  return names[0] ?? entry.name;
}

/**
 * The server as defined in its file. It includes fields that MCP Deck does not know, so that they are not lost when the
 * server is moved.
 */
async function portableFrom(place: OwnPlace, entry: ServerView['entry']): Promise<PortableServer> {
  const { name, fields } = portableDefinition(entry);
  const raw = (await readOwnPlace(place)).servers[entry.name];
  const unread = Object.entries(isObject(raw) ? raw : {}).filter(
    ([field, value]) => !Object.hasOwn(fields, field) && !otherSpellings.has(field) && value !== null,
  );
  return { name, fields: { ...Object.fromEntries(unread), ...fields } };
}

/**
 * Asks the user to accept the losses. Rejects with `cancelled` if the user declines, or, for a script, with a message
 * about the losses.
 */
async function accept(
  losses: readonly Loss[],
  {
    name,
    to,
    reports,
    title,
    isScript,
  }: { name: string; to: OwnPlace; reports: Reports; title: string; isScript: boolean },
): Promise<void> {
  const message = vscode.l10n.t(
    'Parts of "{0}" cannot be moved to {1}. Move the server anyway?',
    visibleName(name),
    to.label,
  );
  const detail = losses.map(({ field, message: what }) =>
    field === '' ? what : `${visibleLine(field, 120)}: ${what}`,
  );
  if (isScript)
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t(
        'Parts of "{0}" cannot be moved to {1}. {2} To move the server anyway, pass "acceptLosses": true.',
        visibleLine(name),
        to.label,
        detail.join(' '),
      ),
      { data: { isComplete: true } },
    );
  const look: vscode.MessageItem = { title: vscode.l10n.t('Show Report') };
  const go: vscode.MessageItem = { title: vscode.l10n.t('Move Server') };
  const answer = await showWarning(message, { modal: true, detail: detail.join('\n') }, look, go);
  if (answer === look)
    await reports.show(
      title,
      interchangeText({
        title: vscode.l10n.t('Nothing was moved yet. The following parts cannot be moved to {0} unchanged:', to.label),
        servers: [name],
        losses,
        unusable: [],
      }),
    );
  if (answer !== go) throw new HostError('cancelled', 'Nothing was moved.');
}

async function choose(
  host: ExtensionServices['host'],
  invocation: Invocation,
  title: string,
): Promise<{ view: ServerView; place: OwnPlace }> {
  const view = await chooseView(host, invocation, title, ({ kind }) => kind !== 'builtin' && kind !== 'scratch');
  return { view, place: requirePlace(view) };
}

function chooseView(
  host: ExtensionServices['host'],
  invocation: Invocation,
  title: string,
  fits: (source: ConfigSource) => boolean,
): Promise<ServerView> {
  return chooseServer(host.servers, invocation, {
    title,
    isCandidate: ({ entry }) => fits(entry.source),
    noneMessage: vscode.l10n.t('No server is configured.'),
  });
}

/** The file or setting that defines a server. @throws UserError if the server is not defined in one. */
export function requirePlace({ id, entry }: ServerView): OwnPlace {
  const place = placeOf(entry.source);
  if (place) return place;
  throw new UserError(
    entry.source.kind === 'scratch'
      ? vscode.l10n.t('"{0}" is a scratch server. Use "Keep It…" in its context menu first.', visibleLine(id))
      : vscode.l10n.t('"{0}" is part of MCP Deck and is not defined in a file.', visibleLine(id)),
  );
}

async function pickPlace(title: string, from: OwnPlace): Promise<OwnPlace> {
  const items = ownPlaces()
    .filter(({ source }) => source.id !== from.source.id)
    .map((place) => ({ label: place.label, description: descriptionOfPlace(place), place }));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Select the new location. The current location is {0}.', from.label),
  });
  if (!picked) throw new HostError('cancelled', 'No place was picked.');
  return picked.place;
}

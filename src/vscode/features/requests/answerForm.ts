import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { hiddenSentence, hiddenWords } from '../../../core/present/text/hiddenText.js';
import { hiddenInAsk, openPageQuestion } from '../../../core/present/tree/requestNodes.js';
import { answerLines, fieldDefaults, fieldTitles, secretFields } from '../../../core/present/form/requestFields.js';
import type { ElicitResult } from '../../../core/protocol/mcp.js';
import type { UserRequest, WaitingRequest } from '../../../core/requests/requestQueue.js';
import { askArguments } from '../../ui/argumentDialog.js';
import { openInBrowser } from '../../ui/openLink.js';
import { askToWiden } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import { showInformation, showWarning } from '../../adapters/userMessages.js';

type FormRequest = Extract<UserRequest, { kind: 'form' }>;
type UrlRequest = Extract<UserRequest, { kind: 'url' }>;
type VisitRequest = Extract<UserRequest, { kind: 'visit' }>;

/** Unfinished input by request ID, so that closing the form loses nothing. */
export type AnswerDrafts = Map<string, Record<string, unknown>>;

/** Maximum length of a message in the title of an input box, in characters. A page shows longer messages. */
const maxTitle = 120;

/** Maximum length of a value in the question before an answer is sent, in characters. */
const maxValue = 300;

/** Whether the message of a form is too long for the title of an input box. */
export function hasLongMessage({ message }: FormRequest): boolean {
  return visibleLine(message, 1_000).length > maxTitle;
}

/**
 * The error when the user declines with the button in the title of a field. There is no button that dismisses the
 * request, because that button would look like a button that only closes the field.
 */
class Declined extends Error {}

/**
 * Asks the user to fill in the form. Rejects with `cancelled` if the user postpones the answer. The request then stays
 * in the queue.
 */
export async function answerForm(
  request: WaitingRequest,
  ask: FormRequest,
  invocation: Invocation,
  { consent, questionTexts, schemas }: Pick<ExtensionServices, 'consent' | 'questionTexts' | 'schemas'>,
  drafts: AnswerDrafts,
): Promise<ElicitResult> {
  const fields = fieldTitles(ask.schema);
  // A form with fields begins with the first field, unless the user must first read a warning.
  if (fields.length === 0) return answerWithoutFields(request, ask);
  if (secretFields(ask.schema).length > 0 || hiddenInAsk(ask) > 0) {
    const choice = await chooseAction(request, ask, fields);
    if (choice !== 'accept') return { action: choice };
  }
  const validator = await schemas.load();
  // Fields with a default are included, so that the user sees all data that is sent.
  const draft = drafts.get(request.id) ?? fieldDefaults(ask.schema);
  drafts.set(request.id, draft);
  const content = await askArguments({
    title: vscode.l10n.t('"{0}" asks: {1}', visibleLine(request.serverName, 60), visibleLine(ask.message, maxTitle)),
    schema: ask.schema,
    subject: 'answer',
    initial: draft,
    exits: [{ icon: 'circle-slash', tooltip: vscode.l10n.t('Decline'), reason: new Declined() }],
    check: (values) => {
      Object.assign(draft, values);
      return validator.check(ask.schema, values).problems;
    },
  }).catch((error: unknown) => {
    if (error instanceof Declined) return undefined;
    throw error;
  });
  if (!content) return { action: 'decline' };
  // Any program can open the first request and accept the fields with their defaults.
  if (invocation.isProven !== true) {
    const shown = answerLines(ask.schema, content, maxValue).join('\n');
    const text = answerLines(ask.schema, content, Infinity).join('\n');
    await askToWiden(consent.audit, invocation, {
      server: request.server,
      message: vscode.l10n.t('Send this answer to "{0}"?', visibleName(request.serverName, 80)),
      detail: shown,
      go: vscode.l10n.t('Send Answer'),
      whole: text === shown ? undefined : { title: vscode.l10n.t('Send Answer'), text, texts: questionTexts },
    });
  }
  return { action: 'accept', content };
}

/** Asks in a dialog, because no program can press a button of a dialog. Enter declines. */
async function answerWithoutFields(request: WaitingRequest, ask: FormRequest): Promise<ElicitResult> {
  const decline: vscode.MessageItem = { title: vscode.l10n.t('Decline') };
  const accept: vscode.MessageItem = { title: vscode.l10n.t('Accept') };
  const dismiss: vscode.MessageItem = { title: vscode.l10n.t('Dismiss') };
  const later: vscode.MessageItem = { title: vscode.l10n.t('Not Now'), isCloseAffordance: true };
  const detail = [
    visibleLine(ask.message, 1_000) || vscode.l10n.t('The server gave no reason.'),
    ...hiddenSentence(hiddenInAsk(ask)),
    vscode.l10n.t('There are no fields to fill in. "Dismiss" tells the server that you did not answer.'),
  ].join('\n\n');
  const message = vscode.l10n.t('Request from "{0}"', visibleLine(request.serverName, 80));
  const chosen = await showWarning(message, { modal: true, detail }, decline, accept, dismiss, later);
  if (chosen === accept) return { action: 'accept', content: {} };
  if (chosen === decline) return { action: 'decline' };
  if (chosen === dismiss) return { action: 'cancel' };
  throw new HostError('cancelled', 'The request was left for later.');
}

/** Shows the whole message, its warnings, and all possible answers. */
async function chooseAction(
  request: WaitingRequest,
  ask: FormRequest,
  fields: readonly string[],
): Promise<ElicitResult['action']> {
  const secrets = secretFields(ask.schema);
  type Item = vscode.QuickPickItem & { action?: ElicitResult['action'] };
  const items: Item[] = [
    {
      label: `$(edit) ${vscode.l10n.t('Answer…')}`,
      detail: vscode.l10n.t('Fields: {0}', fields.join(', ')),
      action: 'accept',
    },
    {
      label: `$(circle-slash) ${vscode.l10n.t('Decline')}`,
      detail: vscode.l10n.t('Tells the server that you declined'),
      action: 'decline',
    },
    {
      label: `$(close) ${vscode.l10n.t('Dismiss')}`,
      detail: vscode.l10n.t('Tells the server that you did not answer'),
      action: 'cancel',
    },
  ];
  if (secrets.length > 0) {
    items.splice(1, 0, {
      label: `$(warning) ${vscode.l10n.t('"{0}" looks like a secret', secrets.join('", "'))}`,
      detail: vscode.l10n.t('Servers must not ask for secrets in a form. Your input is sent to the server unmasked.'),
    });
  }
  const hidden = hiddenInAsk(ask);
  if (hidden > 0)
    items.splice(1, 0, {
      label: `$(warning) ${hiddenWords(hidden)}`,
      detail: vscode.l10n.t('The request of the server contains them. They are shown here as \\u{…}.'),
    });
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Request from "{0}"', visibleLine(request.serverName, 80)),
    placeHolder: visibleLine(ask.message, 1_000) || vscode.l10n.t('The server gave no reason.'),
    ignoreFocusOut: true,
  });
  if (picked?.action === undefined) throw new HostError('cancelled', 'The request was left for later.');
  return picked.action;
}

/** Opens a page after the user has seen its address. */
export async function answerUrl(request: WaitingRequest, ask: UrlRequest): Promise<ElicitResult> {
  const { message, detail } = openPageQuestion(request.serverName, ask.message, ask.url);
  const decline: vscode.MessageItem = { title: vscode.l10n.t('Decline') };
  const open: vscode.MessageItem = { title: vscode.l10n.t('Open Page') };
  const later: vscode.MessageItem = { title: vscode.l10n.t('Not Now'), isCloseAffordance: true };
  // Pressing Enter chooses the first button, so the first button must not open the page.
  const chosen = await showWarning(message, { modal: true, detail }, decline, open, later);
  if (chosen === decline) return { action: 'decline' };
  if (chosen !== open) throw new HostError('cancelled', 'The request was left for later.');
  if (!(await openInBrowser(ask.url.href))) throw new HostError('cancelled', 'The page was not opened.');
  return { action: 'accept' };
}

/** Asks whether the user has finished on the page. If the user needs more time, the request stays in the queue. */
export async function askWhetherDone(request: WaitingRequest, ask: VisitRequest): Promise<'done' | 'given-up'> {
  const message = vscode.l10n.t(
    '"{0}" is waiting for you to finish on {1}.',
    visibleName(request.serverName, 80),
    ask.url.host,
  );
  const done: vscode.MessageItem = { title: vscode.l10n.t('Continue') };
  const giveUp: vscode.MessageItem = { title: vscode.l10n.t('Give Up') };
  const later: vscode.MessageItem = { title: vscode.l10n.t('Not Yet'), isCloseAffordance: true };
  const detail = [
    ...hiddenSentence(hiddenInAsk(ask)),
    vscode.l10n.t('When you finish on the page, select "Continue". To cancel the request, select "Give Up".'),
    vscode.l10n.t('Address: {0}', ask.url.href),
  ].join('\n\n');
  const chosen = await showInformation(message, { modal: true, detail }, done, giveUp, later);
  if (chosen !== done && chosen !== giveUp) throw new HostError('cancelled', 'The request was left for later.');
  return chosen === done ? 'done' : 'given-up';
}

import { t } from '@vscode/l10n';
import { problemOf } from '../../auth/authProblem.js';
import { HostError, UserError, isCancelled, messageOf } from '../../base/hostError.js';
import { countHidden, countWritten } from '../../base/hostileText.js';
import { readRemark } from '../../base/remark.js';
import { storageProblem } from '../../base/storageFailure.js';
import { ProtocolError } from '../../protocol/jsonRpc.js';
import { unlinked } from '../../base/hostileText.js';
import { FailureFacts, refusalClass } from './failureFacts.js';
import type { FailureClass } from './failureFacts.js';
import type { FailureAction, FailureText } from './failureShape.js';
import { failureTexts } from './failureTexts.js';
import { hiddenWords } from '../text/hiddenText.js';
import { inEnglish } from '../text/language.js';
import type { RemarkText } from '../text/remarkText.js';
import { remarkText } from '../text/remarkText.js';
import { firstSentence } from '../text/lines.js';

export type { FailureAction } from './failureShape.js';

/** The message that shows a failure to the user. */
export interface FailureMessage {
  severity: 'error' | 'warning';
  text: string;
  actions: readonly FailureAction[];
  /** True for a bug of MCP Deck, whose stack is written to the log. */
  isUnexpected: boolean;
}

export interface FailureContext {
  isWorkspaceTrusted: boolean;
  /** The server of the failure, if the failure itself does not name one. */
  server?: string;
}

/** The message for a failure; undefined if the user canceled. */
export function failureMessage(error: unknown, context: FailureContext): FailureMessage | undefined {
  if (isCancelled(error)) return undefined;
  if (error instanceof UserError)
    return { severity: 'warning', text: unlinked(error.message), actions: [], isUnexpected: false };
  const kind = classOf(error);
  const server = failedServer(error) ?? context.server;
  const { what, next } = failureText(error, server);
  const isTrustQuestion = kind === 'not-trusted';
  const wanted: readonly FailureAction[] =
    isTrustQuestion && !context.isWorkspaceTrusted
      ? ['manageWorkspaceTrust']
      : configurable.has(problemOf(error) ?? '')
        ? ['openConfiguration']
        : failureTexts[kind].actions;
  return {
    severity: isTrustQuestion || kind === 'needs-input' ? 'warning' : 'error',
    text: `${what} ${next}`,
    actions: [...wanted, ...(usesInputs(error) ? (['manageStoredValues'] as const) : [])].filter(
      (action) => server !== undefined || !needsServer.has(action),
    ),
    isUnexpected: kind === 'unexpected' || kind === 'internal',
  };
}

/**
 * What happened and what to do, one or two sentences each.
 * @param server the name of the server, if the failure does not contain it.
 */
export function failureText(error: unknown, server: string | undefined): { what: string; next: string } {
  const text: FailureText = failureTexts[classOf(error)];
  const facts = new FailureFacts(error, failedServer(error) ?? server);
  const remark = remarkIn(error, facts);
  const next = remark?.next ?? text.advice?.(facts) ?? facts.hint ?? text.next(facts);
  // A stored input is used at every start, so the user has to know where to change it.
  const more = usesInputs(error)
    ? ` ${t('If a value that you entered is wrong, change it with "MCP Deck: Stored Values…".')}`
    : '';
  const runsOn =
    error instanceof HostError && error.data.isStillRunning === true
      ? ` ${t('The server continues to run as it was started before.')}`
      : '';
  const said = text.what(facts);
  const what = remark?.what === undefined ? said : `${said} ${remark.what}`;
  const hidden = Math.max(countWritten(what), countHidden(messageOf(error)));
  return {
    what: unlinked(
      [what, ...(hidden === 0 ? [] : [t('The message contains {0}, shown here as \\u{…}.', hiddenWords(hidden))])].join(
        ' ',
      ),
    ),
    next: unlinked(next + more + runsOn),
  };
}

/** `failureText` as one text. */
export function failureLine(error: unknown, server: string | undefined): string {
  const { what, next } = failureText(error, server);
  return `${what} ${next}`;
}

/** `failureLine` in English, for logs and scripts. */
export function failureLogLine(error: unknown, server: string | undefined): string {
  return inEnglish(() => failureLine(error, server));
}

/** Why a server failed, in a few words for the tree. */
export function failureReason(error: Error): string {
  const facts = new FailureFacts(error, failedServer(error));
  const text: FailureText = failureTexts[classOf(error)];
  return (
    text.short?.(facts) ??
    (error instanceof ProtocolError ? firstSentence(facts.said, 100) : facts.brief) ??
    t('failed')
  );
}

/** Stores in a failure which server it belongs to, unless it names one. */
export function noteServer(error: unknown, server: string): void {
  if (error instanceof HostError) error.data.server ??= server;
  else if (error instanceof ProtocolError) error.server ??= server;
}

/** The server that a failure names. */
export function failedServer(error: unknown): string | undefined {
  const server =
    error instanceof HostError ? error.data.server : error instanceof ProtocolError ? error.server : undefined;
  return typeof server === 'string' ? server : undefined;
}

/** The remark made before a failure, without the words that the failure quotes. */
function remarkIn(error: unknown, facts: FailureFacts): (Pick<RemarkText, 'next'> & { what?: string }) | undefined {
  const remark = readRemark(facts.data.remark);
  if (!remark) return undefined;
  const { what, next } = remarkText(remark);
  const isQuoted = error instanceof HostError && error.code === 'exited' && error.data.stderr?.at(-1) === remark.quote;
  return isQuoted ? { next } : { what, next };
}

function usesInputs(error: unknown): boolean {
  return error instanceof HostError && error.data.usesInputs === true;
}

const needsServer: ReadonlySet<FailureAction> = new Set([
  'manageStoredValues',
  'restartServer',
  'startServer',
  'reviewTrust',
  'openConfiguration',
  'signIn',
  'showSignInTrace',
]);

function classOf(error: unknown): FailureClass {
  if (error instanceof ProtocolError) return refusalClass(error);
  if (error instanceof HostError) return error.code === 'cancelled' ? 'unexpected' : error.code;
  return storageProblem(error) ? 'storage-failed' : 'unexpected';
}

/** Problems of the configuration, which a sign-in does not solve. */
const configurable: ReadonlySet<string> = new Set(['header-refused', 'no-sign-in']);

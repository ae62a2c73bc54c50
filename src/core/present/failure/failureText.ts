import { t } from '@vscode/l10n';
import { HostError, UserError, isCancelled, messageOf } from '../../base/hostError.js';
import { countHidden, countWritten } from '../../base/hostileText.js';
import type { CrashReport } from '../../base/crashReport.js';
import { isFrame, isNoise } from '../../base/crashLines.js';
import { crashReport } from '../../base/crashReport.js';
import { readRemark } from '../../base/remark.js';
import { storageProblem } from '../../base/storageFailure.js';
import { ProtocolError } from '../../protocol/jsonRpc.js';
import { unlinked } from '../../base/hostileText.js';
import { FailureFacts, refusalClass } from './failureFacts.js';
import type { FailureClass } from './failureFacts.js';
import type { FailureAction, FailureText } from './failureShape.js';
import { exitedWhat, failureTexts, missingFileText } from './failureTexts.js';
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
  /** The name of the variable that the action `setSecret` sets; undefined for a header. */
  variable?: string;
  /** True if the error is a bug in MCP Deck. The stack of such an error is written to the log. */
  isUnexpected: boolean;
}

export interface FailureContext {
  isWorkspaceTrusted: boolean;
  /** The server of the failure, used if the failure itself does not specify one. */
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
  const variable = missingVariableOf(error);
  const isTrustQuestion = kind === 'not-trusted';
  const wanted: readonly FailureAction[] =
    isTrustQuestion && !context.isWorkspaceTrusted ? ['manageWorkspaceTrust'] : actionsOf(error, server);
  return {
    severity: isTrustQuestion || kind === 'needs-input' ? 'warning' : 'error',
    text: `${what} ${next}`,
    actions: [...wanted, ...(usesInputs(error) ? (['manageStoredValues'] as const) : [])].filter(
      (action) => server !== undefined || !needsServer.has(action),
    ),
    ...(variable === undefined ? {} : { variable }),
    isUnexpected: kind === 'unexpected' || kind === 'internal',
  };
}

/** The buttons for a failure, the most helpful first. */
export function actionsOf(error: unknown, server?: string): readonly FailureAction[] {
  const text: FailureText = failureTexts[classOf(error)];
  return text.buttons?.(new FailureFacts(error, failedServer(error) ?? server)) ?? text.actions;
}

/**
 * The environment variable that was missing when a process ended, according to its output; undefined if the output
 * names none.
 */
export function missingVariableOf(error: unknown): string | undefined {
  return reportOf(error)?.variable;
}

/** How a process ended, without the cause that its output names; undefined for other failures. */
export function exitText(error: unknown, server: string): string | undefined {
  if (!(error instanceof HostError) || error.code !== 'exited') return undefined;
  return unlinked(exitedWhat(new FailureFacts(error, failedServer(error) ?? server)));
}

/** The cause of a process's end according to its error output; undefined for other failures. */
export function reportOf(error: unknown): CrashReport | undefined {
  if (!(error instanceof HostError) || error.code !== 'exited') return undefined;
  return error.data.report ?? crashReport(error.data.stderr ?? []);
}

/** The sentence about a missing file, if a process ended because a file in its arguments does not exist. */
export function missingFileIn(error: unknown): string | undefined {
  return error instanceof HostError && error.code === 'exited'
    ? missingFileText(new FailureFacts(error, undefined))
    : undefined;
}

/**
 * The lines of the error output that explain a failure, without stacks. Empty if there is only one such line and the
 * message of the failure already contains it.
 * @param stderr the last lines of the error output, for failures that do not contain it.
 */
export function failureLines(error: unknown, stderr: readonly string[]): readonly string[] {
  const { lines = [], cause } = reportOf(error) ?? {};
  if (lines.length === 0) return stderr.filter((line) => !isFrame(line) && !isNoise(line));
  return lines.length === 1 && lines[0] === cause && missingFileIn(error) === undefined ? [] : lines;
}

/**
 * Describes a failure and what to do about it, in a few sentences each.
 * @param server the name of the server, if the failure does not contain it.
 */
export function failureText(error: unknown, server: string | undefined): { what: string; next: string } {
  // The message of a `UserError` is written for the user, and says what to do.
  if (error instanceof UserError) return { what: unlinked(error.message), next: '' };
  const text: FailureText = failureTexts[classOf(error)];
  const facts = new FailureFacts(error, failedServer(error) ?? server);
  const remark = remarkIn(error, facts);
  const next = remark?.next ?? text.advice?.(facts) ?? facts.hint ?? text.next(facts);
  // A stored input is used at every start, so the message tells the user where to change it.
  const more = usesInputs(error)
    ? ` ${t('If a value that you entered is wrong, change it with "MCP Deck: Stored Values…".')}`
    : '';
  const runsOn =
    error instanceof HostError && error.data.isStillRunning === true
      ? ` ${t('The server continues to run with its previous definition.')}`
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

/** The two texts of `failureText`, joined into one. */
export function failureLine(error: unknown, server: string | undefined): string {
  const { what, next } = failureText(error, server);
  return `${what} ${next}`;
}

/** `failureLine` in English, for logs and scripts. */
export function failureLogLine(error: unknown, server: string | undefined): string {
  return inEnglish(() => failureLine(error, server));
}

/** A few words for the tree that state why a server failed. */
export function failureReason(error: Error): string {
  const facts = new FailureFacts(error, failedServer(error));
  const text: FailureText = failureTexts[classOf(error)];
  return (
    text.short?.(facts) ??
    (error instanceof ProtocolError ? firstSentence(facts.said, 100) : facts.brief) ??
    t('failed')
  );
}

/** Adds the server to a failure, unless the failure already specifies a server. */
export function noteServer(error: unknown, server: string): void {
  if (error instanceof HostError) error.data.server ??= server;
  else if (error instanceof ProtocolError) error.server ??= server;
}

/** The server that a failure belongs to, if the failure specifies it. */
export function failedServer(error: unknown): string | undefined {
  const server =
    error instanceof HostError ? error.data.server : error instanceof ProtocolError ? error.server : undefined;
  return typeof server === 'string' ? server : undefined;
}

/** The remark that was made before a failure, without text that the failure itself already quotes. */
function remarkIn(error: unknown, facts: FailureFacts): (Pick<RemarkText, 'next'> & { what?: string }) | undefined {
  const remark = readRemark(facts.data.remark);
  const report = reportOf(error);
  // A missing variable explains the end better than a line that mentions credentials.
  if (!remark || report?.variable !== undefined) return undefined;
  const { what, next } = remarkText(remark);
  const isQuoted =
    report !== undefined && (report.cause === remark.quote || report.lines.some((line) => line === remark.quote));
  return isQuoted ? { next } : { what, next };
}

function usesInputs(error: unknown): boolean {
  return error instanceof HostError && error.data.usesInputs === true;
}

const needsServer: ReadonlySet<FailureAction> = new Set([
  'tryAgain',
  'editServer',
  'diagnoseServer',
  'setSecret',
  'replaceSecret',
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

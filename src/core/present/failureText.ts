import { HostError, UserError, isCancelled, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { elapsedText } from './elapsed.js';
import type { Localize } from './localize.js';
import { firstSentence } from './sentence.js';

/** What a message about a failure can offer. */
export type FailureAction = 'showLog' | 'restartServer' | 'startServer' | 'reviewTrust' | 'manageWorkspaceTrust' | 'openConfiguration';

/** A failure as a person is told of it. */
export interface FailureMessage {
  severity: 'error' | 'warning';
  text: string;
  actions: readonly FailureAction[];
  /** True for what nobody foresaw: the stack belongs into the log. */
  isUnexpected: boolean;
}

export interface FailureContext {
  isWorkspaceTrusted: boolean;
  /** The server it happened to, when there is one to act on. */
  server?: string;
}

/** The text and the ways on, or undefined where silence is right: the user cancelled. */
export function failureMessage(error: unknown, context: FailureContext, t: Localize): FailureMessage | undefined {
  if (isCancelled(error)) return undefined;
  if (error instanceof UserError) return { severity: 'warning', text: notificationText(error.message), actions: [], isUnexpected: false };
  if (!(error instanceof HostError) || error.code === 'internal') {
    const text = notificationText(t('That did not work: {0}', visibleLine(messageOf(error))));
    return { severity: 'error', text, actions: ['showLog'], isUnexpected: true };
  }
  const actions = actionsFor(error, context).filter((action) => context.server !== undefined || !needsServer.has(action));
  const sentences = [sentence(error.message), ...(error.hint === undefined ? [] : [sentence(error.hint)])].join(' ');
  const isTrustQuestion = error.code === 'not-trusted';
  const text = notificationText(isTrustQuestion && context.server !== undefined ? `${visibleLine(context.server)}: ${sentences}` : sentences);
  return { severity: isTrustQuestion ? 'warning' : 'error', text, actions, isUnexpected: false };
}

/** Why a server failed, short enough for its line in the tree. */
export function failureReason(error: Error, t: Localize): string {
  const { data } = error instanceof HostError ? error : { data: {} as Record<string, unknown> };
  const known = error instanceof HostError ? reasonByCode(error.code, data, t) : undefined;
  return known ?? firstSentence(error.message, 100) ?? t('failed');
}

/**
 * VS Code turns `[text](command:…)` in a notification into a link that runs the command. Text that a server had a part
 * in must not be able to write one.
 */
export function notificationText(text: string): string {
  return text.replace(/\](?=\()/g, '] ');
}

const needsServer: ReadonlySet<FailureAction> = new Set(['restartServer', 'startServer', 'reviewTrust', 'openConfiguration']);

function actionsFor(error: HostError, context: FailureContext): FailureAction[] {
  switch (error.code) {
    case 'not-trusted':
      return [context.isWorkspaceTrusted ? 'reviewTrust' : 'manageWorkspaceTrust'];
    case 'not-running':
      return ['startServer'];
    case 'spawn-failed':
    case 'bad-configuration':
      return ['openConfiguration', 'showLog'];
    case 'closed':
    case 'exited':
    case 'timeout':
    case 'handshake-failed':
    case 'send-failed':
    case 'session-expired':
      return ['restartServer', 'showLog'];
    case 'unknown-server':
    case 'unknown-tool':
    case 'unknown-prompt':
    case 'unsupported':
    case 'invalid-arguments':
      return [];
    default:
      return ['showLog'];
  }
}

function reasonByCode(code: HostError['code'], data: Record<string, unknown>, t: Localize): string | undefined {
  switch (code) {
    case 'spawn-failed': {
      const command = typeof data['command'] === 'string' ? visibleLine(data['command'], 80) : undefined;
      if (command !== undefined && data['errno'] === 'ENOENT') return t('command not found: {0}', command);
      if (command !== undefined && data['errno'] === 'EACCES') return t('not allowed to run: {0}', command);
      return undefined;
    }
    case 'exited':
      if (typeof data['signal'] === 'string') return t('ended by {0}', data['signal']);
      return typeof data['code'] === 'number' ? t('exited with code {0}', data['code']) : undefined;
    case 'timeout':
      return typeof data['waitedMs'] === 'number' ? t('no answer within {0}', elapsedText(data['waitedMs'], t)) : undefined;
    case 'connection-refused':
      if (data['errno'] === 'ECONNREFUSED') return t('nothing listens there');
      return data['errno'] === 'ENOTFOUND' ? t('host not found') : undefined;
    case 'http-status':
      return typeof data['status'] === 'number' ? t('HTTP status {0}', data['status']) : undefined;
    case 'auth-required':
      return t('needs a sign-in');
    case 'unsupported-version':
      return t('no protocol revision in common');
    default:
      return undefined;
  }
}

/** With a capital and a full stop, so that message and hint read as two sentences. */
function sentence(text: string): string {
  const line = visibleLine(text, 1_000);
  const capital = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.!?…:]$/.test(capital) ? capital : `${capital}.`;
}

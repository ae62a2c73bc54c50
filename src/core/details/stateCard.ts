/** The top of the page of a server that does not work: the cause in one line, the relevant output, and the actions. */
import { isAuthError } from '../auth/authProblem.js';
import { isFrame, isNoise } from '../base/crashLines.js';
import { HostError } from '../base/hostError.js';
import { namesCause } from '../base/remark.js';
import type { ServerView } from '../catalog/hostTypes.js';
import { blockedError } from '../registry/serverPolicy.js';
import { failureActionLabel, remarkActions } from '../present/failure/failureActions.js';
import type { FailureAction } from '../present/failure/failureShape.js';
import {
  actionsOf,
  exitText,
  failureLines,
  failureText,
  missingFileIn,
  missingVariableOf,
  reportOf,
} from '../present/failure/failureText.js';
import { remarkText } from '../present/text/remarkText.js';
import type { PageButton, StateCard } from '../../shared/serverPage.js';

const maxLines = 8;

/**
 * The card of a server that failed, is blocked, waits for a sign-in, or is starting with a remark that names what may
 * prevent the start. Undefined for any other server.
 */
export function stateCard(view: ServerView, clean: (text: string) => string): StateCard | undefined {
  const { state } = view;
  if (view.blocked && state.kind === 'stopped') return failureCard(view, blockedError(view.id, view.blocked), clean);
  if (state.kind === 'failed' || state.kind === 'needsSignIn') return failureCard(view, state.error, clean);
  if (state.kind !== 'starting' || !state.remark || !namesCause(state.remark)) return undefined;
  const { what, next } = remarkText(state.remark);
  return {
    kind: 'waiting',
    cause: clean(what),
    next: clean(next),
    lines: relevantLines(view).map(clean),
    buttons: buttons(view, [...remarkActions(state.remark), 'showLog']),
  };
}

function failureCard(view: ServerView, error: Error, clean: (text: string) => string): StateCard {
  const { what, next } = failureText(withoutServerMessage(error), view.id);
  const report = reportOf(error);
  const missing = missingFileIn(error);
  const cause = missing ?? report?.cause ?? (isAuthError(error) ? error.data.said : undefined) ?? what;
  const again = view.state.kind === 'failed' ? (['tryAgain'] as const) : [];
  return {
    kind: 'failed',
    cause: clean(cause),
    ...(cause === what
      ? {}
      : {
          ...(missing === undefined ? { isQuote: true as const } : {}),
          what: clean(exitText(error, view.id) ?? what),
        }),
    next: clean(next),
    lines: failureLines(error, view.stderr).slice(-maxLines).map(clean),
    buttons: buttons(
      view,
      [...actionsOf(error, view.id), ...again, 'editServer', 'showLog', 'diagnoseServer'],
      missingVariableOf(error),
    ),
  };
}

/** A copy of a sign-in error without the server's own message, which the card already shows as the cause. */
function withoutServerMessage(error: Error): Error {
  if (!isAuthError(error) || error.data.said === undefined) return error;
  // Empty instead of absent, so that the error still records that the server sent a message.
  const data = { ...error.data, said: '' };
  return new HostError(error.code, error.message, { data, ...(error.hint === undefined ? {} : { hint: error.hint }) });
}

/** The last lines of the error output, without stack traces and lines that carry no information. */
function relevantLines({ stderr }: ServerView): readonly string[] {
  return stderr.filter((line) => !isFrame(line) && !isNoise(line)).slice(-maxLines);
}

/**
 * The buttons for these actions, without duplicates and unsuitable actions. Start and restart are omitted, because the
 * card of a failed server has *Try Again*, and the top of the page has *Start Server*. A built-in server has no file to
 * edit.
 */
function buttons({ entry }: ServerView, actions: readonly FailureAction[], variable?: string): PageButton[] {
  const inFile: ReadonlySet<FailureAction> = new Set(['editServer', 'openConfiguration', 'setSecret', 'replaceSecret']);
  const isBuiltIn = entry.source.kind === 'builtin';
  return [...new Set(actions)]
    .filter((action) => action !== 'restartServer' && action !== 'startServer')
    .filter((action) => !isBuiltIn || !inFile.has(action))
    .map((action) => ({ action, label: failureActionLabel(action, variable) }));
}

import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { errorAnswer } from '../../core/present/failure/failureFacts.js';
import { failedServer, failureMessage } from '../../core/present/failure/failureText.js';
import type { CallToolResult } from '../../core/protocol/mcp.js';
import { outputMisfit, UserRun } from '../../core/runs/userRun.js';
import type { FailedEnd, FinishedRun, RunLog } from '../../core/runs/runLog.js';
import type { RunEnd, UserRunOptions } from '../../core/runs/userRun.js';

export interface ToolRunOptions extends Pick<UserRunOptions<CallToolResult>, 'start' | 'perform'> {
  /** The call to record. It is read when the run ends, because `start` may have to find the tool first. */
  call: () => Pick<FinishedRun, 'server' | 'tool' | 'arguments' | 'schema'>;
}

/** A run of a tool by any caller. When it ends, it is recorded for the Runs view. */
export function toolRun(
  { runLog }: { runLog: Pick<RunLog, 'finish'> },
  { call, ...work }: ToolRunOptions,
): UserRun<CallToolResult> {
  const run: UserRun<CallToolResult> = new UserRun<CallToolResult>({
    ...work,
    resultIn: outputMisfit,
    record: (end) => {
      const { id, startedAt } = run;
      const known = call();
      return runLog.finish({
        id,
        ...known,
        startedAt,
        durationMs: end.durationMs,
        end: finishedEnd(end, known.server),
      });
    },
  });
  return run;
}

/** Converts the end of a run for the history: the result, or the reason for the failure in the user's language. */
export function finishedEnd(end: RunEnd<CallToolResult>, server: string): FinishedRun['end'] {
  return end.kind === 'done' ? { result: end.result } : failedEnd(end, server);
}

/** The reason why a run on `server` has no result. */
export function failedEnd(
  { kind, error, isUnsent }: { kind: 'failed' | 'cancelled'; error: unknown; isUnsent?: true },
  server: string,
): FailedEnd {
  const failure = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server });
  return {
    message: failure?.text ?? cancelText(error),
    isCancelled: kind === 'cancelled',
    ...(isUnsent ? { isUnsent } : {}),
    ...(failure?.actions.includes('showLog') === true && failedServer(error) !== undefined ? { showsLog: true } : {}),
    response: errorAnswer(error),
  };
}

/**
 * The text for a canceled run. A call that the user did not allow must not look like one that was sent and then
 * canceled.
 */
export function cancelText(error: unknown): string {
  return error instanceof HostError && error.code === 'cancelled' && error.data.isUnanswered === true
    ? vscode.l10n.t('Not called: you did not allow it.')
    : vscode.l10n.t('Canceled');
}

/** The note on a result whose structured content does not match the output schema. Empty if it matches. */
export function misfitNotes(problems: readonly string[]): string[] {
  return problems.length > 0
    ? [
        vscode.l10n.t(
          'WARNING: the structured content does not match the output schema of the tool: {0}.',
          problems
            .slice(0, 5)
            .map((problem) => visibleLine(problem))
            .join('; '),
        ),
      ]
    : [];
}

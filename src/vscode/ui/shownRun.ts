import * as vscode from 'vscode';
import { failedModel, toolResultModel } from '../../core/present/result/makeResultModel.js';
import type { CallToolResult } from '../../core/protocol/mcp.js';
import type { RunLog } from '../../core/runs/runLog.js';
import type { RunRecord } from '../../core/runs/runRecord.js';
import type { ResultModel } from '../../shared/result/resultModel.js';

/** The request of a call as it is sent. */
export function toolCall({ tool, arguments: values }: Pick<RunRecord, 'tool' | 'arguments'>): unknown {
  return { method: 'tools/call', params: { name: tool, arguments: values } };
}

/**
 * The result of a past run as its page shows it: the whole result if this window still has it, otherwise the stored
 * text with a note that says so.
 */
export async function modelOfRun(runLog: RunLog, run: RunRecord, hasApp: boolean): Promise<ResultModel> {
  const { id, durationMs } = run;
  const previous = runLog.previousOf(run);
  const kept = runLog.find(id);
  const facts = { id, request: toolCall(kept ?? run), durationMs, ...(previous ? { previous } : {}) };
  if (kept) return toolResultModel(kept.result, { ...facts, hasApp });
  if (run.outcome === 'failed' || run.outcome === 'cancelled')
    return failedModel(facts, {
      message: run.summary,
      isCancelled: run.outcome === 'cancelled',
      ...(run.isUnsent ? { isUnsent: run.isUnsent } : {}),
      response: runLog.findFailed(id)?.response,
    });
  const { result, isWhole } = await storedResult(runLog, run);
  const model = toolResultModel(result, facts);
  const note = isWhole
    ? vscode.l10n.t('This is the stored text of an earlier run. The complete result is no longer in memory.')
    : vscode.l10n.t('Only the beginning of this result was stored.');
  return { ...model, notes: [note, ...model.notes], raw: { request: model.raw.request } };
}

/** Converts the stored text of a past result to a result. `isWhole` is false if only its summary is stored. */
export async function storedResult(
  { history }: Pick<RunLog, 'history'>,
  { id, summary, outcome }: RunRecord,
): Promise<{ result: CallToolResult; isWhole: boolean }> {
  const text = await history.resultText(id);
  const shown = text ?? summary;
  return {
    result: { content: shown === '' ? [] : [{ type: 'text', text: shown }], isError: outcome === 'error' },
    isWhole: text !== undefined,
  };
}

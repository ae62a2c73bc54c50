import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import type { ServerView } from '../../core/catalog/hostApi.js';
import type { ModelTool } from '../../core/present/chatText.js';
import { callQuestion, isKnownReadOnly, toolKey } from '../../core/present/chatText.js';

/**
 * The user's word on calls that a model wants to make. Each is asked for, unless the user allowed exactly this tool until
 * the window closes, or it is one of our own that only reads. What a server claims of its tools decides nothing.
 */
export class ToolApprovals {
  private readonly allowed = new Set<string>();

  /** True when the call may be made. Rejects with `cancelled` when the user wants to end it all. */
  async ask(view: ServerView, tool: ModelTool, values: Record<string, unknown>): Promise<boolean> {
    const key = toolKey(view, tool.tool);
    if (isKnownReadOnly(view, tool.tool) || this.allowed.has(key)) return true;
    const { message, detail } = callQuestion(tool, values, vscode.l10n.t);
    // The first button is the one that Enter presses, so it is the safe one.
    const no = vscode.l10n.t('Not Now');
    const once = vscode.l10n.t('Run Once');
    const always = vscode.l10n.t('Allow in This Window');
    const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, no, once, always);
    if (answer === undefined) throw new HostError('cancelled', 'The user ended the request.');
    if (answer === always) this.allowed.add(key);
    return answer !== no;
  }
}

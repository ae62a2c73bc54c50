import * as vscode from 'vscode';
import { escapeHiddenInJson } from '../../../core/base/hostileText.js';
import type { AgentPart } from '../../../core/chat/agentParts.js';

export type ToolPart = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart;

/** Parts as VS Code's agent gets them. */
export function toolParts(parts: readonly AgentPart[]): ToolPart[] {
  return parts.map((part) =>
    part.kind === 'text'
      ? new vscode.LanguageModelTextPart(part.text)
      : new vscode.LanguageModelDataPart(part.bytes, part.mimeType),
  );
}

/** A value as JSON text. */
export function jsonParts(value: unknown): ToolPart[] {
  return [new vscode.LanguageModelTextPart(escapeHiddenInJson(JSON.stringify(value)))];
}

import * as vscode from 'vscode';
import { escapeHiddenInJson } from '../../../core/base/hostileText.js';
import type { AgentPart } from '../../../core/chat/agentParts.js';

export type ToolPart = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart;

/** Converts parts to those of VS Code's API for language model tools. */
export function toolParts(parts: readonly AgentPart[]): ToolPart[] {
  return parts.map((part) =>
    part.kind === 'text'
      ? new vscode.LanguageModelTextPart(part.text)
      : new vscode.LanguageModelDataPart(part.bytes, part.mimeType),
  );
}

/** A value as JSON text, with hidden characters escaped. */
export function jsonParts(value: unknown): ToolPart[] {
  return [new vscode.LanguageModelTextPart(escapeHiddenInJson(JSON.stringify(value)))];
}

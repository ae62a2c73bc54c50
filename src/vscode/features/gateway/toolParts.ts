import * as vscode from 'vscode';
import { escapeHiddenInJson, visibleText } from '../../../core/base/hostileText.js';
import { SecretFinder } from '../../../core/base/secretFinder.js';
import type { CallToolResult, ContentBlock, ResourceContents } from '../../../core/protocol/mcp.js';

type Part = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart;

/**
 * The result of a tool for VS Code's agent: texts, images, audio, and resources. Other content, such as links, is JSON.
 * In text, secrets that the server received are masked, and hidden characters are escaped, because the user does not
 * see them (security requirement L2).
 */
export function partsOfResult(result: CallToolResult, secrets: readonly string[]): Part[] {
  const finder = new SecretFinder(secrets);
  const { content, structuredContent, isError } = result;
  return [
    ...(isError === true ? [new vscode.LanguageModelTextPart('The tool reported an error:')] : []),
    ...content.flatMap((block) => partsOfBlock(block, finder)),
    // Servers repeat structured content as text for clients that cannot read it.
    ...(structuredContent !== undefined && !content.some(({ type }) => type === 'text')
      ? [json(structuredContent, finder)]
      : []),
  ];
}

/** The contents of a resource as parts for VS Code's agent, with the secrets masked. */
export function partsOfContents(contents: readonly ResourceContents[], secrets: readonly string[]): Part[] {
  const finder = new SecretFinder(secrets);
  return contents.flatMap((one) => partsOfContent(one, finder));
}

/** A value as JSON text. */
export function jsonParts(value: unknown): Part[] {
  return [new vscode.LanguageModelTextPart(escapeHiddenInJson(JSON.stringify(value)))];
}

function partsOfBlock(block: ContentBlock, finder: SecretFinder): Part[] {
  switch (block.type) {
    case 'text':
      return [text(block.text, finder)];
    case 'image':
    case 'audio':
      return [data(block.data, block.mimeType)];
    case 'resource':
      return partsOfContent(block.resource, finder);
    default:
      return [json(block, finder)];
  }
}

function partsOfContent(content: ResourceContents, finder: SecretFinder): Part[] {
  const { uri, mimeType, blob } = content;
  const head = json({ uri, ...(mimeType === undefined ? {} : { mimeType }) }, finder);
  if (blob !== undefined) return [head, data(blob, mimeType ?? 'application/octet-stream')];
  return [head, text(content.text ?? '', finder)];
}

function data(base64: string, mimeType: string): vscode.LanguageModelDataPart {
  return new vscode.LanguageModelDataPart(Buffer.from(base64, 'base64'), mimeType);
}

function text(value: string, finder: SecretFinder): vscode.LanguageModelTextPart {
  return new vscode.LanguageModelTextPart(visibleText(finder.mask(value), Infinity));
}

function json(value: unknown, finder: SecretFinder): vscode.LanguageModelTextPart {
  return new vscode.LanguageModelTextPart(escapeHiddenInJson(finder.mask(JSON.stringify(value))));
}

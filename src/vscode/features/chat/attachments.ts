import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { visibleText } from '../../../core/base/hostileText.js';
import type { ModelImage, ModelText } from '../../../core/chat/chatModel.js';
import { imageOf } from '../../../core/chat/modelCall.js';
import { resourceScheme } from '../../manifest.js';

/**
 * Limits of the user's attachments: their number, the size of a file in bytes, and the length of a text in characters.
 */
const maxAttachments = 20;
const maxFileBytes = 5 * 1024 * 1024;
const maxTextLength = 30_000;

/**
 * The attachments of a message: texts, parts of files, files, and images. Only the name of a file is included if the
 * file is too large, cannot be read, or is neither text nor an image. Other kinds of attachments are left out.
 */
export async function attachmentsOf(
  references: readonly vscode.ChatPromptReference[],
): Promise<(ModelText | ModelImage)[]> {
  const parts = await Promise.all(references.slice(0, maxAttachments).map(({ value }) => attachment(value)));
  return parts.flat();
}

async function attachment(value: unknown): Promise<(ModelText | ModelImage)[]> {
  if (typeof value === 'string') return [textPart('text', value)];
  if (value instanceof vscode.Uri) return fileParts(value);
  if (value instanceof vscode.Location) return [await rangePart(value)];
  return imageParts(value);
}

async function rangePart({ uri, range }: vscode.Location): Promise<ModelText> {
  const name = `${vscode.workspace.asRelativePath(uri)}, lines ${range.start.line + 1} to ${range.end.line + 1}`;
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    return textPart(name, textFrom(uri, document.getText(range)));
  } catch {
    // A range of a file that was deleted or cannot be read is only named.
    return { kind: 'text', text: `[${name}]` };
  }
}

/**
 * An image. VS Code passes a `ChatReferenceBinaryData`, which is not in its API yet: its bytes, and its file if any.
 */
async function imageParts(value: unknown): Promise<(ModelText | ModelImage)[]> {
  if (!isObject(value) || typeof value['data'] !== 'function') return [];
  const bytes: unknown = await (value as { data(): Thenable<unknown> }).data();
  const image = bytes instanceof Uint8Array ? imageOf(bytes) : undefined;
  if (image) return [image];
  return value['reference'] instanceof vscode.Uri ? fileParts(value['reference']) : [{ kind: 'text', text: '[image]' }];
}

async function fileParts(uri: vscode.Uri): Promise<(ModelText | ModelImage)[]> {
  const name = vscode.workspace.asRelativePath(uri);
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > maxFileBytes) return [{ kind: 'text', text: `[${name}]` }];
    const bytes = await vscode.workspace.fs.readFile(uri);
    const image = imageOf(bytes);
    if (image) return [{ kind: 'text', text: `Image ${name}:` }, image];
    return bytes.includes(0)
      ? [{ kind: 'text', text: `[${name}]` }]
      : [textPart(name, textFrom(uri, new TextDecoder().decode(bytes)))];
  } catch {
    // A file that was deleted or cannot be read is only named.
    return [{ kind: 'text', text: `[${name}]` }];
  }
}

/** Escapes hidden characters in the text of a server, because the user does not see them (security requirement L2). */
function textFrom({ scheme }: vscode.Uri, text: string): string {
  return scheme === resourceScheme ? visibleText(text, Infinity) : text;
}

function textPart(name: string, text: string): ModelText {
  const isCut = text.length > maxTextLength;
  return {
    kind: 'text',
    text: `Attached by the user (${name}):\n\n${text.slice(0, maxTextLength)}${isCut ? '\n[Cut: the rest was not sent.]' : ''}`,
  };
}

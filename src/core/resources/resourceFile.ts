/** Converts the result of reading a resource to the one file that an editor shows. */
import { visibleLine } from '../base/hostileText.js';
import { decodeBase64 } from '../present/text/mediaType.js';
import { sizeText } from '../../shared/amountText.js';
import type { ReadResourceResult, ResourceContents } from '../protocol/mcp.js';
import { addedExtension } from './fileExtension.js';

export interface ResourceFile {
  bytes: Uint8Array;
  /** The extension to add, so that the right language or viewer opens the file. */
  extension?: string;
}

/**
 * The file for the result of a read. A single content is returned as the exact bytes that the server sent. Several
 * contents become one text, in which a heading line precedes each content; binary contents are only mentioned, because
 * an editor cannot show them within text.
 */
export function resourceFile(uri: string, { contents }: ReadResourceResult): ResourceFile {
  const [only] = contents;
  if (only === undefined) return named(uri, { text: '' }, Buffer.alloc(0));
  if (contents.length > 1) {
    const text = contents.map(sectionText).join('\n\n');
    return named(uri, { text, mimeType: 'text/plain' }, Buffer.from(text));
  }
  if (only.text !== undefined) return named(uri, { text: only.text, mimeType: only.mimeType }, Buffer.from(only.text));
  const bytes = decodeBase64(only.blob ?? '');
  if (bytes) return named(uri, { bytes, mimeType: only.mimeType }, bytes);
  // The text is not valid base64, so it is shown as received.
  return { bytes: Buffer.from(only.blob ?? ''), extension: 'txt' };
}

function named(
  uri: string,
  facts: { text?: string; bytes?: Uint8Array; mimeType?: string | undefined },
  bytes: Uint8Array,
): ResourceFile {
  const extension = addedExtension({ uri, ...facts });
  return { bytes, ...(extension === undefined ? {} : { extension }) };
}

function sectionText({ uri, mimeType, text, blob }: ResourceContents): string {
  const facts = [visibleLine(uri, 1_000), ...(mimeType === undefined ? [] : [visibleLine(mimeType, 80)])];
  if (text !== undefined) return `[${facts.join(', ')}]\n${text}`;
  return `[${[...facts, sizeText(decodeBase64(blob ?? '')?.length ?? 0)].join(', ')}]`;
}

import { looksLikeMarkdown } from '../present/text/markdown.js';
import { parseJsonText } from '../present/text/jsonPieces.js';
import { detectMediaType } from '../present/text/mediaType.js';
import { isNotebook } from './resourcePath.js';

/** The facts that determine the file name of a resource. */
export interface FileFacts {
  uri: string;
  /** The type that the server declares. */
  mimeType?: string | undefined;
  /** The content of a text resource. */
  text?: string | undefined;
  /** The content of a binary resource. */
  bytes?: Uint8Array | undefined;
}

/**
 * The extension to add to a resource's name, so that the editor selects the right language or viewer; undefined if the
 * name is sufficient. The media type that the first bytes of binary data show takes precedence over the declared MIME
 * type (security requirement V6).
 */
export function addedExtension({ uri, mimeType, text, bytes }: FileFacts): string | undefined {
  const own = ownExtension(uri);
  if (own?.isAtEnd === true) return undefined;
  const media = bytes && detectMediaType(bytes)?.extension;
  const type = mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return media ?? own?.text ?? extensionOfType(type) ?? (text === undefined ? undefined : extensionOfText(text));
}

/** The extension in the URI's path. `isAtEnd` means that the URI ends with the extension. */
function ownExtension(uri: string): { text: string; isAtEnd: boolean } | undefined {
  const [path = ''] = uri.split(/[?#]/, 1);
  // `example.com` is a host, so `.com` is not an extension.
  if (/^(https?|ftp|wss?):\/\/[^/]*$/i.test(path)) return undefined;
  // An extension without a letter is part of a version number.
  const text = /[^/]\.([a-z0-9]{0,10}[a-z][a-z0-9]{0,10})$/i.exec(path)?.[1];
  return text === undefined || isNotebook(path)
    ? undefined
    : { text: text.toLowerCase(), isAtEnd: path.length === uri.length };
}

function extensionOfType(type: string): string | undefined {
  if (Object.hasOwn(extensions, type)) return extensions[type];
  if (type.endsWith('+json')) return 'json';
  if (type.endsWith('+xml')) return 'xml';
  return undefined;
}

function extensionOfText(text: string): string {
  if (parseJsonText(text)) return 'json';
  return looksLikeMarkdown(text) ? 'md' : 'txt';
}

const extensions: Readonly<Record<string, string>> = {
  'application/javascript': 'js',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/sql': 'sql',
  'application/toml': 'toml',
  'application/typescript': 'ts',
  'application/xml': 'xml',
  'application/yaml': 'yaml',
  'application/x-ndjson': 'jsonl',
  'application/x-sh': 'sh',
  'application/x-yaml': 'yaml',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/tab-separated-values': 'tsv',
  'text/typescript': 'ts',
  'text/x-c': 'c',
  'text/x-csharp': 'cs',
  'text/x-diff': 'diff',
  'text/x-go': 'go',
  'text/x-java': 'java',
  'text/x-python': 'py',
  'text/x-rust': 'rs',
  'text/x-sql': 'sql',
  'text/x-typescript': 'ts',
  'text/x-yaml': 'yaml',
  'text/xml': 'xml',
  'text/yaml': 'yaml',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

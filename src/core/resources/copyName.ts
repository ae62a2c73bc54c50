import { fileNameOf, harmlessExtension } from '../present/text/fileName.js';

/** A name for a copy of a resource: the last part of its path, made harmless, with its extension or else the one it lacks. */
export function copyName(uri: string, extension?: string): string {
  const [path = ''] = uri.split(/[?#]/, 1);
  const last = decoded(path.split('/').findLast((segment) => segment !== '') ?? '');
  const [, stem = last, own] = /^([^]+)\.([A-Za-z0-9]{1,10})$/.exec(last) ?? [];
  const ending = own ?? extension;
  return `${fileNameOf(stem, 'resource')}${ending === undefined || ending === '' ? '' : `.${harmlessExtension(ending)}`}`;
}

/** What is encoded may hold separators; the name is made harmless afterwards. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded, then.
    return text;
  }
}

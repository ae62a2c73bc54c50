import { createHash } from 'node:crypto';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { ownPlaces } from '../../adapters/ownPlaces.js';
import type { NewServer } from '../../ui/pages.js';
import type { Edited } from '../../ui/saveServer.js';

/** The definition that a page edits: one that is saved in a file or setting, or a new one. */
export type DefinitionSubject = Edited | NewServer;

/** Whether the definition is not saved yet. */
export function isNew(subject: DefinitionSubject): subject is NewServer {
  return 'server' in subject;
}

/** The ID of the page of a new server. The server itself has no ID yet. */
export const newId = 'new';

/** The ID of the page that edits this definition. */
export function idOf(subject: DefinitionSubject): string {
  return isNew(subject) ? newId : JSON.stringify([subject.place.source.id, subject.name]);
}

/**
 * The key under which unfinished input is stored. The input belongs to one version of the definition, so the key
 * contains a hash of the definition.
 */
export function draftKey(subject: DefinitionSubject): string {
  const text = JSON.stringify(isNew(subject) ? subject.server : subject.before);
  return JSON.stringify(['edit', idOf(subject), createHash('sha256').update(text).digest('base64')]);
}

/** Whether `entry` is the server of this definition. A new server has no entry. */
export function isOf(entry: { name: string; source: { id: string } }, subject: DefinitionSubject): boolean {
  return !isNew(subject) && entry.name === subject.name && entry.source.id === subject.place.source.id;
}

/**
 * The file or setting that is suggested for a new server: the kind of file that the pasted text specified; otherwise,
 * `.vscode/mcp.json` if the definition refers to the workspace; otherwise, the user settings.
 */
export function preferredPlace({ place, server }: NewServer): OwnPlace | undefined {
  const places = ownPlaces();
  const wanted = place ?? (/\$\{workspaceFolder|"\.{1,2}[\\/]/.test(JSON.stringify(server.fields)) ? 'vscode' : 'user');
  return places.find(({ kind }) => kind === wanted) ?? places[0];
}

import type { ServerView } from '../catalog/hostTypes.js';
import type { Resource } from '../protocol/mcp.js';
import { addedExtension } from './fileExtension.js';
import type { ResourceAddress } from './resourcePath.js';
import { resourceAt, resourcePath, serverAt, serverPath } from './resourcePath.js';

export type EntryKind = 'file' | 'folder';

/** The servers whose resources are files. */
export interface ResourceServers {
  list(): readonly ServerView[];
  get(id: string): ServerView | undefined;
}

/** The names in a folder. */
export type FolderEntries = ReadonlyMap<string, EntryKind>;

/**
 * The kind of entry at a path, without asking a server: the root contains a folder for each server, and that folder
 * contains the resources that the server lists now. Any other path that a resource can have is a file, because
 * templates produce URIs that are not listed.
 */
export function kindAt(servers: ResourceServers, path: string): EntryKind | undefined {
  if (path === '/') return 'folder';
  const server = serverAt(path);
  const view = server === undefined ? undefined : servers.get(server);
  if (!view) return undefined;
  if (path === serverPath(view.id)) return 'folder';
  const { resources = [] } = view.features ?? {};
  const folders = foldersOf(view.id, resources);
  const slash = path.lastIndexOf('/');
  return folders.get(path.slice(0, slash))?.get(path.slice(slash + 1)) ?? (resourceAt(path) ? 'file' : undefined);
}

/** The path of a resource. When a folder has the same name, an empty extension distinguishes the resource from it. */
export function filePath(servers: ResourceServers, address: ResourceAddress, extension?: string): string {
  const path = resourcePath(address, extension);
  return kindAt(servers, path) === 'folder' ? resourcePath(address, '') : path;
}

/**
 * The names in a folder; undefined if the path is not a folder. The folder of a server that is not running is empty.
 */
export function entriesAt(servers: ResourceServers, path: string): FolderEntries | undefined {
  if (path === '/') return new Map(servers.list().map(({ id }) => [serverPath(id).slice(1), 'folder']));
  const server = serverAt(path);
  const view = server === undefined ? undefined : servers.get(server);
  if (!view) return undefined;
  return (
    foldersOf(view.id, view.features?.resources ?? []).get(path) ??
    (path === serverPath(view.id) ? new Map() : undefined)
  );
}

/**
 * Maximum number of names in the path of a listed file. The files of URIs with more slashes are not listed in folders,
 * because each slash would need a folder. They can be opened.
 */
const maxNames = 20;
/** Maximum number of folders that are listed. The files of others can be opened. */
const maxFolders = 10_000;

/** Caches one index per list of resources. */
const indexes = new WeakMap<readonly Resource[], Map<string, Map<string, EntryKind>>>();

function foldersOf(server: string, resources: readonly Resource[]): Map<string, Map<string, EntryKind>> {
  const known = indexes.get(resources);
  if (known) return known;
  const folders = new Map<string, Map<string, EntryKind>>();
  const folderAt = (path: string): Map<string, EntryKind> => {
    const existing = folders.get(path);
    if (existing) return existing;
    const made = new Map<string, EntryKind>();
    folders.set(path, made);
    const slash = path.lastIndexOf('/');
    if (slash > 0) folderAt(path.slice(0, slash)).set(path.slice(slash + 1), 'folder');
    return made;
  };
  const files = resources
    .map(({ uri, mimeType }) => ({ uri, path: resourcePath({ server, uri }, addedExtension({ uri, mimeType })) }))
    .filter(({ path }) => path.split('/', maxNames + 2).length <= maxNames + 1);
  for (const { path } of files) if (folders.size < maxFolders) folderAt(path.slice(0, path.lastIndexOf('/')));
  for (const { uri, path } of files) {
    // Other resources have URIs below this URI, so its path is a folder, and the file gets an empty extension.
    const own = folders.has(path) ? resourcePath({ server, uri }, '') : path;
    const slash = own.lastIndexOf('/');
    folders.get(own.slice(0, slash))?.set(own.slice(slash + 1), 'file');
  }
  indexes.set(resources, folders);
  return folders;
}

import type { Resource } from '../../protocol/mcp.js';

/** A resource, or a folder of resources whose URIs have a common prefix. */
export type ResourceBranch = { resource: Resource } | { folder: ResourceFolder };

interface ResourceFolder {
  /** The part of the URIs that the folders above do not show, such as `guide/chapters`. */
  label: string;
  /** The complete common prefix of the URIs, which identifies the folder. */
  path: string;
  /** Number of resources in the folder, at any depth. */
  count: number;
  branches: readonly ResourceBranch[];
}

/** Minimum number of resources that are shown in folders. */
const minGrouped = 8;
/**
 * Maximum depth of folders. The rest of a deeper path stays in one name, because an untrusted path may have thousands
 * of parts.
 */
const maxDepth = 20;
/** Maximum number of folders. A resource that would need more is shown in the folder that exists. */
const maxFolders = 10_000;

interface Folder {
  path: string;
  /** The last part of the folder's path. */
  part: string;
  folders: Map<string, Folder>;
  resources: Resource[];
}

/**
 * Arranges resources as a file explorer does: in folders by the paths of their URIs, folders first, otherwise in the
 * order of the list. A chain of folders becomes one line, the common prefix of all resources is omitted, and a folder
 * with only one resource is replaced by that resource.
 */
export function resourceTree(resources: readonly Resource[]): ResourceBranch[] {
  if (resources.length < minGrouped) return resources.map((resource) => ({ resource }));
  const root: Folder = { path: '', part: '', folders: new Map(), resources: [] };
  let count = 0;
  for (const resource of resources) {
    let folder = root;
    for (const part of foldersOf(resource.uri)) {
      let next = folder.folders.get(part);
      if (!next && ++count > maxFolders) break;
      if (!next)
        folder.folders.set(part, (next = { path: folder.path + part, part, folders: new Map(), resources: [] }));
      folder = next;
    }
    folder.resources.push(resource);
  }
  return branchesOf(endOfChain(root)[0]);
}

/** The folders of a URI: `demo://`, `docs/`, `api/` for `demo://docs/api/a.md`; empty for a URI without slashes. */
function foldersOf(uri: string): string[] {
  const [path = ''] = uri.split(/[?#]/, 1);
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/\/?/.exec(path)?.[0] ?? '';
  const parts = path.slice(scheme.length).split('/').slice(0, -1).slice(0, maxDepth);
  return [...(scheme === '' ? [] : [scheme]), ...parts.map((part) => `${part}/`)];
}

/**
 * Follows a chain of folders that contain only one folder each; returns the last folder and the joined parts of the
 * chain.
 */
function endOfChain(folder: Folder): [Folder, string] {
  let label = folder.part;
  for (let at = folder; ;) {
    const [only] = at.folders.values();
    if (at.resources.length > 0 || at.folders.size !== 1 || !only) return [at, label];
    at = only;
    label += only.part;
  }
}

function branchesOf({ folders, resources }: Folder): ResourceBranch[] {
  const branches: ResourceBranch[] = [];
  const single: Resource[] = [];
  for (const child of folders.values()) {
    const [folder, label] = endOfChain(child);
    const inside = branchesOf(folder);
    const count = inside.reduce((sum, branch) => sum + ('folder' in branch ? branch.folder.count : 1), 0);
    const [first] = inside;
    if (count === 1 && first && 'resource' in first) single.push(first.resource);
    else
      branches.push({
        folder: { label: label.replace(/(?<=[^:/])\/$/, ''), path: folder.path, count, branches: inside },
      });
  }
  return [...branches, ...[...single, ...resources].map((resource) => ({ resource }))];
}

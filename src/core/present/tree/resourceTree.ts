import type { Resource } from '../../protocol/mcp.js';

/** A resource, or a folder of them that their URIs have in common. */
export type ResourceBranch = { resource: Resource } | { folder: ResourceFolder };

interface ResourceFolder {
  /** `guide/chapters`: the part of the URIs that the folders above do not say. */
  label: string;
  /** The whole beginning of the URIs; tells it from others. */
  path: string;
  /** Resources below, at any depth. */
  count: number;
  branches: readonly ResourceBranch[];
}

/** Fewer lines are quicker to look through than folders to open. */
const minGrouped = 8;
/** Deeper paths stay in one name: a hostile one has thousands of parts. */
const maxDepth = 20;

interface Folder {
  path: string;
  /** The last part of the path. */
  part: string;
  folders: Map<string, Folder>;
  resources: Resource[];
}

/**
 * Resources as an explorer shows files: in folders by the paths of their URIs, folders first, each in the order of the list.
 * Chains of folders are one line, what all have in common is none, and a folder of one resource is that resource.
 */
export function resourceTree(resources: readonly Resource[]): ResourceBranch[] {
  if (resources.length < minGrouped) return resources.map((resource) => ({ resource }));
  const root: Folder = { path: '', part: '', folders: new Map(), resources: [] };
  for (const resource of resources) {
    let folder = root;
    for (const part of foldersOf(resource.uri)) {
      let next = folder.folders.get(part);
      if (!next)
        folder.folders.set(part, (next = { path: folder.path + part, part, folders: new Map(), resources: [] }));
      folder = next;
    }
    folder.resources.push(resource);
  }
  return branchesOf(untilItParts(root)[0]);
}

/** `demo://`, `docs/`, `api/` of `demo://docs/api/a.md`; none for a URI without a path. */
function foldersOf(uri: string): string[] {
  const [path = ''] = uri.split(/[?#]/, 1);
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/\/?/.exec(path)?.[0] ?? '';
  const parts = path.slice(scheme.length).split('/').slice(0, -1).slice(0, maxDepth);
  return [...(scheme === '' ? [] : [scheme]), ...parts.map((part) => `${part}/`)];
}

/** Down a chain of folders that hold nothing but one another, with the parts that were passed. */
function untilItParts(folder: Folder): [Folder, string] {
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
    const [folder, label] = untilItParts(child);
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

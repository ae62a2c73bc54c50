/**
 * The definition of an installed server with a newer version of its package. Only the argument that names the package
 * and the field `version` change, and missing environment variables that the new version requires are added: everything
 * that the user entered or edited stays. If the argument is not found exactly once, there is no new definition.
 */
import { freeName, slugOf } from '../../base/freeName.js';
import { isObject, isStringArray, valueAt } from '../../base/guards.js';
import { parsedJson } from '../../base/jsonText.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import { define } from '../define.js';
import { movingVersion } from '../movingVersion.js';
import type { GalleryInput } from '../serverJson.js';

/** The fields of a server in a file or setting. */
type ServerFields = Readonly<Record<string, unknown>>;

/** The definition and inputs that an update writes. */
export interface UpdatedServer {
  fields: Record<string, unknown>;
  /** Inputs for environment variables that the new version requires in addition. */
  inputs: InputDefinition[];
}

/** The consequences of an update for an installed server. */
export type PlannedUpdate =
  | UpdatedServer
  /** A bundle: its file, and its published SHA-256. */
  | { file: string; sha256: string | undefined }
  /** The new version runs differently, so it has to be installed like a new server. */
  | { isDifferent: true };

const maxPackages = 20;

/**
 * Plans an update.
 * @param json the `server.json` of the new version, as text.
 * @param version the new version of the server.
 * @param isBundle whether the installed server runs from a bundle.
 */
export function planUpdate(fields: ServerFields, json: string, version: string, isBundle: boolean): PlannedUpdate {
  const server = parsedJson(json);
  const packages = valueAt(server, ['packages']);
  const count = Array.isArray(packages) ? Math.min(maxPackages, packages.length) : 0;
  for (let index = 0; index < count; index++) {
    const item: unknown = Array.isArray(packages) ? packages[index] : undefined;
    // An update to a tag such as "latest" could run another program with each start.
    if (isObject(item) && movingVersion(item) !== undefined) continue;
    const asked = new Map<string, GalleryInput>();
    const definition = define(server, `packages/${index}`, (key, input) => void asked.set(key, input));
    if ('unsupported' in definition) continue;
    if ('file' in definition) {
      if (isBundle) return { file: definition.file, sha256: definition.sha256 };
      continue;
    }
    if (isBundle || !('command' in definition) || definition.command !== fields['command']) continue;
    const args = fields['args'];
    const replaced = isStringArray(args) ? withNewPackage(args, definition.args) : undefined;
    if (!replaced) continue;
    const added = newVariables(asked, fields['env'], slugOf(nameOf(server)));
    const env = isObject(fields['env']) ? fields['env'] : {};
    return {
      fields: {
        ...fields,
        args: replaced,
        ...(added.length === 0
          ? {}
          : { env: { ...env, ...Object.fromEntries(added.map(({ name, id }) => [name, `\${input:${id}}`])) } }),
        version,
      },
      inputs: added.map(({ id, input }) => input(id)),
    };
  }
  const remotes = valueAt(server, ['remotes']);
  const isSameRemote =
    Array.isArray(remotes) &&
    remotes.some((remote) => typeof fields['url'] === 'string' && valueAt(remote, ['url']) === fields['url']);
  return isSameRemote ? { fields: { ...fields, version }, inputs: [] } : { isDifferent: true };
}

/** The arguments with the package of the new definition; undefined if it is not there exactly once. */
function withNewPackage(args: readonly string[], next: readonly string[]): string[] | undefined {
  const found = next.flatMap((word) => {
    const name = packageName(word);
    if (name === undefined) return [];
    return args.flatMap((arg, at) => (packageName(arg) === name ? [{ at, word }] : []));
  });
  const [only, second] = found;
  if (!only || second) return undefined;
  return args.map((arg, at) => (at === only.at ? only.word : arg));
}

/**
 * The name of a package with an exact version, `@a/b@1.0.0` or `host/image:1.0.0`, without the version. Undefined for
 * other words, including a package without a version.
 */
function packageName(word: string): string | undefined {
  const [, name] =
    /^((?:@[\w.~-]+\/)?[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?)@\w[\w.+-]*$/.exec(word) ??
    /^([a-z0-9][\w./-]*(?::\d+\/[\w./-]+)?):\w[\w.-]*$/.exec(word) ??
    [];
  return name;
}

/** Required environment variables without a default that the definition does not have. */
function newVariables(asked: ReadonlyMap<string, GalleryInput>, env: unknown, prefix: string) {
  const taken = new Set<string>();
  return [...asked].flatMap(([key, { isRequired, default: standard, description, isSecret }]) => {
    const [, name] = /^env\/([^/]+)$/.exec(key) ?? [];
    if (name === undefined || !isRequired || standard !== undefined || (isObject(env) && Object.hasOwn(env, name)))
      return [];
    const id = freeName(slugOf(prefix, name) || 'value', taken);
    taken.add(id);
    const input = (own: string): InputDefinition => ({
      id: own,
      type: 'promptString',
      description: (description ?? name).slice(0, 300),
      password: isSecret,
    });
    return [{ name, id, input }];
  });
}

function nameOf(server: unknown): string {
  const name = valueAt(server, ['name']);
  return typeof name === 'string' ? name : '';
}

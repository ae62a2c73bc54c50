/**
 * The fields of a definition that identify the registry entry that the server was installed from. VS Code writes the
 * same fields: `gallery` with the URL of the entry in the registry, and `version`.
 */
import { isObject } from '../base/guards.js';

/** The entry of a registry from which a server was installed. */
export interface InstalledFrom {
  /** The name of the server in the registry. */
  name: string;
  version: string;
}

/**
 * The fields for a server that is installed. The URL of the entry contains the name; for a folder or file, only the
 * name is written, because its path is of no use on other machines.
 * @param place the URL or path of the source.
 */
export function galleryFields(place: string, { name, version }: InstalledFrom): Record<string, string> {
  const isWeb = /^https?:\/\//i.test(place) && URL.canParse(place);
  // The URL of the source may contain a user name or a token.
  const base = isWeb ? `${new URL(place).origin}${new URL(place).pathname.replace(/\/+$/, '')}/` : '';
  return {
    gallery: `${base}${isWeb ? 'servers/' : ''}${encodeURIComponent(name)}`,
    ...(version === '' ? {} : { version }),
  };
}

/**
 * The entry that the fields of a definition refer to. Undefined if the server was not installed from a registry. The
 * fields are untrusted, because anyone can write them into a file.
 */
export function installedFrom(fields: unknown): InstalledFrom | undefined {
  if (!isObject(fields)) return undefined;
  const { gallery, version = '' } = fields;
  if (typeof gallery !== 'string' || gallery.length > 3_000 || typeof version !== 'string') return undefined;
  try {
    const name = decodeURIComponent(gallery.split('/').at(-1) ?? '');
    return name === '' ? undefined : { name, version };
  } catch {
    return undefined;
  }
}

import type { JsonFields } from './serverJson.js';
import { field } from './serverJson.js';

/** Versions that always mean the same files, by the type of a package. */
const exact: Readonly<Record<string, RegExp>> = {
  // "1" and "1.2" are ranges for npm.
  npm: /^v?\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/,
  // uvx reads "name@1.2" as "==1.2".
  pypi: /^v?\d[\w.+-]*$/,
  nuget: /^\d+\.\d+[\w.+-]*$/,
  // By convention, a tag with a number after a dot, or with a commit, is not moved.
  oci: /^(?:v?\d+\.\d+[\w.-]*|(?:[\w.-]*[.-])?[0-9a-f]{7,40})$/,
};

/**
 * The version of a package that does not name exact files: a tag such as `latest`, or a range. Empty if there is no
 * version. Undefined if the version is exact, and for packages that are not started by a launcher.
 * @param item a package of a `server.json`.
 */
export function movingVersion(item: JsonFields): string | undefined {
  const type = fieldText(item, 'registryType');
  const pattern = Object.hasOwn(exact, type) ? exact[type] : undefined;
  const identifier = fieldText(item, 'identifier');
  if (!pattern || identifier.includes('@sha256:')) return undefined;
  const [, own] = (type === 'oci' ? /:([\w.-]*)$/ : /.@([^@]*)$/).exec(identifier) ?? [];
  const version = own ?? fieldText(item, 'version');
  return pattern.test(version) ? undefined : version;
}

function fieldText(item: JsonFields, name: string): string {
  const value = field(item, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

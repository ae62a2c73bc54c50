/** The command that starts a package: its launcher, the exact version, and the registry of the package. */
import { parsedUrl } from '../base/parsedUrl.js';
import type { JsonFields } from './serverJson.js';
import { field, textField, Unsupported } from './serverJson.js';

/** The input for the command line of a launcher. */
interface Start {
  identifier: string;
  version: string | undefined;
  hint: string | undefined;
  /** The URL of a package registry other than the public one. */
  registry: string | undefined;
  /** Words before and after the package. */
  runtime: readonly string[];
  words: readonly string[];
  /** Names of the environment variables. */
  variables: readonly string[];
}

export interface PackageCommand {
  command: string;
  args: string[];
}

interface PackageType {
  /** Identifiers that cannot be read as an option, a path or several words. */
  identifier: RegExp;
  /** Launchers that `runtimeHint` may name. */
  hints: readonly string[];
  publicRegistry: RegExp;
  command: (start: Start) => PackageCommand;
}

const types: Readonly<Record<string, PackageType>> = {
  npm: {
    identifier: /^(?:@[\w.~-]+\/)?\w[\w.~-]*(?:@\w[\w.+-]*)?$/,
    hints: ['npx', 'npm', 'node', 'bun', 'bunx', 'pnpm', 'pnpx', 'yarn'],
    publicRegistry: /^https:\/\/(?:registry\.npmjs\.org|(?:www\.)?npmjs\.com)\/?$/,
    command: npmCommand,
  },
  pypi: {
    identifier: /^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?$/,
    hints: ['uvx', 'uv', 'python', 'python3', 'pip', 'pipx'],
    publicRegistry: /^https:\/\/pypi\.(?:org|python\.org)(?:\/simple)?\/?$/,
    command: pypiCommand,
  },
  oci: {
    identifier: /^[A-Za-z0-9][\w.:/-]*(?:@sha256:[0-9a-f]{64})?$/,
    hints: ['docker', 'podman'],
    publicRegistry: /^https:\/\/(?:(?:hub|index|registry-1)\.docker\.(?:com|io)|docker\.io)(?:\/v[12])?\/?$/,
    command: ociCommand,
  },
  nuget: {
    identifier: /^\w[\w.-]*$/,
    hints: ['dnx', 'dotnet'],
    publicRegistry: /^https:\/\/(?:api|www)\.nuget\.org(?:\/v3(?:\/index\.json)?)?\/?$/,
    command: nugetCommand,
  },
};

/**
 * The command of a package.
 * @param runtime words for the launcher, before the package.
 * @param words words for the package.
 * @param variables names of the environment variables.
 * @throws Unsupported for other types, and for text that is not an identifier, a version or a URL.
 */
export function commandOf(
  fields: JsonFields,
  runtime: readonly string[],
  words: readonly string[],
  variables: readonly string[],
): PackageCommand {
  const name = textField(fields, 'registryType') ?? '';
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  const identifier = textField(fields, 'identifier') ?? '';
  const version = textField(fields, 'version') || undefined;
  const hint = textField(fields, 'runtimeHint') || undefined;
  if (!type?.identifier.test(identifier)) throw new Unsupported();
  if (version !== undefined && !/^\w[\w.+-]{0,254}$/.test(version)) throw new Unsupported();
  // Words for an unknown program mean something else to the launcher of the package.
  if (hint !== undefined && !type.hints.includes(hint) && runtime.length > 0) throw new Unsupported();
  const registry = registryOf(fields, type.publicRegistry);
  return type.command({ identifier, version, hint, registry, runtime, words, variables });
}

function registryOf(fields: JsonFields, publicRegistry: RegExp): string | undefined {
  const url = textField(fields, 'registryBaseUrl') ?? '';
  if (url === '' || publicRegistry.test(url)) return undefined;
  if (!/^https?:\/\/[^\s\p{Cc}]+$/u.test(url) || !parsedUrl(url)) throw new Unsupported();
  return url;
}

function npmCommand({ identifier, version, hint, registry, runtime, words }: Start): PackageCommand {
  const command = hint === 'bun' || hint === 'bunx' ? 'bunx' : 'npx';
  const own = command === 'npx' ? ['-y', ...(registry === undefined ? [] : [`--registry=${registry}`])] : [];
  // bunx reads the registry from a file only.
  if (command === 'bunx' && registry !== undefined) throw new Unsupported();
  const others = withoutPackage(without(runtime, ['-y', '--yes']), identifier);
  return { command, args: [...own, ...others, versioned(identifier, version), ...words] };
}

function pypiCommand({ identifier, version, hint, registry, runtime, words }: Start): PackageCommand {
  const own = registry === undefined ? [] : [`--default-index=${registry}`];
  const others = withoutPackage(runtime, identifier);
  // `python -m package` becomes `uvx package`.
  if (hint?.startsWith('python') && others.length < runtime.length && others.at(-1) === '-m') others.pop();
  return { command: 'uvx', args: [...own, ...others, versioned(identifier, version), ...words] };
}

function ociCommand({ identifier, version, hint, registry, runtime, words, variables }: Start): PackageCommand {
  const image = imageOf(identifier, version, registry);
  const others = runtime[0] === 'run' ? runtime.slice(1) : [...runtime];
  const untagged = image.replace(/(?::[^:/]*)?(?:@.*)?$/, '');
  const last = others.at(-1)?.replace(/(?::[^:/]*)?(?:@.*)?$/, '');
  if (last !== undefined && (last === untagged || untagged.endsWith(`/${last}`))) others.pop();
  const given = new Set(others.filter((_, at) => others[at - 1] === '-e' || others[at - 1] === '--env'));
  const environment = variables.filter((name) => !given.has(name)).flatMap((name) => ['-e', name]);
  const options = without(others, ['-i', '--interactive', '--rm']);
  const command = hint === 'podman' ? hint : 'docker';
  return { command, args: ['run', '-i', '--rm', ...environment, ...options, image, ...words] };
}

function nugetCommand({ identifier, version, registry, runtime, words }: Start): PackageCommand {
  const own = registry === undefined ? [] : ['--source', registry];
  const others = without(runtime, ['-y', '--yes']);
  const rest = words.length === 0 ? [] : ['--', ...words];
  return { command: 'dnx', args: [...others, versioned(identifier, version), ...own, '--yes', ...rest] };
}

/** The image with its host and its tag or digest. */
function imageOf(identifier: string, version: string | undefined, registry: string | undefined): string {
  const [first = '', ...rest] = identifier.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const host = registry === undefined || hasHost ? '' : `${parsedUrl(registry)?.host ?? ''}/`;
  const isExact = identifier.includes('@') || (rest.at(-1) ?? first).includes(':');
  return `${host}${identifier}${isExact || version === undefined ? '' : `:${version}`}`;
}

function versioned(identifier: string, version: string | undefined): string {
  return version === undefined || identifier.includes('@', 1) ? identifier : `${identifier}@${version}`;
}

function without(words: readonly string[], dropped: readonly string[]): string[] {
  return words.filter((word) => !dropped.includes(word));
}

/** The words without the package, which many entries repeat among the words of the launcher. */
function withoutPackage(words: readonly string[], identifier: string): string[] {
  return words.filter((word) => word !== identifier && !word.startsWith(`${identifier}@`));
}

/** Whether a package is a bundle (MCPB), which is downloaded and unpacked. */
export function isBundle(fields: JsonFields): boolean {
  return field(fields, 'registryType') === 'mcpb';
}

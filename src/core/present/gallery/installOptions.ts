/** The packages and remotes of a server: what each one is, which programs it needs, and why it cannot be installed. */
import { t } from '@vscode/l10n';
import type { InstallOption } from '../../../shared/galleryPage.js';
import { exactText } from '../../base/exactText.js';
import { isObject } from '../../base/guards.js';
import { visibleName } from '../../base/visibleName.js';
import type { GalleryDefinition } from '../../gallery/define.js';
import { define } from '../../gallery/define.js';
import { movingVersion } from '../../gallery/movingVersion.js';
import type { ProgramSearch } from '../../gallery/neededProgram.js';
import type { Answers, JsonFields } from '../../gallery/serverJson.js';
import { shellQuoted } from '../text/placeholders.js';

/** Maximum number of packages and remotes that are shown. */
const maxOptions = 20;
/** Maximum length of a command that is shown as a step for the user, in UTF-16 code units. */
const maxCommand = 4_000;

const packageTypes: Readonly<Record<string, string>> = {
  npm: 'npm',
  pypi: 'PyPI',
  oci: 'OCI',
  nuget: 'NuGet',
  mcpb: 'MCPB',
  cargo: 'Cargo',
};

/** The packages and remotes of a server, packages first. Empty if the text is not a `server.json`. */
export function readInstallOptions(json: string, programs: ProgramSearch): InstallOption[] {
  const server = serverOf(json);
  return [...optionsIn(server, 'packages', programs), ...optionsIn(server, 'remotes', programs)].slice(0, maxOptions);
}

/** The `server.json` of an entry as an object. */
export function serverOf(json: string): JsonFields {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * The suggested option: a package whose program is on this machine, otherwise a remote, otherwise the first option that
 * can be installed, otherwise the first one.
 */
export function suggestedOption(options: readonly InstallOption[]): string | undefined {
  const usable = options.filter(({ problem }) => problem === undefined);
  const best =
    usable.find(({ need }) => need?.isHere === true) ??
    usable.find(({ id }) => id.startsWith('remotes/')) ??
    usable[0] ??
    options[0];
  return best?.id;
}

/**
 * Why MCP Deck cannot install a package or remote, as a sentence. Undefined if it can.
 * @param id `packages/0`, `remotes/1`.
 * @param definition the resulting definition; default: the definition without the user's answers.
 */
export function optionProblem(
  server: JsonFields,
  id: string,
  definition: GalleryDefinition = define(server, id, () => undefined),
): string | undefined {
  if ('unsupported' in definition) return t('MCP Deck does not support this package or URL, or the entry has errors.');
  if ('file' in definition && definition.sha256 === undefined)
    return t('The entry has no SHA-256 digest for this bundle, so the bundle cannot be verified.');
  if (('command' in definition || 'file' in definition) && definition.url !== undefined)
    return 'file' in definition
      ? t('The server in this bundle listens at a URL. MCP Deck does not support such bundles.')
      : t(
          'The server in this package listens at a URL. Run its command in a terminal, and then add the server with its URL.',
        );
  const item = itemOf(server, id);
  const version = item && movingVersion(item);
  return version === undefined ? undefined : movingProblem(version);
}

/** The package with this ID; undefined for a remote. */
function itemOf(server: JsonFields, id: string): JsonFields | undefined {
  const [list = '', index = ''] = id.split('/');
  const items = list === 'packages' ? server[list] : undefined;
  const item: unknown = Array.isArray(items) ? items[Number(index)] : undefined;
  return isObject(item) ? item : undefined;
}

/**
 * The warning that a digest in the entry of a package is not checked: the program that runs the package downloads it.
 * Undefined for a package without a digest, and for a bundle, which MCP Deck downloads and checks itself.
 * @param id `packages/0`, `remotes/1`.
 */
export function digestWarning(server: JsonFields, id: string, definition: GalleryDefinition): string | undefined {
  const item = itemOf(server, id);
  if (!item || !('command' in definition) || firstText(item, 'fileSha256', 'file_sha256') === '') return undefined;
  return t(
    'The entry has a SHA-256 digest for this package. MCP Deck does not check it, because "{0}" downloads the package.',
    visibleName(definition.command, 40),
  );
}

/**
 * Why a package without an exact version cannot be installed.
 * @param version a tag or a range; empty if the entry has no version.
 */
function movingProblem(version: string): string {
  const next = t('Select another package, or add the server with an exact version.');
  const what =
    version === ''
      ? t('The entry names no version, so each start could run another program.')
      : t('The version "{0}" is not exact, so each start could run another program.', visibleName(version, 40));
  return `${what} ${next}`;
}

function optionsIn(server: JsonFields, list: 'packages' | 'remotes', programs: ProgramSearch): InstallOption[] {
  const items = Object.hasOwn(server, list) ? server[list] : undefined;
  if (!Array.isArray(items)) return [];
  return items.slice(0, maxOptions).flatMap((item: unknown, index): InstallOption[] => {
    if (!isObject(item)) return [];
    const id = `${list}/${index}`;
    const definition = define(server, id, () => undefined);
    const problem = optionProblem(server, id, definition);
    const steps = listeningSteps(define(server, id, placeholder));
    return [
      {
        id,
        ...(list === 'remotes' ? remoteTexts(item) : packageTexts(item)),
        ...('command' in definition ? { need: programs.need(definition.command, t) } : {}),
        ...(problem === undefined ? {} : { problem }),
        ...(steps.length === 0 ? {} : { steps }),
      },
    ];
  });
}

/**
 * Answers with a placeholder for each required value without a default. A part of a URL gets no placeholder, because
 * the text must remain a URL.
 */
const placeholder: Answers = (key, { isRequired, default: standard, choices }) =>
  isRequired && standard === undefined && !key.startsWith('url/') ? (choices?.[0] ?? '<value>') : undefined;

/** The command and the URL for the user, for a package whose server listens at a URL. Empty for all others. */
function listeningSteps(definition: GalleryDefinition): NonNullable<InstallOption['steps']> {
  if (!('command' in definition) || definition.url === undefined) return [];
  const { command, args, env, url, headers = {} } = definition;
  const line = [command, ...args].map(shellWordOf).join(' ');
  if (line.length > maxCommand) return [];
  const pairs = (values: Readonly<Record<string, string>>, between: string) =>
    Object.entries(values).map(([name, value]) => `${exactText(name)}${between}${exactText(value)}`);
  return [
    { title: t('Command'), lines: [line] },
    { title: t('Environment variables'), lines: pairs(env, '=') },
    { title: t('URL'), lines: [exactText(url)] },
    { title: t('HTTP headers'), lines: pairs(headers, ': ') },
  ].filter(({ lines }) => lines.length > 0);
}

/** Quotes a word so that a POSIX shell does not interpret it, because the user may copy the command. */
function shellWordOf(word: string): string {
  const exact = exactText(word);
  return /^[\w@%+=:,./-]+$/.test(exact) ? exact : shellQuoted(exact);
}

function packageTexts(item: JsonFields): Pick<InstallOption, 'type' | 'what'> {
  const type = firstText(item, 'registryType', 'registry_type');
  const version = firstText(item, 'version');
  const identifier = firstText(item, 'identifier');
  return {
    type: (Object.hasOwn(packageTypes, type) ? packageTypes[type] : undefined) ?? visibleName(type, 30),
    what: visibleName(version === '' ? identifier : `${identifier} ${version}`, 160),
  };
}

function remoteTexts(item: JsonFields): Pick<InstallOption, 'type' | 'what'> {
  const type = firstText(item, 'type', 'transport_type');
  return {
    type: type === 'sse' ? t('Remote (SSE)') : type === 'streamable-http' ? t('Remote (HTTP)') : t('Remote'),
    what: visibleName(firstText(item, 'url'), 160),
  };
}

function firstText(item: JsonFields, ...names: readonly string[]): string {
  const name = names.find((one) => Object.hasOwn(item, one));
  const value = name === undefined ? undefined : item[name];
  return typeof value === 'string' ? value : '';
}

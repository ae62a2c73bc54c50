/** The definition of the server in an unpacked bundle, with its secrets moved to inputs. */
import { t } from '@vscode/l10n';
import { freeName, slugOf } from '../../base/freeName.js';
import { isObject, valueAt } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import { partsOf } from '../../config/variableSyntax.js';
import type { BundlePlace } from '../bundleManifest.js';
import { defineBundle } from '../bundleManifest.js';
import { BundleError, bundleError } from './bundleError.js';
import type { BundleInfo } from './bundleInfo.js';
import { settingsStart, textsOf } from './bundleSettings.js';

/** A secret that the user entered. Its value may be stored only in secret storage. */
export interface BundleSecret {
  /** ID of the input that replaces it in the definition. */
  id: string;
  value: string;
  /** The first place that contains it: a variable by name, or an argument by its index. */
  field: 'env' | 'args';
  name: string;
}

/** Maximum number of secrets of a bundle. A list of secrets counts each of its values. */
const maxSecrets = 200;
/** Maximum length of a command that is shown, in UTF-16 code units. */
const maxShownCommand = 1_000;

/** The fields to write into a configuration file. */
export interface BundleServer {
  fields: { type: 'stdio'; command: string; args: string[]; env: Record<string, string> };
  inputs: InputDefinition[];
  secrets: BundleSecret[];
}

/**
 * Makes the definition.
 * @param values the values of the form (`settingsSchema`).
 * @param label the name of the bundle in error messages.
 * @throws BundleError `platform`, `bad-manifest` or `variable`.
 */
export function bundleServer(
  info: BundleInfo,
  place: BundlePlace,
  values: Readonly<Record<string, unknown>>,
  label: string,
): BundleServer {
  if (info.platforms?.includes(place.platform) === false)
    throw bundleError(label, 'platform', { subject: info.platforms.join(', ') });
  const held = new Map<string, { input: InputDefinition; value: string }>();
  const answers = new Map<string, string[]>();
  for (const setting of info.settings) {
    const texts = textsOf(setting, values);
    if (!setting.isSecret) {
      answers.set(`user_config/${setting.key}`, texts);
      continue;
    }
    if (held.size + texts.length > maxSecrets)
      throw bundleError(label, 'bad-manifest', { subject: t('it has more than {0} secrets', maxSecrets) });
    const references = texts.map((value) => {
      const id = freeName(slugOf(info.name, setting.key) || 'secret', new Set(held.keys()));
      const description = setting.title ?? setting.key;
      held.set(id, { input: { id, type: 'promptString', description, password: true }, value });
      return `\${input:${id}}`;
    });
    answers.set(`user_config/${setting.key}`, references);
  }
  const defined = defineBundle(info.manifest, place, (key) => answers.get(key) ?? []);
  if ('unsupported' in defined)
    throw bundleError(label, 'bad-manifest', {
      subject: defined.isTooLong
        ? t('"{0}" is too long with the values of the settings', 'server.mcp_config')
        : t('"{0}" is not valid', 'server.mcp_config'),
    });
  const { command, args } = defined;
  const env = { ...ownVariables(info, place), ...defined.env };
  refuseVariables([command, ...args, ...Object.values(env)], held, label);
  const secrets = [...held].flatMap(([id, { value }]): BundleSecret[] => {
    const reference = `\${input:${id}}`;
    const name = Object.keys(env).find((key) => env[key]?.includes(reference));
    if (name !== undefined) return [{ id, value, field: 'env', name }];
    const index = args.findIndex((word) => word.includes(reference));
    return index < 0 ? [] : [{ id, value, field: 'args', name: String(index) }];
  });
  const used = new Set(secrets.map(({ id }) => id));
  return {
    fields: { type: 'stdio', command, args, env },
    inputs: [...held.values()].flatMap(({ input }) => (used.has(input.id) ? [input] : [])),
    secrets,
  };
}

/**
 * What the bundle will run with the values that its form starts with, as a sentence. If there is no such command, the
 * sentence says why.
 */
export function startText(info: BundleInfo, place: BundlePlace, label: string): string {
  try {
    const { command, args } = bundleServer(info, place, settingsStart(info, place), label).fields;
    const words = [command, ...args].map((word) => (/[\s"]/.test(word) ? JSON.stringify(word) : word));
    return t('It will run: {0}', visibleLine(words.join(' '), maxShownCommand));
  } catch (error) {
    if (error instanceof BundleError) return error.message;
    throw error;
  }
}

/**
 * The new fields of an updated bundle, with the references to stored secrets of the old definition where the user
 * entered no new value. Only environment variables with the same name are taken over.
 */
export function keptReferences(
  { manifest, settings }: Pick<BundleInfo, 'manifest' | 'settings'>,
  fields: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const secrets = settings.filter(({ isSecret }) => isSecret).map(({ key }) => `\${user_config.${key}}`);
  const written = valueAt(manifest, ['server', 'mcp_config', 'env']);
  const env: Record<string, unknown> = isObject(fields['env']) ? { ...fields['env'] } : {};
  for (const [name, template] of Object.entries(isObject(written) ? written : {})) {
    const old = valueAt(before, ['env', name]);
    const isEmpty = !Object.hasOwn(env, name) && secrets.some((secret) => template === secret);
    if (isEmpty && typeof old === 'string' && /^\$\{input:[^${}]+\}$/.test(old)) env[name] = old;
  }
  return { ...fields, env };
}

/** The path of the bundle's program inside the bundle, with `/`. Undefined if the bundle runs an installed program. */
export function ownProgram(
  { manifest }: Pick<BundleInfo, 'manifest'>,
  platform: BundlePlace['platform'],
): string | undefined {
  const folder = '/';
  const defined = defineBundle(manifest, { folder, home: '/home', platform }, () => []);
  if ('unsupported' in defined || !defined.command.startsWith(folder)) return undefined;
  return defined.command.replaceAll('\\', '/').replace(/^\/+/, '');
}

/** The folder of the virtual environment of a bundle, outside of its files, which must not change. */
export function environmentFolder(folder: string): string {
  return `${folder}.venv`;
}

/** Variables that keep the files of the bundle unchanged: Python writes compiled modules beside their sources. */
function ownVariables({ type }: BundleInfo, { folder }: BundlePlace): Record<string, string> {
  if (type !== 'python' && type !== 'uv') return {};
  return {
    PYTHONDONTWRITEBYTECODE: '1',
    ...(type === 'uv' ? { UV_PROJECT_ENVIRONMENT: environmentFolder(folder) } : {}),
  };
}

/**
 * Throws if a text contains a variable other than these inputs, because MCP Deck would replace the variable by a value
 * of the user's machine.
 */
function refuseVariables(texts: readonly string[], held: ReadonlyMap<string, unknown>, label: string): void {
  for (const text of texts)
    for (const part of partsOf(text))
      if (part.isVariable && !(part.text.startsWith('input:') && held.has(part.text.slice('input:'.length))))
        throw bundleError(label, 'variable', { subject: `\${${part.text}}` });
}

/**
 * Reads the manifest of a bundle (MCPB, versions 0.1 to 0.4). Fields that decide what runs must be valid; texts that
 * are only shown are cut at their limits. Source: https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
 */
import { t } from '@vscode/l10n';
import { isObject, isStringArray, valueAt } from '../../base/guards.js';
import { messageOf } from '../../base/hostError.js';
import { bundleError } from './bundleError.js';

/** How a bundle is run. */
export type BundleType = 'node' | 'python' | 'uv' | 'binary';
/** A runtime of `compatibility.runtimes`. */
export type BundleRuntime = 'node' | 'python' | 'uv';

/** A tool or prompt that the bundle announces. The actual tools and prompts are known only after the server starts. */
export interface AnnouncedItem {
  name: string;
  description?: string;
}

/** One setting of `user_config`. */
export interface BundleSetting {
  key: string;
  type: 'string' | 'number' | 'boolean' | 'directory' | 'file';
  title?: string;
  description?: string;
  isRequired: boolean;
  isSecret: boolean;
  isMultiple: boolean;
  /** Default values with the variables of the format, such as `${HOME}`. */
  defaults: readonly unknown[];
  min?: number;
  max?: number;
}

/** The content of a manifest. Every text in it is untrusted. */
export interface BundleInfo {
  name: string;
  title?: string;
  version: string;
  description: string;
  author?: string;
  type: BundleType;
  tools: readonly AnnouncedItem[];
  prompts: readonly AnnouncedItem[];
  settings: readonly BundleSetting[];
  /** Version ranges of the runtimes that it needs. */
  runtimes: Readonly<Partial<Record<BundleRuntime, string>>>;
  /** Absent if it runs on every operating system. */
  platforms?: readonly string[];
  /** The parsed manifest, for `defineBundle`. */
  manifest: Readonly<Record<string, unknown>>;
}

const maxText = 10_000;
const maxName = 200;
const maxItems = 300;
const types: readonly BundleType[] = ['node', 'python', 'uv', 'binary'];
const settingTypes: readonly BundleSetting['type'][] = ['string', 'number', 'boolean', 'directory', 'file'];
const runtimes: readonly BundleRuntime[] = ['node', 'python', 'uv'];

/**
 * Reads a manifest.
 * @param label the name of the bundle in error messages.
 * @throws BundleError `bad-manifest`.
 */
export function readBundleInfo(text: string, label: string): BundleInfo {
  const refuse = (reason: string): never => {
    throw bundleError(label, 'bad-manifest', { subject: reason });
  };
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    return refuse(messageOf(error));
  }
  if (!isObject(manifest)) return refuse(t('it is not an object'));
  const textAt = (...path: string[]): string => {
    const value = valueAt(manifest, path);
    return typeof value === 'string' && value !== '' && value.length <= maxName
      ? value
      : refuse(t('"{0}" must be a string of 1 to {1} characters', path.join('.'), maxName));
  };
  const format = Object.hasOwn(manifest, 'manifest_version') ? textAt('manifest_version') : textAt('dxt_version');
  if (!/^0\.[1-4](?:\.\d+)?$/.test(format)) refuse(t('the version {0} of its format is not supported', format));
  const typeText = textAt('server', 'type');
  const type = types.find((one) => one === typeText) ?? refuse(t('"{0}" is not valid', 'server.type'));
  const whole = withStart(manifest, type);
  if (typeof valueAt(whole, ['server', 'mcp_config', 'command']) !== 'string')
    refuse(t('"{0}" is missing', 'server.mcp_config.command'));
  const settings = valueAt(manifest, ['user_config']) ?? {};
  if (!isObject(settings) || Object.keys(settings).length > maxItems)
    return refuse(t('"{0}" is not valid', 'user_config'));
  const platforms = valueAt(manifest, ['compatibility', 'platforms']);
  if (platforms !== undefined && !isStringArray(platforms))
    return refuse(t('"{0}" is not valid', 'compatibility.platforms'));
  return {
    name: textAt('name'),
    ...optional('title', shown(manifest, 'display_name', maxName)),
    version: textAt('version'),
    description: shown(manifest, 'description', maxText) ?? '',
    ...optional('author', shown(valueAt(manifest, ['author']), 'name', maxName)),
    type,
    tools: itemsOf(valueAt(manifest, ['tools'])),
    prompts: itemsOf(valueAt(manifest, ['prompts'])),
    settings: Object.entries(settings).map(
      ([key, fields]) => readSetting(key, fields) ?? refuse(t('"{0}" is not valid', `user_config.${key}`)),
    ),
    runtimes: Object.fromEntries(
      runtimes.flatMap((name): [BundleRuntime, string][] => {
        const range = valueAt(manifest, ['compatibility', 'runtimes', name]);
        return typeof range === 'string' ? [[name, range.slice(0, maxName)]] : [];
      }),
    ),
    ...(platforms === undefined ? {} : { platforms: platforms.slice(0, 20) }),
    manifest: whole,
  };
}

/** Bundles of type `uv` may leave the command to the program that runs them. */
function withStart(manifest: Readonly<Record<string, unknown>>, type: BundleType): Readonly<Record<string, unknown>> {
  const server = valueAt(manifest, ['server']);
  const entry = valueAt(server, ['entry_point']);
  if (type !== 'uv' || !isObject(server) || isObject(server['mcp_config']) || typeof entry !== 'string')
    return manifest;
  const args = ['run', '--directory', '${__dirname}', entry];
  return { ...manifest, server: { ...server, mcp_config: { command: 'uv', args, env: {} } } };
}

function readSetting(key: string, fields: unknown): BundleSetting | undefined {
  const type = settingTypes.find((one) => one === valueAt(fields, ['type']));
  if (!type || key === '' || key.length > maxName || !isObject(fields)) return undefined;
  const standard = valueAt(fields, ['default']);
  const numberAt = (name: string) => {
    const value = fields[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  return {
    key,
    type,
    ...optional('title', shown(fields, 'title', maxName)),
    ...optional('description', shown(fields, 'description', maxText)),
    isRequired: fields['required'] === true,
    isSecret: fields['sensitive'] === true,
    isMultiple: fields['multiple'] === true,
    defaults: (Array.isArray(standard) ? (standard as unknown[]).slice(0, maxItems) : [standard]).filter(
      (value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
    ),
    ...optional('min', numberAt('min')),
    ...optional('max', numberAt('max')),
  };
}

function itemsOf(value: unknown): AnnouncedItem[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxItems).flatMap((item: unknown): AnnouncedItem[] => {
    const name = shown(item, 'name', maxName);
    return name === undefined ? [] : [{ name, ...optional('description', shown(item, 'description', maxText)) }];
  });
}

function shown(object: unknown, name: string, maxLength: number): string | undefined {
  const value = valueAt(object, [name]);
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : undefined;
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value };
}

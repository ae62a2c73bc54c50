/** The settings of a bundle (`user_config`) as the schema of a form, and the values of the form as answers. */
import { t } from '@vscode/l10n';
import type { JsonSchema } from '../../protocol/mcp.js';
import type { BundlePlace } from '../bundleManifest.js';
import { filledIn } from '../bundleManifest.js';
import type { BundleInfo, BundleSetting } from './bundleInfo.js';

const formats = { directory: 'directory', file: 'file', string: undefined } as const;

/** The schema of the form, with the default values of the manifest. */
export function settingsSchema({ settings }: Pick<BundleInfo, 'settings'>): JsonSchema {
  return {
    type: 'object',
    // A setting may be called `__proto__`.
    properties: Object.fromEntries(settings.map((setting) => [setting.key, schemaOf(setting)])),
    required: settings.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    additionalProperties: false,
  };
}

function schemaOf(setting: BundleSetting): JsonSchema {
  const { type, title, description, min, max, isSecret, isMultiple } = setting;
  const texts = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
  const limits = { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
  const format = isSecret ? 'password' : type === 'number' || type === 'boolean' ? undefined : formats[type];
  const one: JsonSchema =
    type === 'number' || type === 'boolean'
      ? { type, ...(type === 'number' ? limits : {}) }
      : { type: 'string', ...(format === undefined ? {} : { format }) };
  // A required text or list without content would be a missing value.
  const least = setting.isRequired && one['type'] === 'string' ? { minLength: 1 } : {};
  if (!isMultiple) return { ...one, ...least, ...texts };
  return { type: 'array', items: { ...one, ...least }, ...(setting.isRequired ? { minItems: 1 } : {}), ...texts };
}

/** The first values of the form. */
export function settingsStart({ settings }: Pick<BundleInfo, 'settings'>, place: BundlePlace): Record<string, unknown> {
  return Object.fromEntries(
    settings.flatMap((setting): [string, unknown][] => {
      const values = setting.defaults.map((value) =>
        typeof value === 'string' && setting.type !== 'number' && setting.type !== 'boolean'
          ? filledIn(value, place)
          : value,
      );
      if (values.length === 0) return [];
      return [[setting.key, setting.isMultiple ? values : values[0]]];
    }),
  );
}

/** A problem of one field of the form. */
export interface SettingProblem {
  /** JSON pointer. */
  path: string;
  message: string;
}

/** Problems that the schema does not find: texts that a configuration file would replace by other values. */
export function settingProblems(
  { settings }: Pick<BundleInfo, 'settings'>,
  values: Readonly<Record<string, unknown>>,
): SettingProblem[] {
  return settings
    .filter((setting) => !setting.isSecret && textsOf(setting, values).some((text) => text.includes('${')))
    .map(({ key }) => ({
      path: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      message: t('The value cannot contain "{0}"', '${'),
    }));
}

/** The values of a setting as texts; empty if there are none. */
export function textsOf({ key }: BundleSetting, values: Readonly<Record<string, unknown>>): string[] {
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((item) =>
    typeof item === 'string' && item !== ''
      ? [item]
      : typeof item === 'number' || typeof item === 'boolean'
        ? [String(item)]
        : [],
  );
}

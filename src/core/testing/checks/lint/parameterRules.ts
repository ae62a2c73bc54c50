/** Rules about single parameters, and the fields of nested objects. */
import { t } from '@vscode/l10n';
import { isObject } from '../../../base/guards.js';
import { canonicalJson } from '../../../base/jsonText.js';
import { visibleName } from '../../../base/visibleName.js';
import type { LintRule } from './lintRule.js';
import { schemaRule, toolRule } from './lintRule.js';
import { hasType, saysWhatItTakes, typesOf } from './schemaTypes.js';

/** Maximum number of parameters. A tool with more parameters is hard for a model to call. */
const maxParameters = 20;

export const parameterRules: readonly LintRule[] = [
  schemaRule('parameter-type', 'warning', function* ({ schema, property, part }) {
    if (part === 'inputSchema' && property !== undefined && !saysWhatItTakes(schema))
      yield t(
        'The parameter "{0}" has no type, so a model has to guess which values it accepts.',
        visibleName(property),
      );
  }),
  schemaRule('parameter-name', 'warning', function* ({ property, part }) {
    if (part === 'inputSchema' && property !== undefined && !/^[A-Za-z0-9_.-]{1,64}$/.test(property))
      yield t(
        'Claude refuses the parameter name "{0}". It accepts 1 to 64 letters, digits, "_", ".", and "-".',
        visibleName(property),
      );
  }),
  toolRule('parameter-count', 'info', function* ({ inputSchema }) {
    const { properties } = inputSchema;
    const count = isObject(properties) ? Object.keys(properties).length : 0;
    if (count > maxParameters) yield t('The tool has {0} parameters. Models make mistakes with so many.', count);
  }),
  schemaRule('required-unknown', 'warning', function* ({ schema }) {
    const { required, properties, patternProperties } = schema;
    // A part of a combination may require what another part describes.
    const isWhole = typesOf(schema)?.includes('object') === true;
    if (!isWhole || !Array.isArray(required) || !isObject(properties) || isObject(patternProperties)) return;
    for (const name of required)
      if (typeof name === 'string' && !Object.hasOwn(properties, name))
        yield t('"{0}" is required, but is not described in "properties".', visibleName(name));
  }),
  schemaRule('default-mismatch', 'warning', function* ({ schema, property }) {
    const { default: initial, enum: values } = schema;
    // Generators write null for "no default".
    if (initial === undefined || initial === null) return;
    const name = visibleName(property ?? '');
    if (!hasType(initial, typesOf(schema))) yield t('The default of "{0}" does not have the declared type.', name);
    else if (Array.isArray(values) && !contains(values, initial))
      yield t('The default of "{0}" is not one of the allowed values.', name);
  }),
  schemaRule('enum-values', 'warning', function* ({ schema, property }) {
    const { enum: values } = schema;
    if (!Array.isArray(values)) return;
    const name = visibleName(property ?? '');
    const types = typesOf(schema);
    if (values.length === 0) yield t('The list of values of "{0}" is empty.', name);
    else if (values.length <= 1_000 && new Set(values.map((value) => canonicalText(value))).size < values.length)
      yield t('The list of values of "{0}" contains a value twice.', name);
    else if (values.some((value) => !hasType(value, types)))
      yield t('The list of values of "{0}" contains a value that does not have the declared type.', name);
  }),
];

/** Whether a list contains a value. Its text is made once, because a server determines the size of both. */
function contains(values: readonly unknown[], value: unknown): boolean {
  if (values.includes(value)) return true;
  const text = canonicalText(value);
  return values.some((other) => canonicalText(other) === text);
}

/** A text for comparing values. It is empty if a value is nested too deeply, so such a value equals no ordinary one. */
function canonicalText(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    return '';
  }
}

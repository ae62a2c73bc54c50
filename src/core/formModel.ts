/**
 * The forms of tools, prompts and requests for programs without VS Code, in English; built as `dist/form-model.mjs`.
 * Converts schemas to forms, converts between values and form input, and validates values.
 */
import { t } from '@vscode/l10n';
import type { Form } from '../shared/form/form.js';
import type { JsonValue } from '../shared/json.js';
import { schemaForm } from './present/form/schemaForm.js';
import type { SchemaProblem } from './schema/schemaValidator.js';
import { SchemaValidator } from './schema/schemaValidator.js';

export { formToValue, valueToForm } from '../shared/form/formValue.js';

/** The form of a JSON Schema of any dialect, or of any other value. Never throws and fetches nothing; see `Form`. */
export function formFromSchema(schema: unknown): Form {
  return schemaForm(schema);
}

/**
 * Caches compiled schemas, because the same schema is used repeatedly. No user interface waits for this validator, so
 * its time limits are long.
 */
const validator = new SchemaValidator({ compileMs: 5_000, checkMs: 5_000 });

/**
 * The problems of a value, for display; empty if the value is valid or the schema cannot be used. `path` is a JSON
 * Pointer; `message` completes a sentence that starts with the name of the value: "must be a number".
 */
export function validate(schema: unknown, value: JsonValue | undefined): SchemaProblem[] {
  if (schema === false) return [{ path: '', message: t('is not allowed') }];
  // `true` allows all values. A value that is not a schema allows all values as well.
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  if (value === undefined) return [{ path: '', message: t('is required') }];
  return validator.check(schema as Record<string, unknown>, value).problems;
}

/**
 * The forms of tools, prompts and questions for programs without VS Code, in English; built as `dist/form-model.mjs`.
 * Schemas become forms, values become what is filled in and back, and a value is checked.
 */
import { t } from '@vscode/l10n';
import type { Form } from '../shared/form/form.js';
import type { JsonValue } from '../shared/json.js';
import { schemaForm } from './present/form/schemaForm.js';
import type { SchemaProblem } from './schema/schemaValidator.js';
import { SchemaValidator } from './schema/schemaValidator.js';

export { formToValue, valueToForm } from '../shared/form/formValue.js';

/**
 * The form of a JSON Schema of any dialect, or of whatever was sent as one. Never throws and fetches nothing; see
 * `Form`.
 */
export function formFromSchema(schema: unknown): Form {
  return schemaForm(schema);
}

/**
 * Keeps compiled schemas: the same object is checked again and again. Nobody's window waits for it, so it may take
 * its time.
 */
const validator = new SchemaValidator({ compileMs: 5_000, checkMs: 5_000 });

/**
 * What is wrong with a value, for people; empty when nothing is, and when the schema cannot be used to check anything.
 * `path` is a JSON Pointer, `message` completes a sentence that begins with the name of what is there: "must be a number".
 */
export function validate(schema: unknown, value: JsonValue | undefined): SchemaProblem[] {
  if (schema === false) return [{ path: '', message: t('is not allowed') }];
  // `true` allows everything; what is no schema forbids nothing.
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  if (value === undefined) return [{ path: '', message: t('is required') }];
  return validator.check(schema as Record<string, unknown>, value).problems;
}

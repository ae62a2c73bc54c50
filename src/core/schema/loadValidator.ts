import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Localize } from './problemText.js';
import type { SchemaValidator } from './schemaValidator.js';

/**
 * The validator, loaded when the first value is to be checked. Loading ajv, its first compilation and that of the schema
 * that is wanted take some milliseconds each; the thread is free in between.
 */
export async function loadValidator(t: Localize): Promise<SchemaValidator> {
  const { SchemaValidator } = await import('./schemaValidator.js');
  await nextTurn();
  const validator = new SchemaValidator(t);
  // Any schema will do: what takes long is code that runs for the first time.
  validator.check({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, {});
  await nextTurn();
  return validator;
}

/** Shared by the tests of the form builder: compares a drawn form with the expected lines. */
import assert from 'node:assert/strict';
import { formFromSchema } from '../../../../src/core/formModel.js';
import { drawnForm } from '../../../support/drawnForm.js';

type Schema = Record<string, unknown>;

export function group(properties: Schema, rest: Schema = {}): Schema {
  return { type: 'object', properties, ...rest };
}

export function draws(schema: unknown, lines: readonly string[]): void {
  assert.deepEqual(drawnForm(formFromSchema(schema)).split('\n'), lines);
}

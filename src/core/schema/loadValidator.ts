import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SchemaValidator } from './schemaValidator.js';

/**
 * The validator, loaded when the first value is to be checked. Loading ajv and the first compilation of a process take
 * longer than anything after them; they are done in steps, and the thread is free in between.
 */
export async function loadValidator(): Promise<SchemaValidator> {
  const { ajvParts } = await import('./ajvParts.js');
  for (const part of ajvParts) {
    await nextTurn();
    await part();
  }
  await nextTurn();
  const { SchemaValidator, warmUp } = await import('./schemaValidator.js');
  for (const steps = warmUp(); steps.next().done !== true;) await nextTurn();
  await nextTurn();
  return new SchemaValidator();
}

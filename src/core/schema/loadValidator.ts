import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SchemaValidator } from './schemaValidator.js';

/**
 * Loads the validator for the first check. Loading ajv and compiling for the first time take longer than all later
 * work. So they run in steps, and other work can run between two steps.
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

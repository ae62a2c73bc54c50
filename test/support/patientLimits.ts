import type { ValidatorLimits } from '../../src/core/schema/schemaValidator.js';

/** Limits long enough for a busy machine, for tests of a check's result and not of its timing. */
export const patientLimits: ValidatorLimits = { compileMs: 60_000, checkMs: 60_000, patternMs: 500 };

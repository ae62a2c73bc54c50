import type { ValidatorLimits } from '../../src/core/schema/schemaValidator.js';

/** So patient that a busy machine makes no difference, for tests of what a check says and not of when it ends. */
export const patientLimits: ValidatorLimits = { compileMs: 60_000, checkMs: 60_000, patternMs: 500 };

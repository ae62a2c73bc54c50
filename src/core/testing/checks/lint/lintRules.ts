import { annotationRules } from './annotationRules.js';
import { descriptionRules } from './descriptionRules.js';
import type { LintRule, LintSeverity } from './lintRule.js';
import { listRules } from './listRules.js';
import { nameRules } from './nameRules.js';
import { parameterRules } from './parameterRules.js';
import { outputRules, schemaRules } from './schemaRules.js';
import { textRules } from './textRules.js';

/** All rules that look at what a server lists. */
export const lintRules: readonly LintRule[] = [
  ...nameRules,
  ...descriptionRules,
  ...parameterRules,
  ...schemaRules,
  ...annotationRules,
  ...outputRules,
  ...textRules,
  ...listRules,
];

/** Rules that need the validator for schemas, which loads on first use. */
export const validityRules = { input: 'schema-invalid', output: 'output-schema-invalid' } as const;

/** Every rule with its severity, for the documentation and for options. */
export const knownRules: ReadonlyMap<string, LintSeverity> = new Map([
  ...lintRules.map(({ id, severity }) => [id, severity] as const),
  [validityRules.input, 'error'],
  [validityRules.output, 'error'],
]);

/**
 * The parts of ajv in dependency order. Evaluating one part takes a few milliseconds; evaluating all at once would take
 * longer than one frame. Importing this module evaluates no part of ajv.
 */
export const ajvParts: readonly (() => Promise<unknown>)[] = [
  () => import('ajv/dist/compile/errors.js'),
  () => import('ajv/dist/compile/validate/index.js'),
  () => import('ajv/dist/core.js'),
  () => import('ajv/dist/vocabularies/applicator/index.js'),
  () => import('ajv/dist/vocabularies/draft2020.js'),
  () => import('ajv/dist/2020.js'),
];

/**
 * The parts of ajv in the order in which they need each other: run one by one, each takes a few milliseconds, and all of
 * it at once more than a frame. Importing this runs nothing of ajv.
 */
export const ajvParts: readonly (() => Promise<unknown>)[] = [
  () => import('ajv/dist/compile/errors.js'),
  () => import('ajv/dist/compile/validate/index.js'),
  () => import('ajv/dist/core.js'),
  () => import('ajv/dist/vocabularies/applicator/index.js'),
  () => import('ajv/dist/vocabularies/draft2020.js'),
  () => import('ajv/dist/2020.js'),
];

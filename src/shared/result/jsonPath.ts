import type { JsonPath } from './resultModel.js';

/** A path in JSONPath syntax (RFC 9535): `$.files[0]["odd name"]`. */
export function pathText(path: JsonPath): string {
  return `$${path.map(stepText).join('')}`;
}

function stepText(step: JsonPath[number]): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

import type { JsonPath } from './resultModel.js';

/** A path in JSONPath syntax (RFC 9535): `$.files[0]["odd name"]`. */
export function pathText(path: JsonPath): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`)).join('')}`;
}

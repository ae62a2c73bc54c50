/**
 * HTTP headers that repeat parts of a request's body (specification 2026-07-28, basic/transports/streamable-http,
 * "Custom headers from tool parameters"): a tool marks a parameter with `x-mcp-header`, and its value is also sent as
 * `Mcp-Param-<name>`, so that gateways can route without reading bodies. A tool whose marks violate a rule must not be
 * offered; `headerParameters` returns the violated rule.
 */
import { isObject, valueAt } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';

/** One marked parameter of a tool. */
export interface HeaderParameter {
  /** Property names from the arguments object down to the value. */
  path: readonly string[];
  /** The part after `Mcp-Param-`. */
  header: string;
}

const annotation = 'x-mcp-header';

/** RFC 9110 section 5.6.2, `token`. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Keywords whose value maps names to schemas. */
const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** Keywords whose value is data, in which `x-mcp-header` has no meaning. */
const plainData: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Maximum number of schemas that are read per tool. Real tools have far fewer; the limit is for untrusted tools. */
const maxSchemas = 20_000;

/** Maximum number of marked parameters per tool. Many servers refuse requests with more headers than this. */
const maxMarks = 128;

interface Visit {
  schema: Record<string, unknown>;
  /**
   * The property's name below `parent`; undefined for the root and below any keyword other than `properties`, where
   * marks are not allowed.
   */
  name: string | undefined;
  parent: Visit | undefined;
}

/** The marked parameters of a tool, in the order of the schema, or the first violated rule, worded to fit into a sentence. */
export type HeaderParameters = { ok: HeaderParameter[] } | { problem: string };

/** The marked parameters of the tools that were called, by their input schemas. */
const ofCalledTools = new WeakMap<object, HeaderParameters>();

/** `headerParameters`, remembered as long as the schema, for a tool that is called. */
export function headersOfCalledTool(inputSchema: object): HeaderParameters {
  let known = ofCalledTools.get(inputSchema);
  if (!known) ofCalledTools.set(inputSchema, (known = headerParameters(inputSchema)));
  return known;
}

/** Finds the parameters of a tool that are marked for headers. */
export function headerParameters(inputSchema: unknown): HeaderParameters {
  if (!isObject(inputSchema)) return { ok: [] };
  const found: HeaderParameter[] = [];
  const names = new Set<string>();
  // A work list instead of recursion, because the nesting is chosen by the server and must not exhaust the stack.
  const open: Visit[] = [{ schema: inputSchema, name: undefined, parent: undefined }];
  for (let seen = 0; seen < open.length; seen++) {
    if (seen >= maxSchemas) return { problem: `its input schema has more than ${maxSchemas} parts` };
    const visit = open[seen] as Visit;
    const { schema } = visit;
    for (const key of Object.keys(schema)) {
      const value = schema[key];
      if (key === annotation) {
        const path = pathOf(visit);
        const problem = checkMark(value, schema['type'], path, names);
        if (problem !== undefined) return { problem };
        if (found.length >= maxMarks) return { problem: `it has more than ${maxMarks} parameters with ${annotation}` };
        found.push({ path, header: value as string });
      } else if (typeof value === 'object' && value !== null && !plainData.has(key)) {
        addSubschemas(open, key, value, visit);
      }
    }
  }
  return { ok: found };
}

function addSubschemas(open: Visit[], key: string, value: object, parent: Visit): void {
  if (Array.isArray(value)) {
    for (const item of value) if (isObject(item)) open.push({ schema: item, name: undefined, parent });
    return;
  }
  const schema = value as Record<string, unknown>;
  if (!schemaMaps.has(key)) {
    open.push({ schema, name: undefined, parent });
    return;
  }
  for (const name of Object.keys(schema)) {
    const child = schema[name];
    if (isObject(child)) open.push({ schema: child, name: key === 'properties' ? name : undefined, parent });
  }
}

/** The property names from the root; empty if a mark is not allowed here. */
function pathOf(visit: Visit): string[] {
  const path: string[] = [];
  for (let at = visit; at.parent; at = at.parent) {
    if (at.name === undefined) return [];
    path.push(at.name);
  }
  return path.reverse();
}

function checkMark(header: unknown, type: unknown, path: readonly string[], names: Set<string>): string | undefined {
  if (path.length === 0)
    return `${annotation} is at a place where it is not allowed: only properties of (nested) objects can have it`;
  const where = `the parameter "${visibleLine(path.join('.'), 60)}"`;
  if (typeof header !== 'string' || header === '') return `${where} has an ${annotation} that is empty or not a string`;
  if (!token.test(header))
    return `${where} names the header "${visibleLine(header, 60)}", which is not a valid header name`;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean')
    return `${where} has an ${annotation} but its type is neither string, integer, nor boolean`;
  const lower = header.toLowerCase();
  if (names.has(lower)) return `two parameters share the header "${visibleLine(header, 60)}"`;
  names.add(lower);
  return undefined;
}

/**
 * The `Mcp-Param-*` headers of one call. Values that are absent, null or of a type that cannot be a header are left
 * out.
 */
export function paramHeaders(
  parameters: readonly HeaderParameter[],
  args: Record<string, unknown>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const text = scalarText(valueAt(args, path));
    if (text !== undefined) headers[`mcp-param-${header.toLowerCase()}`] = encodeHeaderValue(text);
  }
  return headers;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

const wrapperStart = '=?base64?';
const wrapperEnd = '?=';
const printable = /^[\x20-\x7e]+$/;

/**
 * A text as a header value: unchanged if HTTP transmits it safely, otherwise as `=?base64?…?=` of its UTF-8 bytes. An
 * empty text is encoded, too, because intermediaries may drop headers without a value.
 */
export function encodeHeaderValue(text: string): string {
  const isPlain =
    printable.test(text) &&
    !text.startsWith(' ') &&
    !text.endsWith(' ') &&
    !(text.startsWith(wrapperStart) && text.endsWith(wrapperEnd));
  return isPlain ? text : `${wrapperStart}${Buffer.from(text, 'utf8').toString('base64')}${wrapperEnd}`;
}

/** Decodes the result of `encodeHeaderValue`. */
export function decodeHeaderValue(value: string): string {
  if (!value.startsWith(wrapperStart) || !value.endsWith(wrapperEnd)) return value;
  return Buffer.from(value.slice(wrapperStart.length, -wrapperEnd.length), 'base64').toString('utf8');
}

import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/jsonText.js';
import type { ToolChange } from '../base/failureKinds.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { copyWith } from '../base/objectCopy.js';
import type { Tool } from '../protocol/mcp.js';

/** Maximum length of a definition as text, in UTF-16 code units. A longer one is not hashed, so the tool cannot run. */
const maxLength = 4 * 1024 * 1024;

/**
 * The approved definition of a tool: all parts on which a user or a model bases decisions (specification: tools,
 * "security considerations").
 */
export interface ToolDefinition {
  name: string;
  title?: unknown;
  description?: unknown;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
  /** The fields that declare an app: the app of the tool, and whether models and apps may call the tool. */
  _meta?: unknown;
}

/** The parts of a tool that an approval covers. */
export function definitionOf({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  _meta,
}: Tool): ToolDefinition {
  const app = appFieldsOf(_meta);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(app === undefined ? {} : { _meta: app }),
  };
}

/** The fields of `_meta` that `apps/toolApp.ts` reads. Other fields do not decide what a call does or who calls. */
function appFieldsOf(meta: Tool['_meta']): Record<string, unknown> | undefined {
  const written = meta?.['ui'];
  const { resourceUri, visibility } = isObject(written) ? written : {};
  const ui = {
    ...(resourceUri === undefined ? {} : { resourceUri }),
    ...(visibility === undefined ? {} : { visibility }),
  };
  const flat = meta?.['ui/resourceUri'];
  const fields = {
    ...(Object.keys(ui).length === 0 ? {} : { ui }),
    ...(flat === undefined ? {} : { 'ui/resourceUri': flat }),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Lists of tools are replaced, never modified, so the hash of a tool object stays valid. */
const known = new WeakMap<Tool, string>();

/**
 * SHA-256 of the definition, independent of the order of keys. Throws RangeError if the definition is too deep or too
 * long.
 */
export function toolHash(tool: Tool): string {
  let hash = known.get(tool);
  if (hash === undefined) {
    const text = canonicalJson(definitionOf(tool));
    if (text.length > maxLength) throw new RangeError(`The definition has ${text.length} characters.`);
    hash = createHash('sha256').update(text).digest('hex');
    known.set(tool, hash);
  }
  return hash;
}

/** The hash that an approval is bound to. It covers the current definitions of the server and the tool. */
export function approvalOf(serverHash: string, hash: string): string {
  return createHash('sha256').update(`${serverHash} ${hash}`).digest('hex');
}

/** Reads a stored definition; undefined if it is not valid. */
export function readDefinition(value: unknown): ToolDefinition | undefined {
  return isObject(value) && typeof value['name'] === 'string' ? copyWith(value, { name: value['name'] }) : undefined;
}

/** The error for a call to a tool that is in quarantine. */
export function changedError(server: string, tool: string, why: ToolChange): HostError {
  const what = {
    changed: 'differs from the tool that was approved',
    unhashable: 'has a definition that cannot be compared with the tool that was approved',
    unreadable: 'has an approval that cannot be read',
    gone: 'was approved and is not listed any more',
  }[why];
  return new HostError('tool-changed', `The tool "${tool}" of "${server}" ${what}; it must be reviewed first.`, {
    data: { server, tool, why },
  });
}

/**
 * Reads what a tool declares about its app (MCP Apps 2026-01-26, "Resource Discovery"): which resource shows its
 * results, and who may call it. A host that can show apps declares the extension. Without this declaration, the tools
 * behave as usual.
 */
import { isObject } from '../base/guards.js';
import type { JsonSchema, Tool } from '../protocol/mcp.js';

/** The ID of the extension in the capabilities. */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** The revision of the extension that the bridge implements. */
export const appsRevision = '2026-01-26';

/** The only MIME type that is shown as an app. */
export const appMimeType = 'text/html;profile=mcp-app';

/** The settings of the extension as a client declares them. */
export const appsSettings = { mimeTypes: [appMimeType] } as const;

const maxUriLength = 2_048;

/**
 * The URI of the app that shows a tool's results; undefined for a tool without an app. Only `ui://` URIs are accepted.
 */
export function appUriOf({ _meta }: Pick<Tool, '_meta'>): string | undefined {
  const ui = _meta?.['ui'];
  const nested = isObject(ui) ? ui['resourceUri'] : undefined;
  // Before the revision was final, servers used a flat key; many still send both keys.
  const uri = typeof nested === 'string' ? nested : _meta?.['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= maxUriLength ? uri : undefined;
}

/** Whether a language model may see and call the tool. True unless the server declares that it must not. */
export function isForModel(tool: Pick<Tool, '_meta'>): boolean {
  return visibilityOf(tool)?.includes('model') ?? true;
}

/** Whether an app of the same server may call the tool. True unless the server declares that it must not. */
export function isForApps(tool: Pick<Tool, '_meta'>): boolean {
  return visibilityOf(tool)?.includes('app') ?? true;
}

function visibilityOf({ _meta }: Pick<Tool, '_meta'>): readonly unknown[] | undefined {
  const ui = _meta?.['ui'];
  const visibility = isObject(ui) ? ui['visibility'] : undefined;
  return Array.isArray(visibility) ? visibility : undefined;
}

/**
 * The arguments that an app receives for its tool call, with the schema's defaults for omitted arguments. The server
 * applies these defaults itself, but the app sees only the arguments that it receives.
 */
export function appInput(schema: JsonSchema | undefined, values: Record<string, unknown>): Record<string, unknown> {
  const properties = schema?.['properties'];
  if (!isObject(properties)) return values;
  const defaults = Object.entries(properties).flatMap(([name, property]): [string, unknown][] =>
    isObject(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  );
  return Object.fromEntries([...defaults, ...Object.entries(values)]);
}

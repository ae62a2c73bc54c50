/**
 * What a tool says of its app (MCP Apps 2026-01-26, "Resource Discovery"): which resource shows it, and who may call the
 * tool. The extension is declared by hosts that can show apps; without one, tools are what they always were.
 */
import { isObject } from '../base/guards.js';
import type { Tool } from '../protocol/mcp.js';

/** The id of the extension in the capabilities. */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** The revision of the extension that the bridge speaks. */
export const appsRevision = '2026-01-26';

/** The only type of a resource that is shown as an app. */
export const appMimeType = 'text/html;profile=mcp-app';

/** The settings of the extension as a client declares them. */
export const appsSettings = { mimeTypes: [appMimeType] } as const;

const maxUriLength = 2_048;

/**
 * The address of the app that shows a tool's results; undefined for a tool without one. Only `ui://` addresses count.
 */
export function appUriOf({ _meta }: Pick<Tool, '_meta'>): string | undefined {
  const ui = _meta?.['ui'];
  const nested = isObject(ui) ? ui['resourceUri'] : undefined;
  // The flat key is what servers wrote before the revision was final; many still send it beside the other.
  const uri = typeof nested === 'string' ? nested : _meta?.['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= maxUriLength ? uri : undefined;
}

/** Whether a language model may see and call the tool. True unless the server says otherwise. */
export function isForModel(tool: Pick<Tool, '_meta'>): boolean {
  return visibilityOf(tool)?.includes('model') ?? true;
}

/** Whether an app of the same server may call the tool. True unless the server says otherwise. */
export function isForApps(tool: Pick<Tool, '_meta'>): boolean {
  return visibilityOf(tool)?.includes('app') ?? true;
}

function visibilityOf({ _meta }: Pick<Tool, '_meta'>): readonly unknown[] | undefined {
  const ui = _meta?.['ui'];
  const visibility = isObject(ui) ? ui['visibility'] : undefined;
  return Array.isArray(visibility) ? visibility : undefined;
}

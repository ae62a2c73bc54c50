import type { ToolCall, ToolCallOptions } from '../../../core/catalog/hostApi.js';
import type { CallToolResult } from '../../../core/protocol/mcp.js';
import { resultOf } from '../../../core/runs/userRun.js';
import type { ExtensionServices } from '../../ui/services.js';
import { toolRun } from '../../ui/toolRun.js';

/** Calls a tool for a client of the gateway, and records the call in *Runs*. */
export async function agentRun(
  { host, runLog }: Pick<ExtensionServices, 'host' | 'runLog'>,
  call: ToolCall,
  options: ToolCallOptions,
): Promise<CallToolResult> {
  const { server, tool, arguments: values = {} } = call;
  const { client, signal, meta } = options;
  const schema = host.servers.get(server)?.offer?.tools.find(({ name }) => name === tool)?.inputSchema;
  const traceparent = meta?.['traceparent'];
  const run = toolRun(
    { runLog },
    {
      call: () => ({
        server,
        tool,
        arguments: values,
        ...(schema ? { schema } : {}),
        ...(client === undefined ? {} : { client }),
        ...(typeof traceparent === 'string' && isTraceparent(traceparent) ? { traceparent } : {}),
      }),
      perform: (reports) =>
        host.calls.runTool(call, {
          ...options,
          signal: reports.signal,
          onProgress: (progress) => {
            reports.onProgress(progress);
            options.onProgress?.(progress);
          },
          onAsk: (isWaiting) => {
            reports.onAsk(isWaiting);
            options.onAsk?.(isWaiting);
          },
          onOutputProblems: reports.onOutputProblems,
        }),
    },
  );
  if (signal) run.cancelWith(signal);
  return resultOf(await run.run());
}

/** Whether a text has the form of W3C Trace Context. */
function isTraceparent(text: string): boolean {
  return /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(text);
}

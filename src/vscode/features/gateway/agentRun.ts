import type { ToolCall, ToolCallOptions } from '../../../core/catalog/hostTypes.js';
import type { CallToolResult } from '../../../core/protocol/mcp.js';
import { traceparentOf } from '../../../core/protocol/traceContext.js';
import { resultOf } from '../../../core/runs/userRun.js';
import type { ExtensionServices } from '../../ui/services.js';
import { toolRun } from '../../ui/toolRun.js';

/** Calls a tool for a client of the gateway, and records the call in the Runs view. */
export async function agentRun(
  { host, runLog }: Pick<ExtensionServices, 'host' | 'runLog'>,
  call: ToolCall,
  options: ToolCallOptions,
): Promise<CallToolResult> {
  const { server, tool, arguments: values = {} } = call;
  const { client, signal, meta } = options;
  const traceparent = traceparentOf(meta);
  const run = toolRun(
    { runLog },
    {
      call: () => ({
        server,
        tool,
        arguments: values,
        ...(client === undefined ? {} : { client }),
        ...(traceparent === undefined ? {} : { traceparent }),
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

import type { Clock } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import { HostError, isCancelled } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { ToolCall, ToolCallOptions } from '../catalog/hostTypes.js';
import type { Admission, RequestedCall } from '../consent/callConsent.js';
import { secretArguments } from '../present/form/argumentSteps.js';
import type { OffReason } from '../presets/toolSwitches.js';
import { ProtocolError } from '../protocol/jsonRpc.js';
import type { Tool } from '../protocol/mcp.js';
import { originOf } from '../registry/serverEntry.js';
import type { ServerLookup } from './callFailure.js';
import { failCall } from './callFailure.js';
import type { ManagedServer } from './managedServer.js';
import type { HostPorts } from './ports.js';

export interface CallAdmissionDeps extends ServerLookup {
  readonly clock: Clock;
  readonly consent: HostPorts['consent'];
  /** Secret values that must not be stored with the calls of this server. */
  secretsOf(id: string): readonly string[];
}

/** The approval of tool calls before they are sent, and the record of their outcome. */
export class CallAdmission {
  constructor(private readonly deps: CallAdmissionDeps) {}

  /** Throws `unsupported` if the tool is switched off. */
  refuseSwitchedOff({ server, tool }: ToolCall): void {
    const reason = this.deps.peek(server)?.view.switches?.whyOff(tool);
    if (reason !== undefined) throw switchedOff(server, tool, reason);
  }

  /** Sends a tool call if it is approved, and records its outcome. */
  async run<T extends { isError?: unknown }>(
    server: ManagedServer,
    tool: string,
    values: Record<string, unknown>,
    options: ToolCallOptions,
    send: () => Promise<T>,
  ): Promise<T> {
    const admission = await this.admit(server, tool, values, options);
    const began = this.deps.clock.now();
    server.stats.beginCall(tool);
    try {
      const result = await send();
      server.stats.recordCall(tool, result.isError === true ? 'failed' : 'ok', this.deps.clock.now() - began);
      admission.finish(result.isError === true ? 'tool-error' : 'ok');
      return result;
    } catch (error) {
      const outcome = isCancelled(error) ? 'cancelled' : 'failed';
      if (error instanceof ProtocolError && takesNone(server.findTool(tool), values)) error.takesNone = true;
      server.stats.recordCall(tool, outcome, this.deps.clock.now() - began);
      admission.finish(outcome);
      throw error;
    }
  }

  /** The approval check of every tool call, for every caller. */
  private async admit(
    server: ManagedServer,
    name: string,
    values: Record<string, unknown>,
    options: ToolCallOptions,
  ): Promise<Admission> {
    server.noteUse('tools');
    const call = this.requested(server, name, values, options);
    try {
      return await this.deps.consent.admit(call, () => server.findTool(name), options.signal);
    } catch (error) {
      return failCall(this.deps, server.entry.id, name, error);
    }
  }

  /** A call for the approval check. */
  private requested(
    server: ManagedServer,
    name: string,
    values: Record<string, unknown>,
    { caller, client, isAnswered = false, isApi = false, asksAtOnce, onAsk }: ToolCallOptions,
  ): RequestedCall {
    const { entry } = server;
    const listed = server.findTool(name);
    // A server may accept calls of a tool that it does not list. The decision about such a tool uses only its name.
    const tool = listed ?? { name, inputSchema: {} };
    // A server that does not run has no list. Without a schema, every argument can be a secret.
    const isKnown = listed !== undefined || server.session !== undefined;
    if (isKnown) server.noteCall(name, tool.inputSchema);
    return {
      server: { id: entry.id, hash: server.connection.attempt?.hash ?? entry.hash, origin: originOf(entry.source) },
      tool,
      isListed: listed !== undefined,
      arguments: values,
      caller,
      client,
      isAnswered,
      isApi,
      asksAtOnce,
      onAsk,
      secretArguments: secretArguments(isKnown ? tool.inputSchema : undefined, values),
      secrets: this.deps.secretsOf(entry.id),
    };
  }

  /** Throws if a rule denies the call, so that the server need not be started. */
  refuseEarly(server: ManagedServer, tool: string, values: Record<string, unknown>, options: ToolCallOptions): void {
    try {
      this.deps.consent.refuseEarly(this.requested(server, tool, values, options));
    } catch (error) {
      failCall(this.deps, server.entry.id, tool, error);
    }
  }
}

function switchedOff(server: string, tool: string, reason: OffReason): HostError {
  const why = {
    user: 'you disabled it',
    definition: 'the definition of its server disables it',
    preset: 'the active preset does not include it',
  }[reason];
  const hint =
    reason === 'preset'
      ? 'Run "MCP Deck: Switch Preset…" to choose another one, or none.'
      : 'Run "Enable Tool" on it in the Servers view first.';
  return new HostError(
    'unsupported',
    `The tool "${visibleLine(tool, 120)}" of "${visibleLine(server, 120)}" is off: ${why}.`,
    { data: { server, why: reason, tool }, hint },
  );
}

/** Whether a call has no arguments because its tool takes none. */
function takesNone(tool: Tool | undefined, values: Readonly<Record<string, unknown>>): boolean {
  const properties = tool?.inputSchema['properties'];
  return (
    tool !== undefined &&
    Object.keys(values).length === 0 &&
    (properties === undefined || (isObject(properties) && Object.keys(properties).length === 0))
  );
}

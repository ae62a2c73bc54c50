import * as vscode from 'vscode';
import { neverEvent } from '../../../core/base/event.js';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { memoryState, stateKeys } from '../../../core/base/stores.js';
import type { ConfigSource, InputDefinition } from '../../../core/config/serverDefinition.js';
import { ScopedPins } from '../../../core/consent/toolPins.js';
import { ToolConsent } from '../../../core/consent/toolConsent.js';
import { McpHost } from '../../../core/host/mcpHost.js';
import type { HostPorts } from '../../../core/host/ports.js';
import type { Tool } from '../../../core/protocol/mcp.js';
import { withProgress } from '../../adapters/userMessages.js';
import type { ExtensionServices } from '../../ui/services.js';
import { ownStartsOnly } from '../../ui/testPorts.js';

/** A definition that is started for a comparison. */
export interface TrialDefinition {
  name: string;
  source: ConfigSource;
  fields: Readonly<Record<string, unknown>>;
  inputs: readonly InputDefinition[];
  /** Values for inputs that are not stored yet. */
  values: readonly { id: string; value: string }[];
}

/** The result of a trial start. */
export interface Trial {
  tools: readonly Tool[];
  /** Values of inputs that the user typed during the start. */
  typed: readonly { id: string; value: string }[];
}

/**
 * Starts a server for a trial, lists its tools, and stops it. It runs in a host of its own: no caller reaches its
 * tools, it gets no roots, and it cannot ask the user or a model. The rules about servers and the approval of starts
 * apply. Only an approval is kept. Rejects with the error of the start.
 */
export async function trialStart(
  deck: Pick<ExtensionServices, 'ports' | 'consent'>,
  definition: TrialDefinition,
  title: string,
): Promise<Trial> {
  const { name, values } = definition;
  const typed = new Map<string, string>();
  const host = new McpHost(trialPorts(deck, definition, typed));
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  try {
    await host.open();
    const problem = host.servers.problems().flatMap(({ problems }) => problems)[0];
    const view = host.servers.list()[0];
    if (!view)
      throw new HostError('bad-configuration', problem?.message ?? `"${visibleLine(name, 80)}" cannot be read.`);
    for (const { id, value } of values) await host.storedValues.keepInput(view.id, id, value);
    await withProgress(options, async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort(new HostError('cancelled', 'The user canceled the start.')));
      await host.lifecycle.start(view.id, { interactive: true, signal: abort.signal });
    });
    return {
      tools: host.servers.get(view.id)?.features?.tools ?? [],
      typed: [...typed].map(([id, value]) => ({ id, value })),
    };
  } finally {
    await host.close();
  }
}

/** The ports of the window without everything that a server must not reach or change during a trial. */
function trialPorts(
  { ports, consent }: Pick<ExtensionServices, 'ports' | 'consent'>,
  { name, source, fields, inputs }: TrialDefinition,
  typed: Map<string, string>,
): HostPorts {
  const rest = { ...ports };
  for (const port of ['openBuiltInServer', 'fileChanges', 'debugger', 'signIn'] as const) delete rest[port];
  const own = memoryState();
  const secrets = new Map<string, string>();
  const refuse = () => Promise.reject(new HostError('cancelled', 'The server is started for a trial only.'));
  return {
    ...rest,
    // The client declares the same capabilities as usual, because many servers list fewer tools without them.
    ...(ports.sampler && { sampler: { createMessage: refuse } }),
    ...(ports.elicitor && { elicitor: { elicit: () => Promise.resolve({ action: 'decline' as const }) } }),
    configuration: {
      read: () => Promise.resolve([{ source, value: { [name]: fields }, inputs }]),
      onDidChange: neverEvent,
    },
    settings: ownStartsOnly(ports, 'off'),
    roots: { roots: () => [], onDidChange: neverEvent },
    // The values of the installed version are used, and only an approval is kept.
    state: {
      get: (key) => own.get(key) ?? ports.state.get(key),
      set: (key, value) => (key === stateKeys.trusted ? ports.state : own).set(key, value),
    },
    secrets: {
      get: async (key) => secrets.get(key) ?? (await ports.secrets.get(key)),
      set: (key, value) => Promise.resolve(void secrets.set(key, value)),
      delete: (key) => Promise.resolve(void secrets.delete(key)),
    },
    inputs: {
      ask: async (input, server) => {
        const value = await ports.inputs.ask(input, server);
        if (value !== undefined) typed.set(input.id, value);
        return value;
      },
    },
    // No quarantine is needed, because the update itself compares the tools.
    consent: new ToolConsent({
      rules: consent.rules,
      pins: ScopedPins.inMemory(),
      audit: consent.audit,
      asker: { ask: refuse },
      trustedAnnotations: () => [],
    }),
  };
}

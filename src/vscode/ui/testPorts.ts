import { neverEvent } from '../../core/base/event.js';
import type { Log } from '../../core/base/log.js';
import type { SecretStore, StateStore } from '../../core/base/stores.js';
import { memoryState, stateKeys } from '../../core/base/stores.js';
import type { TraceSetting } from '../../core/config/hostSettings.js';
import { ScopedPins } from '../../core/consent/toolPins.js';
import { ToolConsent } from '../../core/consent/toolConsent.js';
import type { HostPorts } from '../../core/host/ports.js';
import { CallPrompt } from './callDialog.js';
import type { ExtensionServices } from './services.js';

interface TestPortsOptions {
  /** Whether the file defines its server itself. Such a server has no access to stored secrets and sign-ins. */
  isOwnServer: boolean;
  isTraced: boolean;
  /** Receives the log of the server. */
  output: (server: string, line: string) => void;
}

/**
 * The ports of a host that tests or checks a server: those of the window, with its approvals and its rules. What the
 * run stores stays in memory, except for approvals of servers, rules that an answer creates, and, for a configured
 * server, its secrets. The log goes to the output of the run.
 */
export function testPorts(
  { ports, consent, requests }: Pick<ExtensionServices, 'ports' | 'consent' | 'requests'>,
  { isOwnServer, isTraced, output }: TestPortsOptions,
): HostPorts {
  const rest = { ...ports };
  delete rest.openBuiltInServer;
  // Servers under test change between runs, so a watch or a restart would disturb the tests.
  delete rest.fileChanges;
  if (isOwnServer) delete rest.signIn;
  const log: Log = { write: (level, line) => ports.log.write(level, line) };
  return {
    ...rest,
    log,
    serverLog: ({ id }) => ({
      write: (_level, line) => output(id, line),
      level: () => 'debug',
      onDidChangeLevel: neverEvent,
    }),
    settings: ownStartsOnly(ports, isTraced ? 'on' : 'off'),
    state: testState(ports.state),
    ...(isOwnServer ? { secrets: memorySecrets() } : {}),
    // A configured server keeps its quarantine. A server that the file defines is under development and changes often,
    // so its tools are not compared.
    consent: new ToolConsent({
      rules: consent.rules,
      pins: isOwnServer ? ScopedPins.inMemory() : consent.pins.copy(),
      audit: consent.audit,
      asker: new CallPrompt(requests.queue),
      trustedAnnotations: () => consent.trustedAnnotations(),
    }),
  };
}

/** The settings of another host in a window, which starts servers only on request. */
export function ownStartsOnly({ settings }: Pick<HostPorts, 'settings'>, trace: TraceSetting): HostPorts['settings'] {
  return {
    current: () => ({
      ...settings.current(),
      autoStart: 'never',
      builtInServer: false,
      restartOnCrash: false,
      trace,
    }),
    onDidChange: neverEvent,
  };
}

/** A state in memory that shares only the approved definitions with the window. */
function testState(window: StateStore): StateStore {
  const own = memoryState();
  const storeOf = (key: string) => (key === stateKeys.trusted ? window : own);
  return { get: (key) => storeOf(key).get(key), set: (key, value) => storeOf(key).set(key, value) };
}

function memorySecrets(): SecretStore {
  const values = new Map<string, string>();
  return {
    get: (key) => Promise.resolve(values.get(key)),
    set: (key, value) => Promise.resolve(void values.set(key, value)),
    delete: (key) => Promise.resolve(void values.delete(key)),
  };
}

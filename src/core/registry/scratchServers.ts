import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { ConfigurationSource, ConfigurationText } from '../config/configurationSource.js';
import type { ConfigSource, InputDefinition, MockDefinition, ProtocolChoice } from '../config/serverDefinition.js';

/**
 * The source of one scratch server. Scratch servers are servers that the user tries out: they exist only in this window
 * and in memory, until the user keeps them. Each is a source of its own, so an input that one of them declares is not
 * an input of the others.
 */
export function scratchSource(name: string): ConfigSource {
  return { id: `scratch/${name}`, kind: 'scratch', label: 'scratch' };
}

/** A definition that is in no file and no setting. */
export interface ScratchServer {
  fields: Readonly<Record<string, unknown>>;
  inputs: readonly InputDefinition[];
}

/** A mock, and the version of the protocol that it is used with. */
export interface ScratchMock {
  mock: MockDefinition;
  /** Default: the latest one that both sides support. */
  protocol?: ProtocolChoice;
}

const start = { line: 0, character: 0, endLine: 0, endCharacter: 0 };

/** Adds the scratch servers to the servers of another configuration. */
export class ScratchServers implements ConfigurationSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly servers = new Map<string, ScratchServer>();
  private readonly mocks = new Map<string, ScratchMock>();

  constructor(private readonly configured: ConfigurationSource) {
    this.store.add(configured.onDidChange(() => this.changed.fire()));
  }

  get names(): ReadonlySet<string> {
    return new Set([...this.servers.keys(), ...this.mocks.keys()]);
  }

  get(name: string): ScratchServer | undefined {
    return this.servers.get(name);
  }

  /** Adds a server or replaces the one with the same name. Starts nothing. */
  set(name: string, server: ScratchServer): void {
    this.servers.set(name, server);
    this.changed.fire();
  }

  /** Adds a mock under a name that no other scratch server has. Starts nothing. */
  setMock(name: string, mock: ScratchMock): void {
    this.mocks.set(name, mock);
    this.changed.fire();
  }

  /** Removes a server, which is then stopped. Does nothing for an unknown name. */
  remove(name: string): void {
    if (this.servers.delete(name) || this.mocks.delete(name)) this.changed.fire();
  }

  async read(): Promise<ConfigurationText[]> {
    const texts = await this.configured.read();
    const own = [...this.servers].map(([name, { fields, inputs }]) => ({
      source: scratchSource(name),
      value: { [name]: fields },
      inputs,
    }));
    return [...texts, ...own, ...[...this.mocks].map(([name, mock]) => mockText(name, mock))];
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** The source of a mock is its recording, which "Open Configuration" shows. */
function mockText(name: string, { mock, protocol }: ScratchMock): ConfigurationText {
  const definition = { type: 'builtin', mock, ...(protocol === undefined ? {} : { protocol }) } as const;
  return {
    source: { ...scratchSource(name), label: path.basename(mock.file), fileUri: pathToFileURL(mock.file).href },
    parsed: {
      servers: [{ name, definition, position: start, isDisabled: false }],
      inputs: [],
      problems: [],
      isBroken: false,
    },
  };
}

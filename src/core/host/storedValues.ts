/** What is stored for servers: the values that the user typed in, the approvals of starts, and the sign-ins. */
import type { StoredOfServer } from '../catalog/hostApi.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { StoredInput } from '../registry/storedInputs.js';
import type { HostServers } from './hostServers.js';
import type { SessionOpener } from './sessionOpener.js';
import type { SignIns } from './signIns.js';

/** What is stored for servers. No value of it is ever given out. */
export interface StoredValuesApi {
  /** Keeps the value of an input that the server's definition names, as if the user had just been asked for it. */
  keepInput(server: string, input: string, value: string): Promise<void>;
  /**
   * Asks the user for the value of an input anew and keeps it; counts from the next start. Rejects with `cancelled`
   * when they gave up.
   */
  askInput(server: string, input: string): Promise<void>;
  /**
   * Every value of an input that is stored, without the value: of servers that are configured, then of those that are
   * not any more.
   */
  inputs(): Promise<StoredInput[]>;
  /** Copies a stored value to the input of another server, without showing it. False: it is not stored any more. */
  carryInput(stored: StoredInput, server: string, input: string): Promise<boolean>;
  /** The next start that needs it asks for it. */
  forgetInput(stored: StoredInput): Promise<void>;
  /** What is stored of a server. Asks nobody. */
  of(server: string): Promise<StoredOfServer>;
  /**
   * Forgets it, also when the server is not configured any more. Accounts are ended at their issuers first; an issuer
   * that does not answer does not prevent this.
   */
  forget(stored: StoredOfServer): Promise<void>;
  /** Forgets every answer to the trust question in this workspace. */
  resetTrust(): Promise<void>;
}

export class StoredValues implements StoredValuesApi {
  constructor(
    private readonly servers: HostServers,
    private readonly opener: SessionOpener,
    private readonly signIns: SignIns,
  ) {}

  async keepInput(server: string, input: string, value: string): Promise<void> {
    await this.opener.inputs.stored.set(this.servers.require(server).entry, input, value);
  }

  async askInput(server: string, input: string): Promise<void> {
    await this.opener.inputs.ask(this.servers.require(server).entry, input);
  }

  inputs(): Promise<StoredInput[]> {
    return this.opener.inputs.stored.list(this.servers.entries);
  }

  async carryInput(stored: StoredInput, server: string, input: string): Promise<boolean> {
    return this.opener.inputs.stored.carry(stored, this.servers.require(server).entry, input);
  }

  forgetInput(stored: StoredInput): Promise<void> {
    return this.opener.inputs.stored.forget(stored);
  }

  /** The sign-in is left out where another server has the same address: it is that server's too. */
  async of(server: string): Promise<StoredOfServer> {
    const { entry } = this.servers.require(server);
    const inputs = (await this.opener.inputs.stored.list([entry])).filter((stored) => stored.isUsed);
    const address = await this.addressOf(entry);
    if (address === undefined || !(await this.signIns.isKnown(address))) return { inputs };
    const others = await Promise.all(
      this.servers.entries.filter(({ id }) => id !== entry.id).map((other) => this.addressOf(other)),
    );
    return others.includes(address) ? { inputs } : { inputs, signedInTo: address };
  }

  async forget({ inputs, signedInTo }: StoredOfServer): Promise<void> {
    for (const stored of inputs) await this.opener.inputs.stored.forget(stored);
    if (signedInTo !== undefined) await this.signIns.forgetAddress(signedInTo);
  }

  async resetTrust(): Promise<void> {
    await this.opener.approval.reset();
  }

  /**
   * What sign-ins of a server belong to; undefined where that cannot be known without a question or before its
   * approval.
   */
  private async addressOf(entry: ServerEntry): Promise<string | undefined> {
    const { definition } = entry;
    if (definition.type === 'stdio' || definition.type === 'builtin') return undefined;
    if (!definition.url.includes('${')) return this.signIns.addressOf(definition.url);
    const inspection = await this.opener.inspect(entry);
    const resolved = inspection.refusal === undefined ? await inspection.resolve().catch(() => undefined) : undefined;
    return resolved && resolved.type !== 'stdio' ? this.signIns.addressOf(resolved.url) : undefined;
  }
}

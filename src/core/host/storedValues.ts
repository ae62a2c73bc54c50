/** Values that are stored for servers: inputs that the user typed, approvals of starts, and sign-ins. */
import type { StoredOfServer } from '../catalog/hostTypes.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { StoredInput } from '../registry/storedInputs.js';
import { isOfSource } from '../registry/storedInputs.js';
import type { HostServers } from './hostServers.js';
import type { SessionOpener } from './sessionOpener.js';
import type { SignIns } from './signIns.js';

/** Manages the stored values of servers. No method returns a stored value. */
export interface StoredValuesApi {
  /** Stores the value of an input of the server's definition, as if the user had just typed it. */
  keepInput(server: string, input: string, value: string): Promise<void>;
  /**
   * Asks the user for a new value of an input and stores it; the next start uses it. Rejects with `cancelled` when the
   * user cancels.
   */
  askInput(server: string, input: string): Promise<void>;
  /** Every stored input, without its value: first those of configured servers, then those of removed servers. */
  inputs(): Promise<StoredInput[]>;
  /**
   * Moves a stored value to the input of another server, without showing it. Resolves to false if the value is no
   * longer stored.
   */
  carryInput(stored: StoredInput, server: string, input: string): Promise<boolean>;
  /** Deletes the value. The next start that needs it asks the user. */
  forgetInput(stored: StoredInput): Promise<void>;
  /**
   * Deletes the inputs of removed servers of this source that had one of these names. Called before servers with these
   * names are added, because a value that was typed for one server must not go to another one (security requirement
   * S4).
   */
  forgetRemoved(names: readonly string[], sourceId: string): Promise<void>;
  /** The data that is stored for a server. Asks no questions. */
  of(server: string): Promise<StoredOfServer>;
  /**
   * Deletes the data that is stored for a server, even if the server is no longer configured. Tokens are revoked at
   * their issuers first. If an issuer does not answer, the data is deleted anyway.
   */
  forget(stored: StoredOfServer): Promise<void>;
  /**
   * Approves the start of a server that the user chose to start after seeing its whole definition. If the start needs
   * more than this approval, the user is asked as usual.
   * @param shown the hash of the definition that was shown (`hashAsRead`).
   */
  approveShown(server: string, shown: string): Promise<void>;
  /** Deletes every approval in this workspace. */
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
    return this.opener.inputs.stored.moveTo(stored, this.servers.require(server).entry, input);
  }

  forgetInput(stored: StoredInput): Promise<void> {
    return this.opener.inputs.stored.forget(stored);
  }

  async forgetRemoved(names: readonly string[], sourceId: string): Promise<void> {
    const isNamed = (id: string) => names.some((name) => id === name || id.startsWith(`${name} (`));
    for (const stored of await this.inputs())
      if (!stored.isUsed && isOfSource(stored, sourceId) && isNamed(stored.server)) await this.forgetInput(stored);
  }

  /**
   * The data that is stored for a server. Omits the sign-in if another server has the same URL, because both servers
   * share it.
   */
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

  async approveShown(server: string, shown: string): Promise<void> {
    await this.opener.approveShown(this.servers.require(server).entry, shown);
  }

  async resetTrust(): Promise<void> {
    await this.opener.approval.reset();
  }

  /**
   * The URL under which sign-ins of a server are stored (see `SignIns.addressOf`); undefined if the URL is known only
   * after an approval or an answer of the user.
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

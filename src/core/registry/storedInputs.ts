/**
 * The values that the user gave for `${input:…}`: passwords in the secret store, the rest in the workspace's state.
 * Neither can be listed, so each has a list of what is in it, by names, never values. The list only helps to find what
 * no configured server asks for any more; of those that are configured the keys are computed, so that a value counts and
 * is found whether it is on the list or not.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/canonicalJson.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { Sequencer } from '../base/sequencer.js';
import type { LeadingValues } from '../config/receiver.js';
import { receiverOf } from '../config/receiver.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import type { SecretStore, StateStore } from '../base/stores.js';
import type { ServerEntry } from './serverEntry.js';

/** A value that is stored, as it may be shown: never the value. */
export interface StoredInput {
  /** Where it is stored. */
  readonly key: string;
  /** True in the secret store, false in the state of the workspace. */
  readonly isSecret: boolean;
  /** Id of the server that it is for. */
  readonly server: string;
  /** Id of the input. */
  readonly input: string;
  /** Where the server is or was defined, for people. */
  readonly place: string;
  /**
   * False when no server here asks for it: that was removed, runs or reaches something else now, or its folder is not
   * open.
   */
  readonly isUsed: boolean;
}

/** A store that can hold a value for this window before, or without, storing it; `server` is for messages. */
type WindowStore<S extends { set(key: string, value: never): Promise<void> }, T> = Omit<S, 'set'> & {
  set(key: string, value: T, server?: string): Promise<void>;
  keep?(key: string, value: T): void;
};

/** What the lists say of a value. */
type Listed = Omit<StoredInput, 'isUsed'>;

/** Where the lists are, in either store. */
const listKey = 'mcpDeck.inputs';

export class StoredInputs {
  private readonly changing = new Sequencer();
  /**
   * The latest `set` of each key that is not stored yet; `forget` takes it out, so that the value is not stored
   * afterwards.
   */
  private readonly storing = new Map<string, symbol>();

  /**
   * @param leadingValues what variables of a server that lead to its program or address stand for now
   * (`config/receiver.ts`).
   */
  constructor(
    private readonly ports: { secrets: WindowStore<SecretStore, string>; state: WindowStore<StateStore, unknown> },
    private readonly leadingValues: (entry: ServerEntry) => Promise<LeadingValues>,
  ) {}

  /**
   * The value of an input of this server, or undefined. Rejects with `bad-configuration` when its source has no such input.
   * @param leading those that the start uses. Default: those of now.
   */
  async get(entry: ServerEntry, id: string, leading?: LeadingValues): Promise<string | undefined> {
    return this.read(await this.listedOf(entry, id, leading));
  }

  /** Keeps a value: at once in this window, then in its store. Rejects as `get` does. */
  async set(entry: ServerEntry, id: string, value: string, leading?: LeadingValues): Promise<void> {
    const listed = await this.listedOf(entry, id, leading);
    const { secrets, state } = this.ports;
    const latest = Symbol(listed.key);
    this.storing.set(listed.key, latest);
    if (listed.isSecret) secrets.keep?.(listed.key, value);
    else state.keep?.(listed.key, value);
    // First the list: a name without a value is left out of every answer, a value without a name could not be found.
    // A list that cannot be read is not written over; the value of a server that is configured is found without it.
    await this.changeList(
      listed.isSecret,
      (list) => [...list.filter(({ key }) => key !== listed.key), listed],
      entry.id,
    ).catch(() => undefined);
    if (this.storing.get(listed.key) !== latest) return;
    this.storing.delete(listed.key);
    if (listed.isSecret) await secrets.set(listed.key, value, entry.id);
    else await state.set(listed.key, value, entry.id);
  }

  /** All that is stored: what these servers ask for, then what none of them does. */
  async list(entries: readonly ServerEntry[]): Promise<StoredInput[]> {
    const used = await Promise.all(
      entries.flatMap((entry) =>
        entry.inputs.map(async ({ id }) => ({ ...(await this.listedOf(entry, id)), isUsed: true })),
      ),
    );
    const isUsed = (other: Listed) =>
      used.some(({ key, isSecret }) => key === other.key && isSecret === other.isSecret);
    const unused = [...(await this.readList(true)), ...(await this.readList(false))]
      .filter((listed) => !isUsed(listed))
      .map((listed) => ({ ...listed, isUsed: false }));
    const values = await Promise.all(
      [...used, ...unused].map(async (stored) => ((await this.read(stored)) === undefined ? [] : [stored])),
    );
    return values.flat();
  }

  /** A start that needs it asks for it again. */
  async forget({ key, isSecret }: Pick<StoredInput, 'key' | 'isSecret'>): Promise<void> {
    this.storing.delete(key);
    if (isSecret) await this.ports.secrets.delete(key);
    else await this.ports.state.set(key, undefined);
    await this.changeList(isSecret, (list) => list.filter((listed) => listed.key !== key));
  }

  /**
   * Takes a value from where it is to an input of this server. False: there is none any more. Rejects as `set` does,
   * and then it stays.
   */
  async carry(stored: Pick<StoredInput, 'key' | 'isSecret'>, entry: ServerEntry, id: string): Promise<boolean> {
    const value = await this.read(stored);
    if (value === undefined) return false;
    await this.set(entry, id, value);
    if ((await this.listedOf(entry, id)).key !== stored.key) await this.forget(stored);
    return true;
  }

  private async listedOf(entry: ServerEntry, id: string, leading?: LeadingValues): Promise<Listed> {
    const isSecret = inputOf(entry, id).password === true;
    return {
      key: inputKey(entry, id, leading ?? (await this.leadingValues(entry))),
      isSecret,
      server: entry.id,
      input: id,
      place: placeOf(entry),
    };
  }

  private async read({ key, isSecret }: Pick<StoredInput, 'key' | 'isSecret'>): Promise<string | undefined> {
    const value = isSecret ? await this.ports.secrets.get(key) : this.ports.state.get(key);
    return typeof value === 'string' ? value : undefined;
  }

  /** Names that two windows add at the same moment may cost one of them its line, never its value. */
  private changeList(isSecret: boolean, change: (list: Listed[]) => Listed[], server?: string): Promise<void> {
    return this.changing.run(async () => {
      const before = await this.readList(isSecret);
      const list = change(before);
      if (JSON.stringify(list) === JSON.stringify(before)) return;
      // The state of a workspace and the secrets of all workspaces have lists of their own.
      if (isSecret) await this.ports.secrets.set(listKey, JSON.stringify(list), server);
      else await this.ports.state.set(listKey, list, server);
    });
  }

  private async readList(isSecret: boolean): Promise<Listed[]> {
    const list = isSecret ? parse(await this.ports.secrets.get(listKey)) : this.ports.state.get(listKey);
    return Array.isArray(list) ? list.filter(isListed).map((listed) => ({ ...listed, isSecret })) : [];
  }
}

/** The definition of an input of this server; throws `bad-configuration` where its source has none. */
export function inputOf({ name, source, inputs }: ServerEntry, id: string): InputDefinition {
  const input = inputs.find((candidate) => candidate.id === id);
  if (!input)
    throw new HostError(
      'bad-configuration',
      `"${name}" uses \${input:${id}}, but ${source.label} has no input "${id}".`,
      {
        data: { problem: 'no-input', subject: id, source: source.label },
        hint: 'Add it to "inputs" in the file.',
      },
    );
  return input;
}

function placeOf({ source }: ServerEntry): string {
  return source.folderPath === undefined ? source.label : `${source.label} · ${source.folderPath}`;
}

/**
 * A value belongs to those it was given to: where a file or a setting of the workspace, or the environment, leads to
 * another address or another program, it is asked for again (security requirement S4). What users write into their own
 * settings is theirs, as long as the workspace fills in nothing there.
 */
function inputKey({ source, id: server, definition }: ServerEntry, id: string, leading: LeadingValues): string {
  const isOwn = source.kind === 'user' && leading.size === 0;
  const values = leading.size === 0 ? [] : [Object.fromEntries(leading)];
  const receiver = isOwn
    ? ''
    : `/${createHash('sha256')
        .update(canonicalJson([receiverOf(definition), ...values]))
        .digest('base64url')
        .slice(0, 22)}`;
  return `mcpDeck.input/${source.id}/${server}/${id}${receiver}`;
}

function isListed(value: unknown): value is Listed {
  return (
    isObject(value) &&
    [value['key'], value['server'], value['input'], value['place']].every((field) => typeof field === 'string')
  );
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Names are lost, no values: each is listed again when it is given again.
    return undefined;
  }
}

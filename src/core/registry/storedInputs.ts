/**
 * The values that the user entered for `${input:…}`: passwords in secret storage, other values in the workspace's
 * state. The content of a store cannot be enumerated, so each store contains a list of the names in it, never of the
 * values. The list is used only to find values that no configured server needs any longer. For configured servers, the
 * keys are computed, so that a value is found whether or not it is listed.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, parsedJson } from '../base/jsonText.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { Sequencer } from '../base/sequencer.js';
import type { ReceiverValues } from '../config/receiver.js';
import { inputsOfFiles } from '../config/definitionPaths.js';
import { receiverOf } from '../config/receiver.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import type { SecretStore, StateStore } from '../base/stores.js';
import type { ServerEntry } from './serverEntry.js';

/** A stored value as it may be shown: everything except the value itself. */
export interface StoredInput {
  /** The key under which the value is stored. */
  readonly key: string;
  /** True if the value is in secret storage, false if it is in the state of the workspace. */
  readonly isSecret: boolean;
  /** The ID of the server that the value is for. */
  readonly server: string;
  /** The ID of the input. */
  readonly input: string;
  /** Where the server is or was defined, for display. */
  readonly place: string;
  /**
   * False if no current server uses the value: the server was removed, its program or URL changed, or its folder is not
   * open.
   */
  readonly isUsed: boolean;
}

/**
 * A store that can keep a value in memory for this window, even if the value cannot be stored. `server` is the name for
 * messages.
 */
type WindowStore<S extends { set(key: string, value: never): Promise<void> }, T> = Omit<S, 'set'> & {
  set(key: string, value: T, server?: string): Promise<void>;
  keep?(key: string, value: T): void;
};

/** The facts about a value that the list contains. */
type Listed = Omit<StoredInput, 'isUsed'>;

/** The key of the list in each of the two stores. */
const listKey = 'mcpDeck.inputs';

export class StoredInputs {
  private readonly changing = new Sequencer();
  /**
   * For each key, the latest `set` whose value is not stored yet. `forget` removes it, so that the value is not stored
   * afterwards.
   */
  private readonly storing = new Map<string, symbol>();

  /**
   * @param receiverValues the current values of the variables that determine a server's program or URL
   * (`config/receiver.ts`).
   */
  constructor(
    private readonly ports: { secrets: WindowStore<SecretStore, string>; state: WindowStore<StateStore, unknown> },
    private readonly receiverValues: (entry: ServerEntry, input: string) => Promise<ReceiverValues>,
  ) {}

  /**
   * The value of an input of this server, or undefined. Rejects with `bad-configuration` if the server's source does
   * not define the input.
   * @param given the values of these variables that the start uses. Default: the current values.
   */
  async get(entry: ServerEntry, id: string, given?: ReceiverValues): Promise<string | undefined> {
    return this.read(await this.listedOf(entry, id, given));
  }

  /**
   * Stores a value. It is available in this window at once. A value for a scratch server is kept in memory only, until
   * the window closes. Rejects with the same error as `get`.
   */
  async set(entry: ServerEntry, id: string, value: string, given?: ReceiverValues): Promise<void> {
    const listed = await this.listedOf(entry, id, given);
    const { secrets, state } = this.ports;
    const latest = Symbol(listed.key);
    this.storing.set(listed.key, latest);
    if (listed.isSecret) secrets.keep?.(listed.key, value);
    else state.keep?.(listed.key, value);
    if (entry.source.kind === 'scratch') return;
    // The list is written first, because a name without a value is ignored, but a value without a name could not be
    // found. An unreadable list is not overwritten; the values of configured servers are found without it.
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

  /** All stored values: first those that these servers use, then the others. */
  async list(entries: readonly ServerEntry[]): Promise<StoredInput[]> {
    const used: StoredInput[] = [];
    for (const entry of entries) {
      const ofFiles = inputsOfFiles(entry.definition);
      const isOfFile = ({ id }: InputDefinition) => ofFiles.has(id);
      // All inputs in the paths of files have the same receiver, and all others.
      for (const inputs of [entry.inputs.filter(isOfFile), entry.inputs.filter((input) => !isOfFile(input))]) {
        const [first] = inputs;
        const given = first && (await this.receiverValues(entry, first.id));
        for (const { id } of inputs) used.push({ ...(await this.listedOf(entry, id, given)), isUsed: true });
      }
    }
    const storeAndKey = ({ key, isSecret }: Listed) => `${isSecret}/${key}`;
    const usedKeys = new Set(used.map(storeAndKey));
    const isUsed = (other: Listed) => usedKeys.has(storeAndKey(other));
    const unused = [...(await this.readList(true)), ...(await this.readList(false))]
      .filter((listed) => !isUsed(listed))
      .map((listed) => ({ ...listed, isUsed: false }));
    const values = await Promise.all(
      [...used, ...unused].map(async (stored) => ((await this.read(stored)) === undefined ? [] : [stored])),
    );
    return values.flat();
  }

  /** Deletes a value. The next start that needs it asks the user again. */
  async forget({ key, isSecret }: Pick<StoredInput, 'key' | 'isSecret'>): Promise<void> {
    this.storing.delete(key);
    if (isSecret) await this.ports.secrets.delete(key);
    else await this.ports.state.set(key, undefined);
    await this.changeList(isSecret, (list) => list.filter((listed) => listed.key !== key));
  }

  /**
   * Moves a value to an input of this server. Resolves to false if the value no longer exists. Rejects with the same
   * error as `set`; the value then stays where it is.
   */
  async moveTo(stored: Pick<StoredInput, 'key' | 'isSecret'>, entry: ServerEntry, id: string): Promise<boolean> {
    const value = await this.read(stored);
    if (value === undefined) return false;
    await this.set(entry, id, value);
    if ((await this.listedOf(entry, id)).key !== stored.key) await this.forget(stored);
    return true;
  }

  private async listedOf(entry: ServerEntry, id: string, given?: ReceiverValues): Promise<Listed> {
    const input = inputOf(entry, id);
    const key = inputKey(entry, id, given ?? (await this.receiverValues(entry, id)));
    return { key, isSecret: input.password === true, server: entry.id, input: id, place: placeOf(entry) };
  }

  private async read({ key, isSecret }: Pick<StoredInput, 'key' | 'isSecret'>): Promise<string | undefined> {
    const value = isSecret ? await this.ports.secrets.get(key) : this.ports.state.get(key);
    return typeof value === 'string' ? value : undefined;
  }

  /**
   * Changes one of the two lists. If two windows change it at the same moment, a name may be lost, but never a value.
   */
  private changeList(isSecret: boolean, change: (list: Listed[]) => Listed[], server?: string): Promise<void> {
    return this.changing.run(async () => {
      const before = await this.readList(isSecret);
      const list = change(before);
      if (JSON.stringify(list) === JSON.stringify(before)) return;
      // The state of a workspace and the secrets, which all workspaces share, have separate lists.
      if (isSecret) await this.ports.secrets.set(listKey, JSON.stringify(list), server);
      else await this.ports.state.set(listKey, list, server);
    });
  }

  private async readList(isSecret: boolean): Promise<Listed[]> {
    // If the text is not JSON, only names are lost, not values. A name is listed again when its value is entered again.
    const list = isSecret ? parsedJson(await this.ports.secrets.get(listKey)) : this.ports.state.get(listKey);
    return Array.isArray(list) ? list.filter(isListed).map((listed) => ({ ...listed, isSecret })) : [];
  }
}

/** The definition of an input of this server; throws `bad-configuration` if the server's source does not define it. */
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
 * The key for a value of a server. It binds the value to the program or URL that receives it. If a file or a setting of
 * the workspace, or an environment variable, changes the program or the URL, the user is asked again (security
 * requirement S4). A change in the user's own settings is the user's decision, unless the changed definition contains a
 * value from the workspace.
 */
function inputKey(entry: ServerEntry, input: string, given: ReceiverValues): string {
  const { source, id: server, definition } = entry;
  const isOwn = source.kind === 'user' && given.size === 0;
  const values: unknown[] = given.size === 0 ? [] : [Object.fromEntries(given)];
  // A value that the file determined must not count as typed by the user when the file changes the input.
  const origin = originOf(inputOf(entry, input));
  if (origin !== 'typed') values.push({ origin });
  const receiver = isOwn
    ? ''
    : `/${createHash('sha256')
        .update(canonicalJson([receiverOf(definition), ...values]))
        .digest('base64url')
        .slice(0, 22)}`;
  return `${keysOf(source.id)}${keyPart(server)}/${keyPart(input)}${receiver}`;
}

/** Where the values of an input come from: only those that are typed into an empty box are certainly the user's own. */
function originOf({ type, default: initial }: InputDefinition): string {
  return type !== 'promptString' ? type : initial === undefined ? 'typed' : 'default';
}

/** A name without slashes, so that no two pairs of a server and an input have the same key. */
function keyPart(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** Whether a value is stored for a server of this source. */
export function isOfSource({ key }: Pick<StoredInput, 'key'>, sourceId: string): boolean {
  return key.startsWith(keysOf(sourceId));
}

/** The beginning of the keys of all servers of a source. */
function keysOf(sourceId: string): string {
  return `mcpDeck.input/${sourceId}/`;
}

function isListed(value: unknown): value is Listed {
  return (
    isObject(value) &&
    [value['key'], value['server'], value['input'], value['place']].every((field) => typeof field === 'string')
  );
}

/** The values of inputs (`${input:id}`): stored values, and values that the user types during a start. */
import { HostError, messageOf } from '../base/hostError.js';
import type { ReceiverValues } from '../config/receiver.js';
import { receiverValues } from '../config/receiver.js';
import { inputsOfFiles } from '../config/definitionPaths.js';
import { fileDigest, inspectStart } from '../config/startFacts.js';
import { noteServer } from '../present/failure/failureText.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { StoredInputs, inputOf } from '../registry/storedInputs.js';
import type { StartTimeBudget } from '../base/startTimeBudget.js';
import type { KeptPorts } from './keptStores.js';
import type { LocalProcesses } from './localProcesses.js';
import type { Preparation } from './startPreparation.js';
import { beginPreparation, silent } from './startPreparation.js';

export class StartInputs {
  /** The values that the user typed. */
  readonly stored: StoredInputs;

  constructor(
    private readonly ports: KeptPorts,
    private readonly processes: Pick<LocalProcesses, 'searchOf'>,
  ) {
    this.stored = new StoredInputs(ports, (entry, id) => this.currentReceiver(entry, id));
  }

  /**
   * The value of an input during a start. The user is asked once, and then the value is stored. Rejects with
   * `needs-input` if the user may not be asked, and with `cancelled` if they enter nothing. If secret storage could not
   * be read, rejects with `storage-failed` in both cases. The inputs in the path of the environment file come before all
   * others, because the content of that file decides whether a stored value of another input is used.
   */
  async value(entry: ServerEntry, id: string, start: Preparation): Promise<{ value: string; isSecret: boolean }> {
    const ofFiles = inputsOfFiles(entry.definition);
    if (!ofFiles.has(id)) for (const other of ofFiles) await this.value(entry, other, start);
    const isSecret = inputOf(entry, id).password === true;
    const known = start.inputs.get(id);
    if (known !== undefined) return { value: known, isSecret };
    const given = await this.receiverValues(entry, id, start);
    const value = await this.newValue(entry, id, start, given, isSecret);
    start.inputs.set(id, value);
    return { value, isSecret };
  }

  private async newValue(
    entry: ServerEntry,
    id: string,
    start: Preparation,
    given: ReceiverValues,
    isSecret: boolean,
  ): Promise<string> {
    const { value: stored, problem } = await this.storedInput(entry, id, start, isSecret, given);
    if (stored !== undefined) return stored;
    if (problem) {
      if (!start.isInteractive) throw problem;
      // A locked or unresponsive store must not prevent the start. The user is notified and can enter the value.
      this.ports.secrets.report(problem);
      return this.typedInput(entry, id, start.time, given, problem);
    }
    if (!start.isInteractive)
      throw new HostError('needs-input', `needs a value for "${id}"`, {
        data: { input: id },
      });
    return this.typedInput(entry, id, start.time, given);
  }

  /**
   * The stored value, or the reason that it could not be read. After a failure, the store is not read again during this
   * preparation.
   */
  private async storedInput(
    entry: ServerEntry,
    id: string,
    start: Preparation,
    isSecret: boolean,
    given: ReceiverValues,
  ): Promise<{ value?: string | undefined; problem?: HostError }> {
    if (isSecret && start.problem) return { problem: start.problem };
    try {
      return {
        value: await start.time.step(
          () => this.stored.get(entry, id, given),
          (waitedMs) => silent(entry, 'Secret storage', waitedMs, 'secrets'),
        ),
      };
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'storage-failed') throw error;
      noteServer(error, entry.id);
      start.problem = error;
      return { problem: error };
    }
  }

  /**
   * Asks for the value during a start. The start does not wait until the value is stored.
   * @param instead the error that explains why the value is requested; thrown if the user enters nothing.
   */
  private async typedInput(
    entry: ServerEntry,
    id: string,
    time: StartTimeBudget,
    given: ReceiverValues,
    instead?: HostError,
  ): Promise<string> {
    const value = await time.question(() => this.ports.inputs.ask(inputOf(entry, id), entry.name));
    if (value === undefined) throw instead ?? noValue(id);
    this.stored
      .set(entry, id, value, given)
      .catch((error: unknown) =>
        this.ports.log.write('warn', `The value of "${id}" of "${entry.id}" could not be stored: ${messageOf(error)}`),
      );
    return value;
  }

  /**
   * Asks for the value of an input, even if one is stored, and stores it. Rejects with `cancelled` when the user
   * cancels.
   */
  async ask(entry: ServerEntry, id: string): Promise<string> {
    const value = await this.ports.inputs.ask(inputOf(entry, id), entry.name);
    if (value === undefined) throw noValue(id);
    await this.stored.set(entry, id, value);
    return value;
  }

  /** The values that determine which program or address receives the input, as a start would resolve them now. */
  private async currentReceiver(entry: ServerEntry, id: string): Promise<ReceiverValues> {
    const start = beginPreparation(this.ports, entry, false);
    const ofFiles = inputsOfFiles(entry.definition);
    if (!ofFiles.has(id))
      for (const other of ofFiles) {
        // A value that cannot be read is asked for at the start, which reports the reason.
        const stored = await this.stored.get(entry, other).catch(() => undefined);
        if (stored !== undefined) start.inputs.set(other, stored);
      }
    return this.receiverValues(entry, id, start);
  }

  /**
   * The values that determine which program or address receives the input, as this start resolves them. For a server of
   * a workspace, the content of its environment file is one of them, because it may contain an address, and for a
   * remote server, that of the file with the trusted authorities. If files of the workspace can decide what a server
   * from the user settings runs, the workspace folder is one of these values: a value that was typed for one workspace
   * is not given to the program of another one. An input in the path of a file does not depend on that file.
   */
  private async receiverValues(entry: ServerEntry, input: string, start: Preparation): Promise<ReceiverValues> {
    const { id, definition, source } = entry;
    const { context, time } = start;
    const inputs = inputsOfFiles(definition).has(input) ? new Map<string, string>() : start.inputs;
    const isOfUser = source.kind === 'user';
    const values = await receiverValues(definition, isOfUser, context, (key) =>
      this.ports.machine.isSetByWorkspace(key),
    );
    if (!isOfUser) {
      const digest = await time.steps(() => fileDigest(definition, source, { ...context, inputs }));
      const name = definition.type === 'stdio' ? 'envFile' : 'caFile';
      return digest === undefined ? values : new Map([...values, [name, digest]]);
    }
    const search = this.processes.searchOf(entry, time);
    const { isInfluencedByWorkspace, facts } = await time.steps(() =>
      inspectStart({ id, definition, source, values, search, inputs, declared: entry.inputs }, context),
    );
    if (isInfluencedByWorkspace !== true) return values;
    return new Map([...values, ['workspaceFolder', facts.leadingFolder ?? context.folderPath ?? '']]);
  }
}

function noValue(id: string): HostError {
  return new HostError('cancelled', `No value was given for "${id}".`);
}

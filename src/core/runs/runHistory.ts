/**
 * The runs in this workspace and the favorites. Both are limited in number and size. They are stored in an index file
 * for the lists and one text file per result. Secrets are removed before anything is stored. An unreadable index is
 * renamed, never overwritten.
 */
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Log } from '../base/log.js';
import { Sequencer } from '../base/sequencer.js';
import { jsonText } from '../base/jsonText.js';
import { maskPieces, maskText, maskValue } from '../base/masking.js';
import type { Favourite, RunRecord } from './runRecord.js';
import { historyVersion, readHistoryIndex } from './runRecord.js';

/** The storage of the history. An `id` consists of letters, digits and dashes. */
export interface HistoryFiles {
  /** The text of the index; undefined if there is none yet. */
  readIndex(): Promise<string | undefined>;
  /** Replaces the whole index atomically: a reader sees either the old index or the new one. */
  writeIndex(text: string): Promise<void>;
  /** Renames an unreadable index; returns its new name. */
  setIndexAside(): Promise<string>;
  writeText(id: string, pieces: Iterable<string>): Promise<void>;
  /** The text of a result; undefined if it no longer exists. */
  readText(id: string): Promise<string | undefined>;
  deleteText(id: string): Promise<void>;
  /** The IDs of all texts. */
  texts(): Promise<string[]>;
}

export interface HistoryLimits {
  /** Maximum number of runs; default 200. */
  maxRuns?: number;
  /** Maximum number of these runs that agents requested; default 100. */
  maxAgentRuns?: number;
  /** Maximum number of favorites; default 200. */
  maxFavourites?: number;
  /** Maximum number of characters of the index entries of all runs; default 1,000,000. */
  maxIndexLength?: number;
  /**
   * Maximum number of characters of the JSON of all arguments of a run; arguments beyond it are not stored. Default
   * 20,000.
   */
  maxArgumentsLength?: number;
  /**
   * Maximum number of characters of one result's text; the rest is cut off and the cut is marked. Default 1,000,000.
   */
  maxTextLength?: number;
  /** Maximum number of characters of all texts together; default 20,000,000. */
  maxTextsLength?: number;
}

/** A run that ended, as reported to the history. */
export interface EndedRun extends Omit<RunRecord, 'omitted' | 'textLength'> {
  /** Names of arguments that are secret. */
  secretArguments: ReadonlySet<string>;
  /** Values that must not be stored anywhere. */
  secrets: readonly string[];
  /** The text of the result; read once, after the run was reported. */
  text?: () => Iterable<string>;
}

const maxSummaryLength = 300;
const maxNameLength = 100;

export class RunHistory implements Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly limits: Required<HistoryLimits>;
  private readonly writing = new Sequencer();
  private readonly opening: Promise<void>;
  private records: RunRecord[] = [];
  private named: Favourite[] = [];
  private isWriteQueued = false;
  /** Whether the stored index has been read. The index must not be written before that. */
  private isRead = false;
  /** Why the last write of the index failed; undefined if it succeeded. */
  private failure: unknown;

  constructor(
    private readonly files: HistoryFiles,
    private readonly log: Log,
    {
      maxRuns = 200,
      maxAgentRuns = 100,
      maxFavourites = 200,
      maxIndexLength = 1_000_000,
      maxArgumentsLength = 20_000,
      maxTextLength = 1_000_000,
      maxTextsLength = 20_000_000,
    }: HistoryLimits = {},
  ) {
    this.limits = {
      maxRuns,
      maxAgentRuns,
      maxFavourites,
      maxIndexLength,
      maxArgumentsLength,
      maxTextLength,
      maxTextsLength,
    };
    this.opening = this.read();
  }

  /** Resolves when the stored index has been read and the lists are complete. */
  whenRead(): Promise<void> {
    return this.opening;
  }

  /** All runs, newest first. */
  runs(): readonly RunRecord[] {
    return this.records;
  }

  favourites(): readonly Favourite[] {
    return this.named;
  }

  run(id: string): RunRecord | undefined {
    return this.records.find((record) => record.id === id);
  }

  favourite(id: string): Favourite | undefined {
    return this.named.find((favourite) => favourite.id === id);
  }

  /** The latest run of the same tool before `startedAt` that had a result. */
  previousOf(server: string, tool: string, startedAt: number): RunRecord | undefined {
    return this.records.find(
      (record) =>
        record.server === server &&
        record.tool === tool &&
        record.startedAt < startedAt &&
        (record.outcome === 'done' || record.outcome === 'error'),
    );
  }

  add(run: EndedRun): void {
    const { secretArguments, secrets, text, ...facts } = run;
    const { kept, omitted } = this.keepable(run.arguments, secretArguments, secrets);
    const record: RunRecord = {
      ...maskedTexts(facts, secrets),
      arguments: kept,
      omitted,
      summary: visibleLine(maskText(run.summary, secrets), maxSummaryLength),
      textLength: 0,
    };
    this.records = [record, ...this.records];
    this.trim();
    this.changed.fire();
    if (text) void this.keepText(record, text, secrets);
    this.writeSoon();
  }

  /** The text of a run's result; undefined if it is not stored. */
  resultText(id: string): Promise<string | undefined> {
    return this.files.readText(id);
  }

  /** The arguments that may be stored, and the names of those that may not. */
  keepable(
    values: Record<string, unknown>,
    secretArguments: ReadonlySet<string>,
    secrets: readonly string[],
  ): { kept: Record<string, unknown>; omitted: string[] } {
    const omitted: string[] = [];
    const kept: [string, unknown][] = [];
    let room = this.limits.maxArgumentsLength;
    for (const [name, value] of Object.entries(values)) {
      const length = secretArguments.has(name) ? Infinity : jsonText(value).length + name.length;
      // A masked value differs from the value that was sent, so the argument is omitted. A long one is not copied.
      const shownName = maskText(name, secrets);
      if (length > room || shownName !== name || jsonText(maskValue(value, secrets)) !== jsonText(value))
        omitted.push(shownName);
      else {
        room -= length;
        kept.push([name, value]);
      }
    }
    return { kept: Object.fromEntries(kept), omitted: omitted.slice(0, 100) };
  }

  removeRun(id: string): void {
    this.records = this.records.filter((record) => record.id !== id);
    this.forgetText(id);
    this.tell();
  }

  /** Deletes all runs. Favorites are kept. */
  clear(): void {
    for (const { id } of this.records) this.forgetText(id);
    this.records = [];
    this.tell();
  }

  /** Stores a call under a name; replaces a favorite with the same name. */
  addFavourite(
    id: string,
    name: string,
    call: Pick<RunRecord, 'server' | 'tool' | 'arguments' | 'omitted'>,
  ): Favourite {
    const clean = visibleLine(name, maxNameLength);
    const { server, tool, arguments: values, omitted } = call;
    const favourite: Favourite = {
      id,
      name: clean === '' ? visibleLine(tool, maxNameLength) : clean,
      server,
      tool,
      arguments: values,
      omitted,
    };
    const others = this.named.filter((other) => other.name !== favourite.name);
    this.named = [...others.slice(0, this.limits.maxFavourites - 1), favourite];
    this.tell();
    return favourite;
  }

  renameFavourite(id: string, name: string): void {
    const clean = visibleLine(name, maxNameLength);
    if (clean === '') return;
    this.named = this.named.map((favourite) => (favourite.id === id ? { ...favourite, name: clean } : favourite));
    this.tell();
  }

  removeFavourite(id: string): void {
    this.named = this.named.filter((favourite) => favourite.id !== id);
    this.tell();
  }

  /** Resolves when all changes so far have been written, or could not be written. */
  async flush(): Promise<void> {
    do await this.writing.run(() => Promise.resolve());
    while (this.isWriteQueued);
  }

  /** Resolves when all changes so far have been written. Rejects with the reason if they could not be written. */
  async saved(): Promise<void> {
    await this.flush();
    if (this.failure !== undefined)
      throw this.failure instanceof Error ? this.failure : new Error(messageOf(this.failure));
  }

  dispose(): void {
    this.changed.dispose();
  }

  private tell(): void {
    this.changed.fire();
    this.writeSoon();
  }

  private async read(): Promise<void> {
    try {
      const text = await this.files.readIndex();
      this.isRead = true;
      if (text !== undefined) {
        const index = readHistoryIndex(text);
        if (index) {
          // Runs that ended while the file was being read are newer.
          this.records = [...this.records, ...index.runs];
          this.named = [...index.favourites, ...this.named].slice(0, this.limits.maxFavourites);
        } else {
          const name = await this.files.setIndexAside();
          this.log.write(
            'warn',
            `The history of runs could not be read. It was renamed to "${name}", and a new one was started.`,
          );
        }
      }
      this.trim();
      const known = new Set(this.records.map(({ id }) => id));
      for (const id of await this.files.texts()) if (!known.has(id)) this.forgetText(id);
    } catch (error) {
      this.log.write('warn', `The history of runs could not be read: ${messageOf(error)}`);
    }
    this.changed.fire();
  }

  private async keepText(record: RunRecord, text: () => Iterable<string>, secrets: readonly string[]): Promise<void> {
    try {
      await this.writing.run(async () => {
        let length = 0;
        await this.files.writeText(
          record.id,
          counted(bounded(maskPieces(text(), secrets), this.limits.maxTextLength), (more) => (length += more)),
        );
        this.records = this.records.map((other) => (other.id === record.id ? { ...other, textLength: length } : other));
        this.trim();
        // The text is empty, or the run was removed while the text was written.
        if (length === 0 || !this.run(record.id)) this.forgetText(record.id);
        this.tell();
      });
    } catch (error) {
      // The run is kept. Only the text of its result is missing.
      this.log.write(
        'warn',
        `The result of "${visibleLine(record.tool, 80)}" could not be stored: ${messageOf(error)}`,
      );
    }
  }

  /** Removes the oldest runs, or only the texts of their results, until all limits are met. */
  private trim(): void {
    const { maxRuns, maxAgentRuns, maxIndexLength, maxTextsLength } = this.limits;
    let indexLength = 0;
    let textsLength = 0;
    let agentRuns = 0;
    const kept: RunRecord[] = [];
    for (const record of this.records) {
      if (record.client !== undefined && ++agentRuns > maxAgentRuns) {
        this.forgetText(record.id);
        continue;
      }
      indexLength += JSON.stringify(record).length;
      if (kept.length >= maxRuns || (indexLength > maxIndexLength && kept.length > 0)) {
        this.forgetText(record.id);
        continue;
      }
      textsLength += record.textLength;
      if (record.textLength > 0 && textsLength > maxTextsLength) {
        this.forgetText(record.id);
        kept.push({ ...record, textLength: 0 });
      } else kept.push(record);
    }
    this.records = kept;
  }

  private forgetText(id: string): void {
    this.writing
      .run(() => this.files.deleteText(id))
      // A leftover file does no harm, and the next window tries again.
      .catch((error: unknown) =>
        this.log.write('debug', `A text of the history could not be removed: ${messageOf(error)}`),
      );
  }

  /** Combines several changes into one write. */
  private writeSoon(): void {
    if (this.isWriteQueued) return;
    this.isWriteQueued = true;
    this.writing
      .run(async () => {
        // The content of the file is unknown until it has been read.
        await this.opening;
        this.isWriteQueued = false;
        // An index that could not be read must not be overwritten.
        if (!this.isRead) await this.read();
        if (!this.isRead) throw new Error('The existing history could not be read.');
        await this.files.writeIndex(
          JSON.stringify({ version: historyVersion, runs: this.records, favourites: this.named }),
        );
      })
      .then(
        () => (this.failure = undefined),
        (error: unknown) => {
          // A failure is reported once, until a write succeeds. The next change writes the whole index.
          if (this.failure === undefined)
            this.log.write('warn', `The history of runs could not be written: ${messageOf(error)}`);
          this.failure = error;
        },
      );
  }
}

/** The members by which a run is found. They come from MCP Deck and from the configuration, not from a server. */
const exactMembers: ReadonlySet<string> = new Set(['id', 'server', 'outcome', 'digest']);

/** A copy in which all texts except `exactMembers` are masked, because a server can repeat a secret in any of them. */
function maskedTexts<T extends object>(facts: T, secrets: readonly string[]): T {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' && !exactMembers.has(name) ? maskText(value, secrets) : (value as unknown),
    ]),
  ) as T;
}

function* bounded(pieces: Iterable<string>, maxLength: number): Generator<string> {
  let left = maxLength;
  for (const piece of pieces) {
    yield piece.slice(0, left);
    left -= piece.length;
    if (left > 0) continue;
    yield '\n…';
    return;
  }
}

function* counted(pieces: Iterable<string>, count: (length: number) => void): Generator<string> {
  for (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

import type { Clock } from '../base/clock.js';
import { delay, systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { ListKind } from '../session/codec.js';
import type { Listing } from '../session/listing.js';
import type { McpSession } from '../session/mcpSession.js';
import { ServerSkills } from '../skills/serverSkills.js';
import type { FailedList, ServerFeatures } from './serverFeatures.js';

/**
 * Delay between a change notification and the new listing, in milliseconds, so that several notifications cause one
 * listing. It is doubled each time a listing is followed by another change.
 */
const debounceMs = 300;
const maxDebounceMs = 30_000;

/** Time after a listing, in milliseconds, within which a change is assumed to be caused by the listing. */
const echoMs = 1_000;

const maxWarnings = 50;

/**
 * The current features of one running server. Everything is listed once after the handshake; a list is loaded again
 * when the server reports a change. A list that fails is empty, with a reason; the other lists are not affected.
 */
export class ServerCatalog implements Disposable {
  private readonly lists: Pick<ServerFeatures, 'tools' | 'resources' | 'resourceTemplates' | 'prompts'> = {
    tools: [],
    resources: [],
    resourceTemplates: [],
    prompts: [],
  };
  /** The skills, with the verification of their files; undefined when the server does not support skills. */
  readonly skills: ServerSkills | undefined;
  private skillsProblem: string | undefined;
  private readonly warnings = new Map<string, string[]>();
  private readonly failed = new Map<ListKind, FailedList>();
  private readonly refreshes: Record<ListKind, Refresh>;
  private readonly abort = new AbortController();
  private snapshot: ServerFeatures | undefined;

  /** @param onDidChange called after a list was replaced, never while it is being replaced. */
  constructor(
    private readonly session: McpSession,
    private readonly onDidChange: () => void,
    private readonly log: (line: string) => void,
    private readonly clock: Clock = systemClock,
  ) {
    const skills = new ServerSkills(session, () => this.changed());
    if (skills.isOffered) this.skills = skills;
    const make = (kind: ListKind) => new Refresh(clock, () => this.list(kind).then(() => this.changed()));
    this.refreshes = { tools: make('tools'), resources: make('resources'), prompts: make('prompts') };
  }

  /** A frozen snapshot. It stays the same object until something changes. */
  get offer(): ServerFeatures {
    const { skills, skillsProblem: problem } = this;
    this.snapshot ??= {
      identity: this.session.identity,
      ...this.lists,
      ...(skills ? { skills: { entries: skills.entries, ...(problem === undefined ? {} : { problem }) } } : {}),
      ...(this.failed.size === 0 ? {} : { failedLists: [...this.failed.values()] }),
      warnings: [...this.warnings.values()].flat().slice(0, maxWarnings),
    };
    return this.snapshot;
  }

  /** Loads all lists. Rejects only if the connection ended. */
  async load(): Promise<void> {
    await Promise.all([this.list('tools'), this.list('resources'), this.list('prompts')]);
    this.snapshot = undefined;
  }

  /** Schedules a new listing after a change notification; several notifications cause one listing. */
  scheduleRefresh(kind: ListKind): void {
    this.refreshes[kind].request();
  }

  /** Loads all lists again now. */
  async refresh(): Promise<void> {
    await this.load();
    this.changed();
  }

  dispose(): void {
    this.abort.abort(new HostError('cancelled', 'The server was stopped.'));
    for (const refresh of Object.values(this.refreshes)) refresh.dispose();
  }

  private changed(): void {
    this.snapshot = undefined;
    if (!this.abort.signal.aborted) this.onDidChange();
  }

  private async list(kind: ListKind): Promise<void> {
    const warnings: string[] = [];
    const { session } = this;
    const { signal } = this.abort;
    const fetch = async <T>(what: string, get: () => Promise<Listing<T>>): Promise<readonly T[]> => {
      try {
        const { items } = await this.patiently(get);
        this.failed.delete(kind);
        return items;
      } catch (error) {
        const reason = this.listingFailed(what, error);
        const warning = `${what} could not be listed: ${reason}`;
        warnings.push(warning);
        this.failed.set(kind, {
          list: kind,
          reason,
          warning,
          isUnknown: error instanceof ProtocolError && error.code === ErrorCode.methodNotFound,
        });
        return [];
      }
    };
    switch (kind) {
      case 'tools':
        this.lists.tools = await fetch('Tools', () => session.listTools(signal));
        break;
      case 'prompts':
        this.lists.prompts = await fetch('Prompts', () => session.listPrompts(signal));
        break;
      case 'resources':
        // The files of skills are resources. No notification exists for changed skills, so a change of the resources
        // may be a change of the skills.
        [this.lists.resources, this.lists.resourceTemplates] = await Promise.all([
          fetch('Resources', () => session.listResources(signal)),
          session.identity.capabilities.resources ? this.templates(warnings) : [],
          this.listSkills(warnings),
        ]);
        break;
    }
    this.warnings.set(kind, warnings);
  }

  /** Rethrows an error that ends the connection. Logs other errors, and returns why the list is missing. */
  private listingFailed(what: string, error: unknown): string {
    if (
      this.abort.signal.aborted ||
      this.session.isClosed ||
      (error instanceof HostError && (error.code === 'closed' || error.code === 'exited'))
    )
      throw error;
    const reason = `${visibleLine(messageOf(error))}${error instanceof ProtocolError ? ` (code ${error.code})` : ''}`;
    this.log(`${what} could not be listed: ${reason}`);
    return reason;
  }

  /**
   * Lists the skills. If the listing fails, the skills of the previous listing are kept, and their files are still
   * verified.
   */
  private async listSkills(warnings: string[]): Promise<void> {
    const { skills } = this;
    if (!skills) return;
    try {
      await this.patiently(() =>
        skills.list(this.abort.signal, (line) => warnings.length < maxWarnings && warnings.push(line)),
      );
      this.skillsProblem = undefined;
    } catch (error) {
      this.skillsProblem = this.listingFailed('Skills', error);
    }
  }

  /**
   * Lists the resource templates. Many servers declare resources but do not implement templates, so their refusal is
   * not reported.
   */
  private async templates(warnings: string[]): Promise<ServerFeatures['resourceTemplates']> {
    try {
      return (await this.patiently(() => this.session.listResourceTemplates(this.abort.signal))).items;
    } catch (error) {
      if (this.abort.signal.aborted || this.session.isClosed) throw error;
      if (!(error instanceof ProtocolError))
        warnings.push(`Resource templates could not be listed: ${visibleLine(messageOf(error))}`);
      return [];
    }
  }

  /**
   * Sends a list request, and repeats it if the server is busy (429, 5xx), which is safe because listing changes
   * nothing on the server.
   */
  private async patiently<T>(get: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await get();
      } catch (error) {
        if (attempt >= 2 || !(error instanceof HostError) || error.code !== 'http-status') throw error;
        const { status, retryAfterMs } = error.data;
        if (status !== 429 && status < 500) throw error;
        await delay(
          this.clock,
          retryAfterMs === undefined ? 500 * 2 ** attempt : Math.min(retryAfterMs, 30_000),
          this.abort.signal,
        );
      }
    }
  }
}

/**
 * Runs one listing at a time and queues at most one more. The delays increase for servers that report a change after
 * each listing.
 */
class Refresh implements Disposable {
  private timer: Disposable | undefined;
  private isRunning = false;
  private isAsked = false;
  private isDisposed = false;
  private waitMs = debounceMs;
  private endedAt = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly run: () => Promise<void>,
  ) {}

  request(): void {
    if (this.isDisposed) return;
    if (this.isRunning) {
      this.isAsked = true;
      return;
    }
    if (this.timer) return;
    this.waitMs = this.clock.now() - this.endedAt < echoMs ? Math.min(this.waitMs * 2, maxDebounceMs) : debounceMs;
    this.timer = this.clock.after(this.waitMs, () => {
      this.timer = undefined;
      this.isRunning = true;
      // Failures are already warnings of the catalog. The only other error is the end of the connection, which is
      // reported elsewhere.
      void this.run()
        .catch(() => undefined)
        .finally(() => {
          this.isRunning = false;
          this.endedAt = this.clock.now();
          if (this.isAsked) {
            this.isAsked = false;
            this.request();
          }
        });
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
  }
}

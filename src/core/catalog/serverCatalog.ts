import type { ListKind } from '../protocol/mcp.js';
import type { Clock } from '../base/clock.js';
import { delay, systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { FetchedList } from '../session/listing.js';
import type { McpSession } from '../session/mcpSession.js';
import { ServerSkills } from '../skills/serverSkills.js';
import { ListFreshness } from './listFreshness.js';
import { ListPace } from './listPace.js';
import type { FailedList, ServerFeatures } from './serverFeatures.js';

/** Delay between a change notification and the new listing, ms, so that several notifications cause one listing. */
const debounceMs = 300;

const maxWarnings = 50;

/**
 * The current features of one running server. Everything is listed once after the handshake. A list is loaded again
 * when the server reports a change, and when it is used after its `ttlMs` has passed. A list that cannot be loaded is
 * empty and has a reason, except for a list that was only stale, which is kept. The other lists are not affected.
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
  private readonly freshness: ListFreshness;
  /** The stale lists whose next listing keeps the old list if it fails. */
  private readonly revalidated = new Set<ListKind>();
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
    this.freshness = new ListFreshness(clock);
    const make = (kind: ListKind) =>
      new Refresh(clock, () => this.list(kind, this.revalidated.delete(kind)).then(() => this.changed()));
    this.refreshes = { tools: make('tools'), resources: make('resources'), prompts: make('prompts') };
  }

  /** An immutable snapshot. It stays the same object until something changes. */
  get features(): ServerFeatures {
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
    this.revalidated.delete(kind);
    this.refreshes[kind].request();
  }

  /**
   * Called when a list is shown or used. Schedules a new listing if the list is stale; the caller continues with the
   * present list. No timer refreshes the lists of an idle server.
   */
  noteUse(kind: ListKind): void {
    if (!this.freshness.takeStale(kind)) return;
    this.revalidated.add(kind);
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

  /**
   * @param isRevalidation whether the present list is complete but stale. Such a list is kept if the new listing fails.
   */
  private async list(kind: ListKind, isRevalidation = false): Promise<void> {
    const warnings: string[] = [];
    const ttls: number[] = [];
    const { session } = this;
    const { signal } = this.abort;
    const fetch = async <T>(
      what: string,
      get: () => Promise<FetchedList<T>>,
      present: readonly T[],
    ): Promise<readonly T[]> => {
      try {
        const { items, ttlMs, missing } = await this.patiently(get);
        ttls.push(ttlMs);
        warnings.push(...missing);
        this.failed.delete(kind);
        return items;
      } catch (error) {
        const reason = this.listingFailed(what, error);
        if (isRevalidation) return present;
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
        this.lists.tools = await fetch('Tools', () => session.listTools(signal), this.lists.tools);
        break;
      case 'prompts':
        this.lists.prompts = await fetch('Prompts', () => session.listPrompts(signal), this.lists.prompts);
        break;
      case 'resources':
        // The files of skills are resources. No notification exists for changed skills, so a change of the resources
        // may be a change of the skills.
        [this.lists.resources, this.lists.resourceTemplates] = await Promise.all([
          fetch('Resources', () => session.listResources(signal), this.lists.resources),
          session.identity.capabilities.resources ? this.templates(warnings, ttls, isRevalidation) : [],
          this.listSkills(warnings),
        ]);
        break;
    }
    this.warnings.set(kind, warnings);
    if (isRevalidation && ttls.length === 0) this.freshness.failed(kind);
    else this.freshness.fetched(kind, ttls);
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

  /** Many servers declare resources but do not implement templates, so an error response is not reported. */
  private async templates(
    warnings: string[],
    ttls: number[],
    isRevalidation: boolean,
  ): Promise<ServerFeatures['resourceTemplates']> {
    try {
      const found = await this.patiently(() => this.session.listResourceTemplates(this.abort.signal));
      const { items, ttlMs, missing } = found;
      ttls.push(ttlMs);
      warnings.push(...missing);
      return items;
    } catch (error) {
      if (this.abort.signal.aborted || this.session.isClosed) throw error;
      if (isRevalidation) return this.lists.resourceTemplates;
      if (!(error instanceof ProtocolError))
        warnings.push(`Resource templates could not be listed: ${visibleLine(messageOf(error))}`);
      return [];
    }
  }

  /**
   * Sends a list request, and repeats it if the server is busy (429, 5xx). The repetition is safe, because a list
   * request changes nothing on the server.
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
  private readonly pace: ListPace;

  constructor(
    private readonly clock: Clock,
    private readonly run: () => Promise<void>,
  ) {
    this.pace = new ListPace(clock, debounceMs);
  }

  request(): void {
    if (this.isDisposed) return;
    if (this.isRunning) {
      this.isAsked = true;
      return;
    }
    if (this.timer) return;
    this.timer = this.clock.after(this.pace.next(), () => {
      this.timer = undefined;
      this.isRunning = true;
      // Failures are already warnings of the catalog. The only other error is the end of the connection, which is
      // reported elsewhere.
      void this.run()
        .catch(() => undefined)
        .finally(() => {
          this.isRunning = false;
          this.pace.ended();
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

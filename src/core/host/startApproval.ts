/**
 * The approval of starts. A server starts only in a trusted workspace, and only when the user approved exactly what
 * would run. An approval belongs to the hash of the definition and of the files and values that it refers to.
 */
import { exactText } from '../base/exactText.js';
import { HostError } from '../base/hostError.js';
import { stateKeys } from '../base/stateKeys.js';
import { definitionHash } from '../config/definitionHash.js';
import type { StartDescription } from '../config/describeStart.js';
import { describeStart } from '../config/describeStart.js';
import type { FoundStart } from '../config/startFacts.js';
import { findStart } from '../config/startFacts.js';
import { baseFolder } from '../config/variables.js';
import type { StartContext } from '../config/workspaceValues.js';
import { settingsOf, withValues, workspaceValues } from '../config/workspaceValues.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { debuggedStart } from '../debug/debuggedStart.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { KeptPorts } from './keptStores.js';
import type { Preparation } from './startPreparation.js';

export class StartApproval {
  constructor(private readonly ports: Pick<KeptPorts, 'trust' | 'state' | 'audit' | 'machine'>) {}

  /**
   * Resolves when the start may continue: it needs no approval, was approved before, or the user approves it now.
   * Rejects with `not-trusted`.
   * @param debug present when the server is to be started under a debugger.
   */
  async approve(entry: ServerEntry, { isInteractive, time, context }: Preparation, debug?: DebugPlan): Promise<void> {
    if (entry.source.kind === 'builtin') return;
    const { trust } = this.ports;
    if (!trust.isWorkspaceTrusted())
      throw new HostError('not-trusted', 'This workspace is not trusted.', { data: { isWorkspace: true } });
    const values = await this.workspaceValues(entry, context);
    const needed = await this.neededApproval(entry, context, values);
    if (needed === undefined) return;
    if (!isInteractive) throw notApproved(entry);
    const { hash, found } = needed;
    const description = await this.describe(entry, values, found, debug);
    const answer = await time.question(() => trust.confirmStart(entry, description));
    this.ports.audit?.note({
      event: 'start',
      server: entry.id,
      source: entry.source.label,
      definition: hash.slice(0, 12),
      outcome: answer === 'allow' ? 'allowed' : answer === 'deny' ? 'refused' : 'left',
    });
    if (answer !== 'allow') throw notApproved(entry);
    this.store(hash, entry);
  }

  /**
   * Approves a definition that the user saw in full and chose to start. Does nothing unless the definition is exactly
   * the one that was shown, and nothing else decides what a start does: then the start asks.
   * @param shown the hash of the definition that was shown, without facts.
   */
  async approveShown(entry: ServerEntry, context: StartContext, shown: string): Promise<void> {
    if (entry.hash !== shown || !this.ports.trust.isWorkspaceTrusted()) return;
    const needed = await this.neededApproval(entry, context, await this.workspaceValues(entry, context));
    const facts = Object.entries(needed?.found.facts ?? {}).filter(([, fact]) => fact !== undefined);
    if (needed === undefined || facts.some(([name]) => name !== 'server')) return;
    this.ports.audit?.note({
      event: 'start',
      server: entry.id,
      source: entry.source.label,
      definition: needed.hash.slice(0, 12),
      outcome: 'allowed',
    });
    this.store(needed.hash, entry);
  }

  /** Whether an approval is missing. Does not ask the user. */
  async isNeeded(entry: ServerEntry, context: StartContext): Promise<boolean> {
    return (await this.neededApproval(entry, context, await this.workspaceValues(entry, context))) !== undefined;
  }

  /** Forgets every approval. */
  async reset(): Promise<void> {
    await this.ports.state.set(stateKeys.trusted, []);
  }

  /**
   * What needs approval before a start: the definition, and what it refers to. Undefined when nothing does, or it is
   * approved already.
   */
  private async neededApproval(
    entry: ServerEntry,
    context: StartContext,
    values: ReadonlyMap<string, string>,
  ): Promise<{ hash: string; found: FoundStart } | undefined> {
    const { id, definition, source, inputs } = entry;
    // Values from user settings need no approval; values that the workspace provides or overrides do.
    const isUsersOwn = source.kind === 'user' && settingsOf(values).length === 0;
    if (source.kind === 'builtin') return undefined;
    const found = await findStart({ id, definition, source, values }, context);
    if (isUsersOwn && found.isLedByWorkspace !== true) return undefined;
    const hash = definitionHash(definition, source, found.facts, inputs);
    return this.isApproved(hash) ? undefined : { hash, found };
  }

  private workspaceValues(entry: ServerEntry, context: StartContext): Promise<ReadonlyMap<string, string>> {
    return workspaceValues(entry.definition, context, (key) => this.ports.machine.isSetByWorkspace(key));
  }

  private store(hash: string, { id }: ServerEntry): void {
    const { state } = this.ports;
    const latest = state.get(stateKeys.trusted);
    // The approval takes effect at once. If it cannot be stored, the next window asks again.
    void state.set(stateKeys.trusted, [...(Array.isArray(latest) ? (latest as unknown[]) : []), hash], id);
  }

  private isApproved(hash: string): boolean {
    const trusted = this.ports.state.get(stateKeys.trusted);
    return Array.isArray(trusted) && (trusted as unknown[]).includes(hash);
  }

  /**
   * Describes the start with the values of the workspace, and with the working directory of a local server even if it
   * is not configured.
   */
  private async describe(
    entry: ServerEntry,
    values: ReadonlyMap<string, string>,
    { envFileNames, warnings }: FoundStart,
    debug?: DebugPlan,
  ): Promise<StartDescription> {
    const definition = await withValues(entry.definition, values);
    const started = debug && definition.type === 'stdio' ? debuggedStart(definition, debug) : definition;
    const description = describeStart({
      name: entry.id,
      definition: started,
      written: entry.definition,
      source: entry.source,
      inputs: entry.inputs,
      values,
      warnings,
      ...(envFileNames === undefined ? {} : { envFileNames }),
    });
    if (definition.type !== 'stdio' || description.cwd !== undefined) return description;
    const { machine } = this.ports;
    return {
      ...description,
      cwd: exactText(baseFolder({ folderPath: entry.source.folderPath, userHome: machine.userHome })),
    };
  }
}

function notApproved(entry: ServerEntry): HostError {
  return new HostError('not-trusted', `needs your approval (${entry.source.label})`, {
    data: { source: entry.source.label },
  });
}

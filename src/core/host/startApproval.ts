/**
 * The approval of starts. Except for the built-in server, a server starts only in a trusted workspace, and only when
 * the user approved exactly what would run. A definition in the user settings needs this approval only if the workspace
 * can influence what runs, or if files of its bundle changed. An approval is bound to the hash of the definition and of
 * the files and values that the definition refers to.
 */
import { t } from '@vscode/l10n';
import { exactText } from '../base/exactText.js';
import { HostError } from '../base/hostError.js';
import { stateKeys } from '../base/stores.js';
import { definitionHash } from '../config/definitionHash.js';
import type { StartDescription } from '../config/describeStart.js';
import { describeStart } from '../config/describeStart.js';
import type { StartInspection } from '../config/startFacts.js';
import { inspectStart } from '../config/startFacts.js';
import { baseFolder, inputsOfFiles, inputsOfLine, inputsOfStart } from '../config/definitionPaths.js';
import { textsOf } from '../config/variableSyntax.js';
import type { StartContext } from '../config/variables.js';
import { settingsOf, withValues, workspaceValues } from '../config/variableValues.js';
import { secretDigest } from '../config/writtenValue.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import { debuggedStart } from '../debug/debuggedStart.js';
import type { ChangedBundle } from '../gallery/bundles/bundleStore.js';
import { isInputShown } from '../present/form/shownWhole.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import type { KeptPorts } from './keptStores.js';
import type { LocalProcesses } from './localProcesses.js';
import type { Preparation } from './startPreparation.js';
import { silent } from './startPreparation.js';

export class StartApproval {
  constructor(
    private readonly ports: Pick<KeptPorts, 'trust' | 'state' | 'audit' | 'machine' | 'bundles'>,
    private readonly processes: Pick<LocalProcesses, 'searchOf'>,
  ) {}

  /**
   * Asks the user for approval if necessary. Resolves when the start may continue because it needs no approval, was
   * approved before, or was just approved by the user. Rejects with `not-trusted`.
   * @param debug present when the server is to be started under a debugger.
   */
  async approve(entry: ServerEntry, start: Preparation, debug?: DebugPlan): Promise<void> {
    if (entry.source.kind === 'builtin') return;
    const { context } = start;
    if (!this.ports.trust.isWorkspaceTrusted()) throw workspaceNotTrusted();
    const values = await this.workspaceValues(entry, context);
    const needed = await this.neededApproval(entry, start, values);
    if (needed !== undefined) await this.ask(entry, start, needed, debug);
  }

  /**
   * Checks a start again when the values of its inputs are known, because they can decide what it runs or contacts, and
   * which files of the workspace it uses. Asks again unless the user approved these values before. Resolves and rejects
   * like `approve`.
   */
  async approveInputs(entry: ServerEntry, start: Preparation, debug?: DebugPlan): Promise<void> {
    const { source, definition } = entry;
    const { inputs } = start;
    const deciding = source.kind === 'user' ? inputsOfFiles(definition) : inputsOfStart(definition, entry.inputs);
    // Values of other inputs in the command line can decide which files of the workspace a launcher finds.
    if (source.kind !== 'user') for (const id of inputsOfLine(definition)) deciding.add(id);
    if (deciding.size === 0) return;
    const values = await this.workspaceValues(entry, start.context);
    const needed = await this.neededApproval(entry, start, values, inputs);
    if (needed === undefined) return;
    const shown = new Map(values);
    const digests = new Map<string, string>();
    for (const { id, password } of entry.inputs) {
      const value = deciding.has(id) ? inputs.get(id) : undefined;
      if (value === undefined) continue;
      if (password === true) digests.set(`input:${id}`, secretDigest(value));
      else shown.set(`input:${id}`, value);
    }
    await this.ask(entry, start, { ...needed, values: shown, digests }, debug);
  }

  private async ask(
    entry: ServerEntry,
    { isInteractive, time }: Preparation,
    { hash, found, values, digests }: NeededApproval,
    debug: DebugPlan | undefined,
  ): Promise<void> {
    const { trust } = this.ports;
    if (!isInteractive) throw notApproved(entry);
    const description = await this.describe(entry, { values, digests }, found, debug);
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
   * Approves a definition that the user saw in full and chose to start. Does nothing if the definition differs from the
   * shown one, if it uses inputs that the page did not show in full, or if the start depends on other facts as well, such
   * as a file; in these cases, the start asks the user. The approval includes the values of inputs that `start` has,
   * because the user typed them.
   * @param shown the hash of the definition that was shown, without the files and values that it refers to.
   */
  async approveShown(entry: ServerEntry, start: Preparation, shown: string): Promise<void> {
    if (entry.hash !== shown || !this.ports.trust.isWorkspaceTrusted() || !entry.inputs.every(isInputShown)) return;
    const values = await this.workspaceValues(entry, start.context);
    for (const inputs of [undefined, start.inputs]) {
      const needed = await this.neededApproval(entry, start, values, inputs);
      if (needed === undefined) continue;
      const facts = Object.entries(needed.found.facts).filter(([, fact]) => fact !== undefined);
      if (facts.some(([name]) => name !== 'server' && name !== 'entered')) return;
      this.ports.audit?.note({
        event: 'start',
        server: entry.id,
        source: entry.source.label,
        definition: needed.hash.slice(0, 12),
        outcome: 'allowed',
      });
      this.store(needed.hash, entry);
    }
  }

  /** Whether an approval is missing. Does not ask the user. */
  async isNeeded(entry: ServerEntry, start: Preparation): Promise<boolean> {
    return (await this.neededApproval(entry, start, await this.workspaceValues(entry, start.context))) !== undefined;
  }

  /** Deletes every approval. */
  async reset(): Promise<void> {
    await this.ports.state.set(stateKeys.trusted, []);
  }

  /**
   * The parts of a start that need approval: the definition, and the files and values that it refers to. Undefined if
   * nothing needs approval or everything is approved already.
   */
  private async neededApproval(
    entry: ServerEntry,
    start: Preparation,
    values: ReadonlyMap<string, string>,
    inputs?: ReadonlyMap<string, string>,
  ): Promise<NeededApproval | undefined> {
    const { definition, source } = entry;
    // A definition in the user settings needs no approval, unless the workspace sets a setting that it refers to.
    const isUsersOwn = source.kind === 'user' && settingsOf(values).length === 0;
    if (source.kind === 'builtin') return undefined;
    const found = await this.find(entry, start, values, inputs);
    if (isUsersOwn && found.isInfluencedByWorkspace !== true) return undefined;
    const hash = definitionHash(definition, source, found.facts, entry.inputs);
    return this.isApproved(hash) ? undefined : { hash, found, values };
  }

  private async find(
    entry: ServerEntry,
    { context, time }: Preparation,
    values: ReadonlyMap<string, string>,
    inputs?: ReadonlyMap<string, string>,
  ): Promise<StartInspection> {
    const { id, definition, source } = entry;
    const search = this.processes.searchOf(entry, time);
    const start = { id, definition, source, values, search, declared: entry.inputs };
    const found = await time.steps(() =>
      inspectStart({ ...start, ...(inputs === undefined ? {} : { inputs }) }, context),
    );
    const { bundles } = this.ports;
    const folders = bundles?.foldersIn(textsOf(definition)) ?? [];
    if (!bundles || folders.length === 0) return found;
    const changed = await time.step(
      () => bundles.changed(folders),
      (waitedMs) => silent(entry, folders.join(', '), waitedMs),
    );
    return changed.length === 0 ? found : withChanges(found, changed);
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
   * Describes the start, including the values of the workspace and the working directory of a local server, even if the
   * directory is not configured. The approval also covers starts without the debugger, so the definition is described
   * as written, and what the debugger changes separately.
   */
  private async describe(
    entry: ServerEntry,
    { values, digests }: Pick<NeededApproval, 'values' | 'digests'>,
    { envFileValues, warnings, changedFiles }: StartInspection,
    debug?: DebugPlan,
  ): Promise<StartDescription> {
    const definition = await withValues(entry.definition, values);
    const debugged = debug && definition.type === 'stdio' ? debuggedStart(definition, debug) : definition;
    const described = describeStart({
      name: entry.id,
      definition,
      written: entry.definition,
      source: entry.source,
      inputs: entry.inputs,
      values,
      ...(digests === undefined ? {} : { digests }),
      warnings,
      ...(envFileValues === undefined ? {} : { envFileValues }),
      ...(debugged === definition || debugged.type !== 'stdio' ? {} : { debugged }),
    });
    const description = { ...described, ...(changedFiles === undefined ? {} : { changedFiles }) };
    if (definition.type !== 'stdio' || description.cwd !== undefined) return description;
    const { machine } = this.ports;
    return {
      ...description,
      cwd: exactText(baseFolder({ folderPath: entry.source.folderPath, userHome: machine.userHome })),
    };
  }
}

/** A start that the user has to approve. */
interface NeededApproval {
  hash: string;
  found: StartInspection;
  /** Values of variables to show: those that the workspace gives to them, and those that the user entered. */
  values: ReadonlyMap<string, string>;
  /** Digests of secrets that the user entered. Default: none are shown. */
  digests?: ReadonlyMap<string, string> | undefined;
}

/** Maximum number of files that a warning names. The question shows the others on request. */
const maxNamed = 20;

/** A bundle that changed after its installation starts only with an approval of exactly these changes. */
function withChanges(found: StartInspection, changed: readonly ChangedBundle[]): StartInspection {
  const filesOf = ({ changed: other, missing, added }: ChangedBundle) => [...other, ...missing, ...added];
  const warnings = changed.map((bundle) => {
    const files = filesOf(bundle);
    const names = files.slice(0, maxNamed).map((name) => exactText(name));
    const more = files.length > maxNamed ? [t('and {0} more', files.length - maxNamed)] : [];
    return t(
      'The files of the bundle in {0} changed after its installation: {1}. To restore them, install the bundle again.',
      exactText(bundle.folder),
      [...names, ...more].join(', '),
    );
  });
  const isCut = changed.some((bundle) => filesOf(bundle).length > maxNamed);
  const all = changed.flatMap((bundle) => filesOf(bundle).map((name) => exactText(`${bundle.folder}/${name}`)));
  return {
    ...found,
    ...(isCut ? { changedFiles: all } : {}),
    facts: {
      ...found.facts,
      changedBundles: Object.fromEntries(changed.map(({ folder, digest }) => [folder, digest])),
    },
    warnings: [...found.warnings, ...warnings],
    isInfluencedByWorkspace: true,
  };
}

/** The error of every start in a workspace that is not trusted. */
export function workspaceNotTrusted(): HostError {
  return new HostError('not-trusted', 'This workspace is not trusted.', { data: { isWorkspace: true } });
}

/** The error of a start that the user has not approved. */
export function notApproved(entry: ServerEntry): HostError {
  return new HostError('not-trusted', `needs your approval (${entry.source.label})`, {
    data: { source: entry.source.label },
  });
}

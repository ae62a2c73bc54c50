/** The processes of local servers: their environment, their transports, and the records of running processes. */
import type { StartTimeBudget } from '../base/startTimeBudget.js';
import { childEnvironment } from '../config/childEnvironment.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import type { SearchProgram } from '../config/searchInfluence.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { findCommand, pathFolders } from '../transport/stdio/findCommand.js';
import { ProcessRecords, reapOrphans } from '../transport/stdio/processRecords.js';
import { resolveShellEnvironment } from '../transport/stdio/shellEnvironment.js';
import { StdioTransport } from '../transport/stdio/stdioTransport.js';
import type { KeptPorts } from './keptStores.js';
import type { Preparation } from './startPreparation.js';
import { tooLate } from './startPreparation.js';

/** A local server whose variables are filled in. */
export type ResolvedLocal = Extract<ResolvedServer, { type: 'stdio' }>;

export class LocalProcesses {
  private records: ProcessRecords | undefined;
  private parent: Promise<Record<string, string | undefined>> | undefined;

  constructor(private readonly ports: Pick<KeptPorts, 'machine' | 'settings' | 'log' | 'clock'>) {}

  /** The environment that the process of a server gets. */
  async environment(resolved: ResolvedLocal): Promise<Record<string, string>> {
    return childEnvironment(await this.parentEnvironment(), resolved, this.ports.machine.platform);
  }

  /** Looks up the program of a start in the environment that its process gets, within the time limit of the start. */
  searchOf(entry: ServerEntry, time: StartTimeBudget): SearchProgram {
    const { platform } = this.ports.machine;
    return async (start) => {
      const parent = await time.step(() => this.parentEnvironment(), tooLate(entry, 'login-shell', 'the login shell'));
      const env = childEnvironment(parent, start, platform);
      const { found } = findCommand(start.command, env, start.cwd, platform);
      return { found, ...pathFolders(env, start.cwd, platform) };
    };
  }

  /**
   * Returns a function that creates the transport, which starts the process.
   * @param secretValues values that must never be shown.
   */
  async transport(
    entry: ServerEntry,
    resolved: ResolvedLocal,
    secretValues: readonly string[],
    { time }: Preparation,
  ): Promise<() => StdioTransport> {
    const { clock, machine, settings } = this.ports;
    const { maxMessageBytes, stopGraceMs: graceMs } = settings.current();
    await time.step(() => this.parentEnvironment(), tooLate(entry, 'login-shell', 'the login shell'));
    const env = await this.environment(resolved);
    const { recordsFolder } = machine;
    if (recordsFolder !== undefined) this.records ??= new ProcessRecords(recordsFolder);
    const { records } = this;
    const { command, args, cwd, framing } = resolved;
    return () =>
      new StdioTransport({
        serverId: entry.id,
        command,
        args,
        cwd,
        env,
        framing,
        secretValues,
        maxMessageBytes,
        graceMs,
        records,
        clock,
      });
  }

  /**
   * The environment in which commands are looked up. It is the login shell's environment if the window was not started
   * from a shell.
   */
  private parentEnvironment(): Promise<Record<string, string | undefined>> {
    const { machine, log } = this.ports;
    this.parent ??= resolveShellEnvironment({ env: machine.env, platform: machine.platform }).then((result) => {
      if (result.problem !== undefined) log.write('warn', result.problem);
      return result.env;
    });
    return this.parent;
  }

  /**
   * Ends the processes that an earlier window left behind when it was killed. From then on, records the processes of
   * this window.
   */
  async reapOrphans(): Promise<void> {
    const { recordsFolder } = this.ports.machine;
    if (recordsFolder === undefined) return;
    const reaped = await reapOrphans(recordsFolder);
    if (reaped.length > 0)
      this.ports.log.write(
        'info',
        `Ended server processes that an earlier window had left behind: ${reaped.map(({ server }) => server).join(', ')}.`,
      );
  }

  dispose(): void {
    this.records?.dispose();
  }
}

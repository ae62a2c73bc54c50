import * as vscode from 'vscode';
import { systemClock } from '../../../core/base/clock.js';
import { logLine, visibleLine } from '../../../core/base/hostileText.js';
import { LatestValue } from '../../../core/base/latestValue.js';
import { durationText, progressText } from '../../../core/present/text/runTexts.js';
import type { LinkedCall } from '../../../core/present/text/runLinks.js';
import { remarkText } from '../../../core/present/text/remarkText.js';
import { readTaskDefinition, taskDefinition } from '../../../core/present/text/runLinks.js';
import { presentToolResult } from '../../../core/present/result/toolResult.js';
import type { CallToolResult, Progress, Tool } from '../../../core/protocol/mcp.js';
import type { RunChange, UserRun } from '../../../core/runs/userRun.js';
import { concerning } from '../../ui/commandFunnel.js';
import { namedServer } from '../../ui/chooseServer.js';
import { startVisibly } from '../../ui/pickTarget.js';
import type { ExtensionServices } from '../../ui/services.js';
import { failedEnd, toolRun } from '../../ui/toolRun.js';

/** Minimum time between two progress lines, in milliseconds. Of the reports in between, only the latest is shown. */
const progressPauseMs = 1_000;

/** Provides favorites as tasks, and resolves tasks from `tasks.json`. */
export class RunTasks implements vscode.TaskProvider {
  constructor(private readonly deck: Pick<ExtensionServices, 'host' | 'runLog' | 'schemas'>) {}

  async provideTasks(): Promise<vscode.Task[]> {
    const { history } = this.deck.runLog;
    await history.whenRead();
    // Favorites with omitted arguments are left out, because a terminal cannot ask for the arguments.
    return history
      .favourites()
      .flatMap((favourite) =>
        favourite.omitted.length > 0
          ? []
          : [this.task(favourite, taskDefinition(favourite), favourite.name, vscode.TaskScope.Workspace)],
      );
  }

  resolveTask({ definition, scope, name }: vscode.Task): vscode.Task | undefined {
    const call = readTaskDefinition(definition);
    // VS Code accepts the resolved task only if it has the same definition object.
    return call && this.task(call, definition, name === '' ? call.tool : name, scope ?? vscode.TaskScope.Workspace);
  }

  private task(
    call: LinkedCall,
    definition: vscode.TaskDefinition,
    name: string,
    scope: vscode.WorkspaceFolder | vscode.TaskScope,
  ): vscode.Task {
    // VS Code resolves the variables of tasks.json only when the task runs.
    const execution = new vscode.CustomExecution((resolved) =>
      Promise.resolve(new TaskTerminal(this.deck, readTaskDefinition(resolved) ?? call)),
    );
    const task = new vscode.Task(definition, scope, visibleLine(name, 100), 'MCP Deck', execution, []);
    task.detail = `${visibleLine(call.server, 60)} · ${visibleLine(call.tool, 80)}`;
    return task;
  }
}

/**
 * A run in the terminal of a task: shows log lines, progress, and the text of the result, and returns an exit code.
 */
class TaskTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.written.event;
  private readonly closed = new vscode.EventEmitter<number>();
  readonly onDidClose = this.closed.event;
  private readonly reports = new LatestValue<Progress>(
    systemClock,
    (count) => (count === 0 ? 0 : progressPauseMs),
    (progress) => this.line(`[${progressText(progress)}]`),
  );
  /** The call. The tool schema becomes known when the server has started. */
  private target: { server: string; tool: string; schema?: Tool['inputSchema'] };
  private readonly run: UserRun<CallToolResult>;

  constructor(
    private readonly deck: Pick<ExtensionServices, 'host' | 'runLog' | 'schemas'>,
    private readonly call: LinkedCall,
  ) {
    this.target = { server: call.server, tool: call.tool };
    this.run = toolRun(deck, {
      call: () => ({ ...this.target, arguments: call.arguments }),
      start: (signal) => this.start(signal),
      perform: ({ signal, onProgress, onAsk, onRemark, onLog, onOutputProblems }) => {
        const { server, tool } = this.target;
        return concerning(
          server,
          deck.host.calls.runTool(
            { server, tool, arguments: call.arguments },
            { caller: 'task', signal, onProgress, onAsk, onRemark, onLog, onOutputProblems },
          ),
        );
      },
    });
    this.run.onDidChange((change) => this.show(change));
  }

  open(): void {
    void this.finish()
      .catch((error: unknown) => this.failed({ kind: 'failed', error }))
      .then((code) => this.closed.fire(code));
  }

  close(): void {
    this.run.cancel();
  }

  private async start(signal: AbortSignal): Promise<void> {
    const { host, schemas } = this.deck;
    const { tool, arguments: values } = this.call;
    const { id: server } = namedServer(host.servers, this.call.server);
    await startVisibly(host, server, signal);
    const { inputSchema } = await host.calls.findTool(server, tool);
    this.target = { server, tool, schema: inputSchema };
    await schemas.checkArguments({ name: tool, inputSchema }, values);
  }

  private show(change: RunChange): void {
    switch (change.kind) {
      case 'progress':
        return this.reports.tell(change.progress);
      case 'waiting':
        if (!change.isWaiting) return;
        return this.line(
          vscode.l10n.t(
            '"{0}" of "{1}" is waiting for your approval in the Requests view.',
            visibleLine(this.target.tool, 80),
            visibleLine(this.target.server, 80),
          ),
        );
      case 'remark':
        return this.line(remarkText(change.remark).what);
      case 'line':
        return this.line(logLine(change.line.text));
      case 'problems':
        return change.problems.forEach((problem) => this.line(logLine(problem)));
      case 'state':
        if (this.run.outcome) this.reports.dispose();
    }
  }

  /** Runs the tool, writes the outcome, and resolves to the exit code. */
  private async finish(): Promise<number> {
    const end = await this.run.run();
    if (end.kind !== 'done') return this.failed(end);
    const { result, durationMs } = end;
    const { document, files } = presentToolResult(result, this.target);
    for (const piece of document?.pieces() ?? []) this.written.fire(terminalText(piece));
    this.line('');
    if (files.length > 0)
      this.line(vscode.l10n.t('The result contains {0} files. Open them in the Runs view.', files.length));
    this.line(vscode.l10n.t('"{0}" took {1}', visibleLine(this.target.tool, 80), durationText(durationMs)));
    return result.isError === true ? 1 : 0;
  }

  private failed(end: Parameters<typeof failedEnd>[0]): number {
    this.line(failedEnd(end, this.call.server).message);
    return end.kind === 'cancelled' ? 130 : 2;
  }

  private line(text: string): void {
    this.written.fire(`${terminalText(text)}\r\n`);
  }
}

/** Normalizes line breaks. With a single carriage return, a server could overwrite text in the same line. */
function terminalText(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n');
}

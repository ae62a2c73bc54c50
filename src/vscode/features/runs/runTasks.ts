import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { systemClock } from '../../../core/base/clock.js';
import { isCancelled } from '../../../core/base/hostError.js';
import { logLine, visibleLine } from '../../../core/base/hostileText.js';
import { LatestValue } from '../../../core/base/latestValue.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import { progressText } from '../../../core/present/text/progressText.js';
import type { ToolCall } from '../../../core/present/text/runLinks.js';
import { remarkText } from '../../../core/present/text/remarkText.js';
import { readTaskDefinition, taskDefinition } from '../../../core/present/text/runLinks.js';
import { durationText } from '../../../core/present/tree/runNodes.js';
import { presentToolResult } from '../../../core/present/result/toolResult.js';
import type { Progress } from '../../../core/protocol/mcp.js';
import { concerning } from '../../ui/commandFunnel.js';
import { namedServer } from '../../ui/chooseServer.js';
import { startVisibly } from '../../ui/pickTarget.js';
import type { ExtensionServices } from '../../ui/services.js';

/** Pause between two lines of progress in the terminal; what comes faster is left out. Milliseconds. */
const progressPauseMs = 1_000;

/** Favourites as tasks, and tasks that `tasks.json` defines. */
export class RunTasks implements vscode.TaskProvider {
  constructor(private readonly deck: ExtensionServices) {}

  async provideTasks(): Promise<vscode.Task[]> {
    const { history } = this.deck.runLog;
    await history.whenRead();
    // What was not kept cannot be asked for in a terminal.
    return history.favourites().flatMap((favourite) => (favourite.omitted.length > 0 ? [] : [this.task(favourite, taskDefinition(favourite), favourite.name, vscode.TaskScope.Workspace)]));
  }

  resolveTask({ definition, scope, name }: vscode.Task): vscode.Task | undefined {
    const call = readTaskDefinition(definition);
    // VS Code takes the resolved task only with the very definition that it asked about.
    return call && this.task(call, definition, name === '' ? call.tool : name, scope ?? vscode.TaskScope.Workspace);
  }

  private task(call: ToolCall, definition: vscode.TaskDefinition, name: string, scope: vscode.WorkspaceFolder | vscode.TaskScope): vscode.Task {
    // Variables of tasks.json are filled in only now.
    const execution = new vscode.CustomExecution((resolved) => Promise.resolve(new TaskTerminal(this.deck, readTaskDefinition(resolved) ?? call)));
    const task = new vscode.Task(definition, scope, visibleLine(name, 100), 'MCP Deck', execution, []);
    task.detail = `${visibleLine(call.server, 60)} · ${visibleLine(call.tool, 80)}`;
    return task;
  }
}

/** A run in the terminal of a task: log lines, how far it is, the text of the result, and a code that says how it ended. */
class TaskTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.written.event;
  private readonly closed = new vscode.EventEmitter<number>();
  readonly onDidClose = this.closed.event;
  private readonly controller = new AbortController();

  constructor(
    private readonly deck: ExtensionServices,
    private readonly call: ToolCall,
  ) {}

  open(): void {
    void this.run().then((code) => this.closed.fire(code));
  }

  close(): void {
    this.controller.abort();
  }

  private async run(): Promise<number> {
    const { host, schemas, runLog } = this.deck;
    const { server: name, tool, arguments: values } = this.call;
    const startedAt = Date.now();
    const started = performance.now();
    const { signal } = this.controller;
    const reports = new LatestValue<Progress>(systemClock, (told) => (told === 0 ? 0 : progressPauseMs), (progress) => this.line(`[${progressText(progress)}]`));
    try {
      const { id: server } = namedServer(host, name);
      await startVisibly(host, server, signal);
      const { inputSchema } = await host.findTool(server, tool);
      await schemas.checkArguments({ name: tool, inputSchema }, values);
      const result = await concerning(server, host.runTool({ server, tool, arguments: values }, {
        signal,
        caller: 'task',
        onProgress: (progress) => reports.tell(progress),
        onAsk: () => this.line(vscode.l10n.t('Waiting for your approval: "{0}" of "{1}" waits in the view "Requests".', visibleLine(tool, 80), visibleLine(server, 80))),
        onRemark: (remark) => this.line(remarkText(remark, vscode.l10n.t).what),
        onLog: ({ text }) => this.line(logLine(text)),
        onOutputProblems: (problems) => problems.forEach((problem) => this.line(logLine(problem))),
      }));
      reports.dispose();
      const durationMs = performance.now() - started;
      runLog.finish({ id: randomUUID(), server, tool, arguments: values, schema: inputSchema, startedAt, durationMs, end: { result } });
      const { document, files } = presentToolResult(result, { server, tool }, vscode.l10n.t);
      for (const piece of document?.pieces() ?? []) this.written.fire(terminalText(piece));
      this.line('');
      if (files.length > 0) this.line(vscode.l10n.t('{0} files came with it; the Runs view opens them.', files.length));
      this.line(vscode.l10n.t('"{0}" took {1}', visibleLine(tool, 80), durationText(durationMs, vscode.l10n.t)));
      return result.isError === true ? 1 : 0;
    } catch (error) {
      const message = failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server: name }, vscode.l10n.t)?.text ?? vscode.l10n.t('Cancelled');
      this.line(message);
      runLog.finish({ id: randomUUID(), server: name, tool, arguments: values, startedAt, durationMs: performance.now() - started, end: { message, isCancelled: isCancelled(error) } });
      return isCancelled(error) ? 130 : 2;
    } finally {
      reports.dispose();
    }
  }

  private line(text: string): void {
    this.written.fire(`${terminalText(text)}\r\n`);
  }
}

/** A carriage return alone would let a server write over what stands in its line already. */
function terminalText(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n');
}

import * as vscode from 'vscode';
import type { AppHost, AppList, DisplayMode } from '../../../core/apps/appBridge.js';
import type { OfferedFile, AppModelContext } from '../../../core/apps/appParameters.js';
import { refusedCode } from '../../../core/apps/appBridge.js';
import type { AppDomains } from '../../../core/apps/appPolicy.js';
import { asDeclared } from '../../../core/apps/appPolicy.js';
import { isForApps } from '../../../core/apps/toolApp.js';
import { systemClock } from '../../../core/base/clock.js';
import { messageOf } from '../../../core/base/hostError.js';
import { visibleLine, visibleText } from '../../../core/base/hostileText.js';
import type { LogLevel } from '../../../core/base/log.js';
import { maskText } from '../../../core/base/masking.js';
import { RateLimit } from '../../../core/base/rateLimit.js';
import type { CallOptions } from '../../../core/catalog/hostTypes.js';
import type { ServerFeatures } from '../../../core/catalog/serverFeatures.js';
import type { AppContext } from '../../../core/present/chat/appContextText.js';
import {
  appCallQuestion,
  appContextQuestion,
  appMessageQuestion,
} from '../../../core/present/questions/appQuestions.js';
import { approvalOf, changedError, toolHash } from '../../../core/consent/toolDefinition.js';
import { chatInput } from '../../../core/present/chat/chatInput.js';
import { argumentsText } from '../../../core/present/text/jsonPieces.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import { linkTarget } from '../../../core/present/text/linkTarget.js';
import { ErrorCode, ProtocolError } from '../../../core/protocol/jsonRpc.js';
import type { CallToolResult, LogMessage, ReadResourceResult, Tool } from '../../../core/protocol/mcp.js';
import { logLevelOf } from '../../../core/protocol/mcp.js';
import { copyName } from '../../../core/resources/saveCopy.js';
import { resourceFile } from '../../../core/resources/resourceFile.js';
import type { ExtensionServices } from '../../ui/services.js';
import { saveWhereAsked } from '../../ui/copyResource.js';
import { askToOpen } from '../../ui/openLink.js';
import type { ToolTarget } from '../../ui/pages.js';
import { calledServer } from '../../ui/configuredServers.js';
import { toolRun } from '../../ui/toolRun.js';
import type { AppConsent } from './appConsent.js';

type OnProgress = NonNullable<CallOptions['onProgress']>;

/** A call, and the schema that tells which of its arguments are secret. */
interface AppCall {
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
  schema: Tool['inputSchema'];
}

const maxLogLength = 4_000;
const maxLogLinesPerSecond = 50;

/** What the app panel provides for the requests of its app. */
export interface PanelParts {
  target: ToolTarget;
  /** The origins that the policy allows the app to reach. */
  domains: AppDomains;
  consent: AppConsent;
  context(): Record<string, unknown>;
  requestDisplayMode(mode: DisplayMode): DisplayMode;
  endRequested(): void;
  /** Stores the latest context of the app for the language models of the chat. */
  tellModel(context: AppContext): void;
  /** Whether this instance of the app is the one that is shown. */
  isCurrent(): boolean;
}

/**
 * Handles the requests of an app. An app can use only the server that it comes from. It can read the resources of that
 * server and write log lines. For any other effect outside its frame, it needs the user's consent or, for a tool call,
 * a rule that allows the call.
 */
export class AppRequests implements AppHost {
  readonly info;
  private readonly logLimit = new RateLimit(systemClock, maxLogLinesPerSecond, 1_000);

  constructor(
    private readonly deck: Pick<ExtensionServices, 'client' | 'consent' | 'host' | 'logs' | 'runLog' | 'schemas'>,
    private readonly parts: PanelParts,
  ) {
    this.info = deck.client;
  }

  context(): Record<string, unknown> {
    return this.parts.context();
  }

  /** The capabilities of the host. They contain no browser permissions, because none is granted. */
  capabilities(): Record<string, unknown> {
    return {
      openLinks: {},
      serverTools: { listChanged: true },
      serverResources: { listChanged: true },
      logging: {},
      message: { text: {} },
      updateModelContext: { text: {}, structuredContent: {} },
      downloadFile: {},
      sandbox: { permissions: {}, csp: asDeclared(this.parts.domains) },
    };
  }

  async callTool(
    { name, arguments: values }: { name: string; arguments: Record<string, unknown> },
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<CallToolResult> {
    const { server, tool: app } = this.parts.target;
    const { hash, key, isDecided } = await this.checked(name, values);
    if (isDecided) return this.run(this.callOf(name, hash, values), { signal, onProgress }, false);
    const isAllowedBefore = this.parts.consent.isAllowed(key);
    const isAllowed = await this.parts.consent.ask(
      'call',
      key,
      // Until the answer, only the hash is kept: the server can replace the tool many times by then.
      () => appCallQuestion({ server, app, tool: this.toolForApps(name, hash) }, values),
      { once: vscode.l10n.t('Allow Once'), always: vscode.l10n.t('Allow for This App') },
      () => this.parts.isCurrent() && !signal.aborted,
    );
    if (!isAllowed) throw new ProtocolError(refusedCode, 'The user did not allow this call.');
    signal.throwIfAborted();
    return this.run(this.callOf(name, hash, values), { signal, onProgress }, isAllowedBefore ? 'inAdvance' : true);
  }

  /**
   * Checks the arguments of a call. `key` identifies the permission for the tool in its present definition, which has
   * the hash `hash`.
   */
  private async checked(
    name: string,
    values: Record<string, unknown>,
  ): Promise<{ hash: string; key: string | undefined; isDecided: boolean }> {
    const { deck } = this;
    const tool = this.toolForApps(name);
    await deck.schemas.checkArguments(tool, values);
    const hash = toolHash(tool);
    const view = deck.host.servers.get(this.parts.target.server);
    const key = view && approvalOf(`${view.id} ${view.entry.hash}`, hash);
    // If a rule decides about the call, the question is skipped, because the host applies the rule when it runs the
    // tool.
    const isDecided =
      view !== undefined &&
      deck.consent.calls.preview({ server: calledServer(view), tool, arguments: values, caller: 'app' }) !== 'ask';
    return { hash, key, isDecided };
  }

  /**
   * A tool that apps may call.
   *
   * @param hash If present, the tool must still have the definition with this hash.
   */
  private toolForApps(name: string, hash?: string): Tool {
    const tool = this.features().tools.find((one) => one.name === name);
    const shown = visibleLine(name, 120);
    if (hash !== undefined && (!tool || toolHash(tool) !== hash))
      throw changedError(this.parts.target.server, shown, tool ? 'changed' : 'gone');
    if (!tool) throw new ProtocolError(ErrorCode.invalidParams, `The server has no tool "${shown}".`);
    if (!isForApps(tool)) throw new ProtocolError(refusedCode, `The tool "${shown}" is not for apps.`);
    return tool;
  }

  private callOf(name: string, hash: string, values: Record<string, unknown>): AppCall {
    const { server } = this.parts.target;
    return { server, tool: name, arguments: values, schema: this.toolForApps(name, hash).inputSchema };
  }

  /**
   * Runs a tool in the same way as a run of the user: the run is recorded in the history, and its output is validated.
   */
  private async run(
    { schema, ...call }: AppCall,
    { signal, onProgress: tellApp }: { signal: AbortSignal; onProgress: OnProgress },
    isAnswered: boolean | 'inAdvance',
  ): Promise<CallToolResult> {
    const run = toolRun(this.deck, {
      call: () => ({ ...call, schema }),
      perform: ({ signal, onProgress, onOutputProblems }) =>
        this.deck.host.calls.runTool(call, {
          signal,
          onProgress,
          onOutputProblems,
          caller: 'app',
          isAnswered,
          interactive: true,
        }),
    });
    run.onDidChange((change) => {
      if (change.kind === 'progress') tellApp(change.progress);
      if (change.kind === 'problems')
        this.warn(
          `The result of "${visibleLine(call.tool, 120)}" does not fit its output schema: ${visibleLine(change.problems.join('; '), 500)}`,
        );
    });
    run.cancelWith(signal);
    const end = await run.run();
    if (end.kind === 'done') return end.result;
    const { error } = end;
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(
      refusedCode,
      failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server: call.server })?.text ??
        messageOf(error),
    );
  }

  readResource(uri: string, signal?: AbortSignal, onProgress?: OnProgress): Promise<ReadResourceResult> {
    // An app cannot start a server, so this throws if the server is not running.
    this.features();
    return this.deck.host.calls.readResource(
      { server: this.parts.target.server, uri },
      { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) },
    );
  }

  async list(what: AppList): Promise<readonly unknown[]> {
    const features = this.features();
    return what === 'tools' ? features.tools.filter(isForApps) : features[what];
  }

  async openLink(url: string): Promise<boolean> {
    const target = linkTarget(url);
    if (target === undefined || target === 'file')
      throw new ProtocolError(
        ErrorCode.invalidParams,
        'Only addresses that begin with https:// or http:// are opened.',
      );
    return this.parts.consent.questioned(
      'link',
      () => askToOpen(target, this.parts.target.server),
      () => this.parts.isCurrent(),
    );
  }

  async sendMessage(text: string): Promise<boolean> {
    const { server, tool: app } = this.parts.target;
    const isAllowed = await this.parts.consent.ask(
      'message',
      undefined,
      () => appMessageQuestion({ server, app }, text),
      { once: vscode.l10n.t('Add to Chat') },
      () => this.parts.isCurrent(),
    );
    // The user sees the text once more in the chat input before sending it.
    if (isAllowed)
      await vscode.commands.executeCommand('workbench.action.chat.open', {
        query: `@deck ${chatInput(text, vscode.l10n.t('the app of "{0}"', visibleLine(server, 60)))}`,
        isPartialQuery: true,
      });
    return isAllowed;
  }

  async updateModelContext(context: AppModelContext): Promise<boolean> {
    const { server, tool: app } = this.parts.target;
    const text = [context.text, ...(context.structured ? [argumentsText(context.structured)] : [])].join('\n\n');
    const isAllowed = await this.parts.consent.ask(
      'context',
      'model context',
      () => appContextQuestion({ server, app }, text),
      { always: vscode.l10n.t('Allow for This App') },
      () => this.parts.isCurrent(),
    );
    if (isAllowed && this.parts.isCurrent()) this.parts.tellModel({ server, app, context });
    return isAllowed;
  }

  async downloadFiles(files: readonly OfferedFile[], signal: AbortSignal): Promise<boolean> {
    let isSaved = false;
    for (const file of files) {
      const result = 'uri' in file ? await this.readResource(file.uri, signal) : { contents: [file.resource] };
      const uri = 'uri' in file ? file.uri : file.resource.uri;
      const { bytes, extension } = resourceFile(uri, result);
      // The dialog shows the file name and the folder. Nothing is written unless the user agrees.
      isSaved = await this.parts.consent.questioned(
        'download',
        async () => (await saveWhereAsked(copyName(uri, extension), bytes)) !== undefined,
        () => this.parts.isCurrent() && !signal.aborted,
      );
      if (!isSaved) return false;
    }
    return isSaved;
  }

  requestDisplayMode(mode: DisplayMode): DisplayMode {
    return this.parts.requestDisplayMode(mode);
  }

  log({ level, logger, data }: LogMessage): void {
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    this.write(
      logLevelOf[level],
      `${logger === undefined ? '' : `[${visibleLine(logger, 60)}] `}${visibleText(text, maxLogLength)}`,
    );
  }

  endRequested(): void {
    this.parts.endRequested();
  }

  warn(line: string): void {
    this.write('warn', line);
  }

  private write(level: LogLevel, line: string): void {
    const { server, tool } = this.parts.target;
    const log = this.deck.logs.forServer(server);
    const masked = maskText(line, this.deck.host.servers.secretValues(server));
    this.logLimit.run(
      () => log.write(level, `[app of ${visibleLine(tool, 60)}] ${masked}`),
      (dropped) =>
        log.write(
          'warn',
          `${dropped} lines of the app of "${visibleLine(tool, 60)}" were not shown, because it sends too many.`,
        ),
    );
  }

  private features(): ServerFeatures {
    const features = this.deck.host.servers.get(this.parts.target.server)?.features;
    if (!features) throw new ProtocolError(refusedCode, 'The server is not running.');
    return features;
  }
}

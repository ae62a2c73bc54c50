/**
 * The operations that commands and other pages can call on the pages of the window. These interfaces do not depend on
 * the extension services; their implementations do.
 */
import type { BundleDownload } from '../../core/gallery/bundles/bundleDownload.js';
import type { CallToolResult } from '../../core/protocol/mcp.js';
import type { AppContext } from '../../core/present/chat/appContextText.js';
import type { TraceReading } from '../../core/trace/traceFile.js';
import type { TraceLog } from '../../core/trace/traceLog.js';
import type { UnsavedServer } from '../../core/interchange/pasted/unsavedServer.js';
import type { ServerEntry } from '../../core/registry/serverEntry.js';
import type { ResultModel } from '../../shared/result/resultModel.js';
import type { ResultRequest } from '../../shared/result/resultRequest.js';
import type { Arguments } from '../../shared/panel/formMessages.js';
import type { OwnPlace } from '../adapters/ownPlaces.js';
import type { KeptRun } from '../../core/runs/runLog.js';

/** One tool of one server. */
export interface ToolTarget {
  server: string;
  tool: string;
}

/** The tool call that an app shows. */
export interface AppRun {
  id: string;
  arguments: Record<string, unknown>;
  /** The end of the call; absent while it runs. */
  end?: AppRunEnd;
}

export type AppRunEnd = { result: CallToolResult } | { message: string; isCancelled: boolean };

/** The open tool panels, one tab for each tool. */
export interface ToolPages {
  /** Opens or reveals the panel of a tool. A new form starts with the arguments of the last run. */
  open(target: ToolTarget, options?: OpenTool): void;
}

export interface OpenTool {
  /** Replaces the content of the form. */
  values?: Arguments;
  /** A run to show. Its arguments replace the content of the form, unless the user typed something in the form. */
  run?: { arguments: Arguments; model: ResultModel };
  /**
   * Whether to reuse the tab of the last preview, if the user did not work in it. Default: false, which opens a new
   * tab.
   */
  isPreview?: boolean;
  /** Whether there is proof that the user, and not a program, opened the panel; see `ItemPageState`. Default: false. */
  isByUser?: boolean;
}

/** The open prompts, one tab for each prompt. */
export interface PromptPages {
  /** The active prompt panel. */
  readonly active: { actOnMessages(type: ResultRequest['type']): void } | undefined;
  open(server: string, prompt: string): unknown;
}

/** The open resource templates, one tab for each template. */
export interface TemplatePages {
  open(server: string, uriTemplate: string): unknown;
}

/** The server details pages, one tab for each server. */
export interface ServerPages {
  open(server: string): Promise<void>;
  /** Opens the page and runs the checks. Shows each result as soon as its check ends. */
  diagnose(server: string): Promise<void>;
}

/** A server that is not saved yet. Its secrets are kept apart from the definition. */
export interface NewServer extends UnsavedServer {
  /** Called after the server was saved, with its name and the ID of its source. */
  onDidSave?: (saved: { name: string; source: string }) => void;
}

/** The forms that add and edit server definitions. */
export interface DefinitionPages {
  open(entry: Pick<ServerEntry, 'name'>, place: OwnPlace): Promise<void>;
  /** Opens the form of a new server. Nothing is written until the user saves it. */
  add(server: NewServer): void;
}

/** The apps of tools (MCP Apps). */
export interface AppPages {
  /** The latest context that each open app provides for language models, with the user's consent. */
  readonly modelContexts: readonly AppContext[];
  hasApp(target: ToolTarget): boolean;
  /**
   * Called when a tool starts to run from its panel. The app of the tool, if there is one, shows the run beside the
   * panel.
   */
  begin(target: ToolTarget, run: AppRun): void;
  /**
   * Called when a run that `begin` received has ended. If the server had to be started for the run, the app of the tool
   * becomes known only now.
   */
  end(target: ToolTarget, run: AppRun, end: AppRunEnd): void;
  /** Shows the app for a completed run. */
  show(run: KeptRun): void;
}

/** The Trace view. Shows one trace at a time, of a server or from a file. */
export interface TracePage {
  /** The server whose trace is shown. */
  readonly server: string | undefined;
  /** The shown trace, for writing to a file. */
  readonly exported: { log: TraceLog; name: string; secrets: readonly string[] } | undefined;
  showServer(id: string): void;
  /** @param secrets values that the trace contains and that are never shown. Default: none, as in files. */
  showFile(name: string, reading: TraceReading, secrets?: readonly string[]): void;
}

/** The registry entry that a bundle belongs to. */
export interface BundleOrigin {
  /** Fields of the definition that name the entry, from `core/gallery/installedFrom`. */
  fields: Readonly<Record<string, string>>;
}

/** A bundle that a registry offers. */
export interface BundleToDownload extends Pick<BundleDownload, 'url' | 'sha256' | 'label' | 'headers'> {
  origin?: BundleOrigin;
  /** ID of the server that the bundle updates. Default: the bundle becomes a new server. */
  updates?: string;
}

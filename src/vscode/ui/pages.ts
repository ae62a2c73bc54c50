/**
 * What commands, and pages of each other, may ask of the pages of the window. The pages themselves know the whole
 * deck.
 */
import type { CallToolResult } from '../../core/protocol/mcp.js';
import type { ToldContext } from '../../core/present/chat/appContextText.js';
import type { TraceReading } from '../../core/trace/traceFile.js';
import type { TraceLog } from '../../core/trace/traceLog.js';
import type { ServerEntry } from '../../core/registry/serverEntry.js';
import type { ResultModel } from '../../shared/result/resultModel.js';
import type { ResultRequest } from '../../shared/result/resultRequest.js';
import type { Arguments, PageTarget } from '../../shared/toolPanel.js';
import type { OwnPlace } from '../adapters/ownPlaces.js';
import type { KeptRun } from '../../core/runs/runLog.js';

/** One tool of one server. */
export type ToolTarget = PageTarget;

/** The call that an app shows. */
export interface AppRun {
  id: string;
  arguments: Record<string, unknown>;
  /** Absent while it runs. */
  end?: AppRunEnd;
}

export type AppRunEnd = { result: CallToolResult } | { message: string; isCancelled: boolean };

/** The panels of tools: one for each that is open. */
export interface ToolPages {
  /**
   * Shows the panel of a tool. `values` replace what stands in its form; without them it starts with those of the
   * last run.
   */
  open(target: ToolTarget, values?: Arguments, result?: ResultModel): void;
}

/** The prompts that are open: one tab for each. */
export interface PromptPages {
  /** The one that the user looks at. */
  readonly active: { actOnMessages(type: ResultRequest['type']): void } | undefined;
  open(target: PageTarget): void;
}

/** The templates of resources that are filled in, a tab for each. */
export interface TemplatePages {
  open(target: PageTarget): void;
}

/** The details of servers, a tab for each. */
export interface ServerPages {
  open(server: string): Promise<void>;
}

/** The forms of definitions. */
export interface DefinitionPages {
  open(entry: ServerEntry, place: OwnPlace): Promise<void>;
}

/** The apps of tools that have one. */
export interface AppPages {
  /** What open apps want models to know, by the user's word; the latest of each. */
  readonly modelContexts: readonly ToldContext[];
  hasApp(target: ToolTarget): boolean;
  /** A tool begins to run from its panel: its app, if it has one, shows the run beside it. */
  begin(target: ToolTarget, run: AppRun): void;
  /** The same run ended; a server that had to be started first has said only now what its tool has. */
  end(target: ToolTarget, run: AppRun, end: AppRunEnd): void;
  /** The user asks for the app of a run that ended. */
  show(run: KeptRun): void;
}

/** The Trace view: one trace at a time, of a server or from a file. */
export interface TracePage {
  /** The server that is shown. */
  readonly server: string | undefined;
  /** What is shown, to be written to a file. */
  readonly exported: { log: TraceLog; name: string; secrets: readonly string[] } | undefined;
  showServer(id: string): void;
  showFile(name: string, reading: TraceReading): void;
}

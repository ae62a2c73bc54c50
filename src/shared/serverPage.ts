import type { Guards } from './channel.js';
import { isObject } from './json.js';

/**
 * The messages between the extension and the server details page. All texts are safe to show, limited in length, and
 * free of secrets.
 */

export type ServerToPage = {
  notices: {
    /** The whole state. Sent as the response to `ready`. */
    show: {
      bundle: Readonly<Record<string, string>>;
      /** ID of the server. The page stores it, so that it can be restored after a window reload. */
      server: string;
      details: ServerDetails;
    };
    /** Sent after the server changed or its processes were measured. */
    details: { details: ServerDetails };
    /** Sent after `show` and for each new session. `overview` is absent while the server is not running. */
    overview: { overview?: ServerOverview };
    /** Sent when a check begins or ends. */
    diagnosis: { diagnosis: DiagnosisDetails };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

export type ServerFromPage = {
  notices: {
    ready: Record<never, unknown>;
    act: { action: ServerAction };
    /** The user pressed a button of a check. */
    fix: { check: string; action: ServerAction };
    stopDiagnosis: Record<never, unknown>;
    copyDiagnosis: Record<never, unknown>;
    /** Copies the answer of the handshake. */
    copyAnswer: Record<never, unknown>;
    /** A link in the texts of the server. */
    openLink: { href: string };
  };
  requests: Record<never, { body: object; reply: unknown }>;
};

/** The buttons in the head of the page. */
const headActions = [
  'startServer',
  'stopServer',
  'restartServer',
  'listAgain',
  'debugServer',
  'enableServer',
  'reviewTrust',
  'signIn',
  'editServer',
  'openConfiguration',
  'showLog',
  'showTrace',
  'diagnoseServer',
] as const;
export type HeadAction = (typeof headActions)[number];

/** All buttons: those of the head, of a failure, and of the checks. */
const serverActions = [
  ...headActions,
  'tryAgain',
  'setSecret',
  'replaceSecret',
  'showSignInTrace',
  'manageStoredValues',
  'manageWorkspaceTrust',
  'showRules',
  'reviewChange',
  'showServers',
  'applyChange',
  'openCheckedFile',
] as const;
export type ServerAction = (typeof serverActions)[number];

export interface PageButton {
  action: ServerAction;
  label: string;
}

/** Why the server does not work, or does not finish its start. */
export interface StateCard {
  kind: 'failed' | 'waiting';
  /** The most specific known cause, as one line. */
  cause: string;
  /** Present if `cause` is a text from the server. */
  isQuote?: true;
  /** A description of the failure, if it adds something to the cause. */
  what?: string;
  next: string;
  /** The relevant lines of the server's error output. */
  lines: readonly string[];
  /** The buttons, with the most helpful one first. */
  buttons: readonly PageButton[];
}

/** The information that the server sent about itself. All of it is untrusted. */
export interface ServerOverview {
  title: string;
  /** The name of the server, if it differs from the title. */
  name?: string;
  version?: string;
  description?: string;
  website?: string;
  /** Icons as `data:` addresses that were checked. An icon without a theme is used in all themes. */
  icons: readonly { src: string; theme?: 'light' | 'dark' }[];
  /** The capabilities in words. */
  capabilities: readonly string[];
  /** Markdown. */
  instructions?: string;
  /** The answer of the handshake as JSON. */
  answer?: { method: string; json: string; isWhole: boolean };
}

export interface DiagnosisDetails {
  state: 'running' | 'done' | 'stopped';
  summary: string;
  lines: readonly CheckLine[];
}

export interface CheckLine {
  id: string;
  title: string;
  outcome: 'ok' | 'warning' | 'failed' | 'skipped' | 'running';
  seen: string;
  fix?: string;
  buttons: readonly PageButton[];
}

export interface ServerDetails {
  server: string;
  state: { kind: 'running' | 'busy' | 'waiting' | 'failed' | 'stopped' | 'gone'; text: string };
  /** Transport and protocol version while the server runs. */
  badge?: string;
  actions: readonly HeadAction[];
  /** Important notes, such as a changed definition or an unresponsive server. */
  notes: readonly string[];
  card?: StateCard;
  figures: ServerFigureTexts;
  lastError?: ErrorDetails;
  tools: readonly ToolLine[];
  /** The processes; present while the server runs as a process. */
  processes?: ProcessDetails;
  /** Facts about the start and the effective settings. */
  groups: readonly FactGroup[];
  /** Environment of a local server. */
  environment?: EnvironmentDetails;
}

interface ServerFigureTexts {
  /** Start time, in milliseconds since the epoch. */
  runningSince?: number;
  calls: number;
  failed: number;
  cancelled: number;
  p50Ms?: number;
  p95Ms?: number;
  starts: number;
  crashes: number;
  sent: TrafficTexts;
  received: TrafficTexts;
}

/** Number and size of the messages in one direction. */
export interface TrafficTexts {
  messages: number;
  text: string;
}

export interface ErrorDetails {
  /** The time of the error, in milliseconds since the epoch. */
  at: number;
  /** The affected tool, resource or prompt. */
  about?: string;
  what: string;
  next: string;
  /** The last lines that the server wrote before the error. */
  output: readonly string[];
}

export interface ToolLine {
  tool: string;
  ok: number;
  failed: number;
  cancelled: number;
  p50Ms?: number;
  p95Ms?: number;
}

export interface ProcessDetails {
  lines: readonly { pid: number; name: string; depth: number; cpu: string; memory: string }[];
  /** Number of omitted processes. */
  more: number;
  cpu: string;
  memory: string;
  /**
   * The CPU usage at each measurement, oldest first; 1 is one fully used processor. `memoryHistory` contains the memory
   * in bytes.
   */
  cpuHistory: readonly number[];
  memoryHistory: readonly number[];
}

export interface FactGroup {
  title: string;
  facts: readonly Fact[];
}

export interface Fact {
  name: string;
  /** The values. If there are several, they are shown as a list. */
  values: readonly string[];
  /** Whether the value is shown in the editor font. */
  isCode?: boolean;
  /** The origin of the value. */
  from?: string;
}

export interface EnvironmentDetails {
  lines: readonly EnvironmentLine[];
  /** The reason why values are hidden. */
  note?: string;
}

export interface EnvironmentLine {
  name: string;
  /** The value; absent if it is hidden. */
  value?: string;
  from: 'definition' | 'file' | 'passedOn' | 'removed';
}

/** The checks of the messages from the page, by name. */
export const serverFromPageGuards: Guards<ServerFromPage> = {
  notices: {
    ready: isObject,
    act: (body): body is { action: ServerAction } =>
      isObject(body) && serverActions.some((action) => action === body['action']),
    fix: (body): body is { check: string; action: ServerAction } =>
      isObject(body) && typeof body['check'] === 'string' && serverActions.some((action) => action === body['action']),
    stopDiagnosis: isObject,
    copyDiagnosis: isObject,
    copyAnswer: isObject,
    openLink: (body): body is { href: string } => isObject(body) && typeof body['href'] === 'string',
  },
  requests: {},
};

/** The server ID in the stored state of a page; undefined if there is none. */
export function savedServer(state: unknown): string | undefined {
  return isObject(state) && typeof state['server'] === 'string' ? state['server'] : undefined;
}

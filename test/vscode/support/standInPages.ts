/**
 * Replaces pages: while it is active, a panel opens without a page, and the test sends the page's
 * messages over the same channel. The extension's side is real.
 */
import * as vscode from 'vscode';
import { Channel } from '../../../src/shared/channel.js';
import type { DoneResult, FailedResult, ResultModel } from '../../../src/shared/result/resultModel.js';
import type { ResultRequest } from '../../../src/shared/result/resultRequest.js';
import type { Arguments } from '../../../src/shared/panel/formMessages.js';
import type { ItemPageState } from '../../../src/shared/panel/itemPage.js';
import type { FromTemplatePage } from '../../../src/shared/panel/templatePage.js';
import type { FromToolPage, ToToolPage } from '../../../src/shared/panel/toolPage.js';
import type {
  CheckLine,
  DiagnosisDetails,
  ServerDetails,
  ServerFromPage,
  ServerOverview,
  ServerToPage,
} from '../../../src/shared/serverPage.js';
import { until } from './host.js';

type Unnamed<T> = T extends unknown ? Omit<T, 'id'> : never;

/** A page of any kind. */
export interface AnyPage {
  readonly channel: { notify(name: 'ready', body: object): void; receive(frame: unknown): void };
  /** The extension closed the tab. */
  isClosed: boolean;
}

export class StandInPage implements AnyPage {
  isClosed = false;
  readonly channel: Channel<FromToolPage & FromTemplatePage, ToToolPage>;
  /** The last state that the page received. */
  state: ItemPageState | undefined;
  filled: Arguments | undefined;
  model: ResultModel | undefined;

  constructor(post: (frame: unknown) => void) {
    const ignore = () => undefined;
    this.channel = new Channel<FromToolPage & FromTemplatePage, ToToolPage>({
      post,
      handlers: {
        notices: {
          show: (state) => void (this.state = state),
          fill: ({ arguments: values }) => void (this.filled = values),
          result: ({ model }) => void (this.model = model),
          release: ignore,
          server: ignore,
          history: ignore,
        },
        requests: {},
      },
      onBadFrame: ignore,
    });
  }

  /** Presses Run; returns the result as the page would draw it. */
  async run(values: Arguments = {}): Promise<DoneResult> {
    this.begin(values);
    return until('the run has ended', () => (this.model?.kind === 'done' ? this.model : undefined));
  }

  /** The same for a call that fails. */
  async fail(values: Arguments = {}): Promise<FailedResult> {
    this.begin(values);
    return until('the call has failed', () => (this.model?.kind === 'failed' ? this.model : undefined));
  }

  /** Presses a button of the displayed result. */
  press(request: Unnamed<ResultRequest>): void {
    const { model } = this;
    this.channel.notify('result', {
      request: { ...request, id: model?.kind === 'done' || model?.kind === 'failed' ? model.id : 'none' },
    });
  }

  private begin(values: Arguments): void {
    this.model = undefined;
    this.channel.notify('run', { arguments: values });
  }
}

/** Active until `restore`, which closes the panels opened in the meantime. */
export function standInPages(): { pages: StandInPage[]; restore(): void } {
  return standIn((post) => new StandInPage(post));
}

/** The page of a server. */
export class StandInServerPage implements AnyPage {
  isClosed = false;
  readonly channel: Channel<ServerFromPage, ServerToPage>;
  details: ServerDetails | undefined;
  overview: ServerOverview | undefined;
  diagnosis: DiagnosisDetails | undefined;

  constructor(post: (frame: unknown) => void) {
    this.channel = new Channel<ServerFromPage, ServerToPage>({
      post,
      handlers: {
        notices: {
          show: ({ details }) => void (this.details = details),
          details: ({ details }) => void (this.details = details),
          overview: ({ overview }) => void (this.overview = overview),
          diagnosis: ({ diagnosis }) => void (this.diagnosis = diagnosis),
        },
        requests: {},
      },
      onBadFrame: () => undefined,
    });
  }

  check(id: string): CheckLine | undefined {
    return this.diagnosis?.lines.find((line) => line.id === id);
  }
}

/** The same for the pages of servers. */
export function standInServerPages(): { pages: StandInServerPage[]; restore(): void } {
  return standIn((post) => new StandInServerPage(post));
}

/** The same for pages of any kind. Active until `restore`. */
export function standIn<P extends AnyPage>(
  create: (post: (frame: unknown) => void) => P,
): { pages: P[]; restore(): void } {
  const original = vscode.window.createWebviewPanel;
  const pages: P[] = [];
  const panels: vscode.WebviewPanel[] = [];
  vscode.window.createWebviewPanel = (viewType, title) => {
    const posted = new vscode.EventEmitter<unknown>();
    const disposed = new vscode.EventEmitter<void>();
    const page = create((frame) => posted.fire(frame));
    const webview = {
      options: {},
      html: '',
      cspSource: '',
      onDidReceiveMessage: posted.event,
      postMessage: (frame: unknown) => {
        page.channel.receive(frame);
        return Promise.resolve(true);
      },
      asWebviewUri: (uri: vscode.Uri) => uri,
    };
    const panel = {
      viewType,
      title,
      webview,
      visible: true,
      reveal: () => undefined,
      onDidChangeViewState: new vscode.EventEmitter<void>().event,
      onDidDispose: disposed.event,
      dispose: () => {
        page.isClosed = true;
        disposed.fire();
      },
    } as unknown as vscode.WebviewPanel;
    pages.push(page);
    panels.push(panel);
    // As a page does after loading, when its panel is complete.
    setImmediate(() => page.channel.notify('ready', {}));
    return panel;
  };
  return {
    pages,
    restore: () => {
      vscode.window.createWebviewPanel = original;
      for (const panel of panels) panel.dispose();
    },
  };
}

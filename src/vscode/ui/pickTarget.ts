import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import type { HostApi } from '../../core/host/hostApi.js';
import type { ServersApi } from '../../core/host/hostServers.js';
import type { PickRow, PickTarget } from '../../core/present/chat/toolPick.js';
import { filterRows } from '../../core/present/chat/pickFilter.js';
import { mergePickRows } from '../../core/present/chat/toolPick.js';
import { concerning } from './commandFunnel.js';
import { showInput } from './steps.js';
import { isSettledWithin, patienceMs } from './runProgress.js';
import { withProgress } from '../adapters/userMessages.js';

export interface TargetQuestion {
  title: string;
  placeholder: string;
  /** The current rows. Called again when a server has started. */
  rows(): PickRow[];
  /** The message that replaces an empty list. */
  noneMessage: string;
  /**
   * The row for a typed text that is a call instead of a filter. It replaces all other rows.
   * @param redraw must be called when the row has changed.
   */
  typed?: (text: string, redraw: () => void) => PickRow | undefined;
}

/** The item that the user selected. */
export type Picked = PickTarget & { name: string };

/** The parts of the host that a choice needs. The host starts the chosen server. */
export type StartingHost = Pick<HostApi, 'servers' | 'lifecycle'>;

/** Returns the clicked item, or asks the user for one. Its server is running when this resolves. */
export async function chooseTarget(
  host: StartingHost,
  clicked: { server: string; name: string } | undefined,
  question: TargetQuestion,
): Promise<{ server: string; name: string }> {
  const chosen = clicked ?? (await pickTarget(host, question));
  await startVisibly(host, chosen.server);
  return chosen;
}

/**
 * Maximum wait for the built-in server, in milliseconds. The list does not wait for other servers, because they take
 * longer to start.
 */
const builtInPatienceMs = 1_000;

type Row = vscode.QuickPickItem & { target?: PickTarget };

/**
 * Asks the user to select an item of a server. If the user selects a server that is not running, the server starts and
 * the list shows its items. Servers that start in the meantime appear in the open list. Rejects with `cancelled` if the
 * user selects nothing.
 */
export async function pickTarget(host: StartingHost, question: TargetQuestion): Promise<Picked> {
  await builtInSettled(host.servers, builtInPatienceMs);
  let filter: string | undefined;
  for (;;) {
    const { target, text } = await pickRow(host.servers, question, filter);
    const { server, name } = target;
    if (name !== undefined) return { ...target, name };
    await startVisibly(host, server);
    // From now on, the list is filtered by the selected server, or by the typed text if that already begins with the
    // server.
    filter = text.startsWith(`${server}.`) ? text : server;
  }
}

/** Waits up to `ms` for the built-in server, so that the first list contains it. */
function builtInSettled(servers: ServersApi, ms: number): Promise<void> {
  const isSettled = () =>
    !servers.list().some(({ entry, state }) => entry.source.kind === 'builtin' && state.kind === 'starting');
  if (isSettled()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      changes.dispose();
      resolve();
    };
    const timer = setTimeout(done, ms);
    const changes = servers.onDidChange(() => isSettled() && done());
  });
}

/**
 * Starts a server. If the start takes longer than 400 ms, shows a notification with a Cancel button. Aborting `signal`
 * also cancels the start. Asks for approval if needed.
 */
export async function startVisibly(host: StartingHost, server: string, signal?: AbortSignal): Promise<void> {
  if (host.servers.get(server)?.state.kind === 'running') return;
  const controller = new AbortController();
  signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  const starting = concerning(server, host.lifecycle.start(server, { interactive: true, signal: controller.signal }));
  if (await isSettledWithin(starting, patienceMs)) return starting;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Starting "{0}"', server),
    cancellable: true,
  };
  await withProgress(options, async (_progress, token) => {
    token.onCancellationRequested(() => controller.abort(new HostError('cancelled', 'The start was canceled.')));
    await starting;
  });
}

/**
 * Shows the list and filters it, so VS Code must show every row (`alwaysShow`) and keep the order (`sortByLabel`, which
 * older versions ignore). Each list begins with a separator, so that the first row has the same position in all lists:
 * if the user presses Enter before VS Code has drawn a new list, the first row of the new list is selected.
 */
async function pickRow(
  servers: ServersApi,
  question: TargetQuestion,
  filter: string | undefined,
): Promise<{ target: PickTarget; text: string }> {
  const pick = vscode.window.createQuickPick<Row>();
  Object.assign(pick, {
    title: question.title,
    placeholder: question.placeholder,
    matchOnDescription: true,
    matchOnDetail: true,
    sortByLabel: false,
    value: filter ?? '',
  });
  let rows: PickRow[] = [];
  const show = () => {
    const typed = question.typed?.(pick.value, show);
    const shown: PickRow[] = typed
      ? [{ kind: 'separator', label: typed.target ? vscode.l10n.t('call') : vscode.l10n.t('not a valid call') }, typed]
      : filterRows(rows, pick.value);
    pick.items = shown.map(rowOf);
  };
  const refresh = () => {
    const [active] = pick.activeItems;
    const fresh = question.rows();
    rows = rows.length > 0 ? mergePickRows(rows, fresh) : fresh;
    show();
    if (rows.length === 0) pick.placeholder = question.noneMessage;
    const same =
      active &&
      pick.items.find(
        ({ target }) => target && target.server === active.target?.server && target.name === active.target.name,
      );
    if (same) pick.activeItems = [same];
  };
  refresh();
  pick.onDidChangeValue(show);
  const changes = servers.onDidChange(refresh);
  const target = await showInput(pick, () => pick.selectedItems[0]?.target);
  changes.dispose();
  if (!target) throw new HostError('cancelled', 'Nothing was picked.');
  return { target, text: pick.value };
}

function rowOf({ kind, label, description, detail, icon, target }: PickRow): Row {
  if (kind === 'separator') return { label, kind: vscode.QuickPickItemKind.Separator };
  return {
    label,
    alwaysShow: true,
    ...(description === undefined ? {} : { description }),
    ...(detail === undefined ? {} : { detail }),
    ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
    ...(target ? { target } : {}),
  };
}

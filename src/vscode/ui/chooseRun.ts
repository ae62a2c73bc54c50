import * as vscode from 'vscode';
import { HostError, UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { Favourite, RunRecord } from '../../core/runs/runRecord.js';
import { secretArguments } from '../../core/present/form/argumentSteps.js';
import { runTime } from '../../core/present/text/runTexts.js';
import type { ExtensionServices } from './services.js';
import type { Invocation } from './invocation.js';

/** A call as stored in the history or in a favorite. */
export type SavedCall = Pick<RunRecord, 'server' | 'tool' | 'arguments' | 'omitted'>;

/** Returns the call of the selected run, favorite, or tool. Asks the user if there is no selection. */
export async function chooseCall(
  deck: Pick<ExtensionServices, 'host' | 'runLog' | 'runs'>,
  invocation: Invocation,
): Promise<SavedCall> {
  const { target, call } = invocation;
  if (call) return namedCall(deck, call);
  if (target?.favourite !== undefined) return favouriteTarget(deck, invocation);
  if (target?.server !== undefined && target.tool !== undefined) return lastCall(deck, target.server, target.tool);
  return chooseRun(deck, invocation, vscode.l10n.t('Choose a Run'));
}

/** Finds the favorite with the name `favourite` or the run with the ID `run`, which a keybinding passes. */
async function namedCall(
  { runLog }: Pick<ExtensionServices, 'runLog'>,
  { favourite: name, run: id }: Readonly<Record<string, unknown>>,
): Promise<SavedCall> {
  const { history } = runLog;
  await history.whenRead();
  const found =
    typeof name === 'string'
      ? history.favourites().find((favourite) => favourite.name === name)
      : typeof id === 'string'
        ? history.run(id)
        : undefined;
  if (found) return found;
  const known = history
    .favourites()
    .map((favourite) => `"${favourite.name}"`)
    .join(', ');
  throw new HostError(
    'invalid-arguments',
    typeof name === 'string'
      ? vscode.l10n.t('There is no favorite "{0}".', visibleLine(name, 100))
      : vscode.l10n.t('The argument does not specify a favorite or a run in the history.'),
    {
      hint: known === '' ? vscode.l10n.t('There are no favorites yet.') : vscode.l10n.t('Favorites: {0}.', known),
    },
  );
}

/** Returns the favorite of the selected line, or the favorite that the argument object specifies. */
export function favouriteTarget(
  { runLog: { history } }: Pick<ExtensionServices, 'runLog'>,
  { target, call }: Invocation,
): Favourite {
  const favourite = call
    ? history.favourites().find(({ name }) => name === call.favourite)
    : target?.favourite === undefined
      ? undefined
      : history.favourite(target.favourite);
  if (!favourite)
    throw new UserError(
      call
        ? vscode.l10n.t('There is no favorite "{0}".', visibleLine(String(call.favourite), 100))
        : vscode.l10n.t('This favorite was removed.'),
    );
  return favourite;
}

/**
 * Returns the run of the selected line or of the argument object, or asks the user to select one from a list. The list
 * leaves out the run `except` and shows runs of the same tool first.
 */
export async function chooseRun(
  { runLog }: Pick<ExtensionServices, 'runLog'>,
  { target, call }: Invocation,
  title: string,
  except?: RunRecord,
): Promise<RunRecord> {
  const { history } = runLog;
  await history.whenRead();
  const id = call ? call.run : target?.run;
  if (call ?? id !== undefined) {
    const run = typeof id === 'string' ? history.run(id) : undefined;
    if (!run) throw new UserError(vscode.l10n.t('This run is no longer in the history.'));
    return run;
  }
  const runs = history.runs().filter(({ id }) => id !== except?.id);
  if (runs.length === 0)
    throw new UserError(
      except
        ? vscode.l10n.t('There is no other run to compare with.')
        : vscode.l10n.t('No tool has been run in this workspace yet.'),
    );
  const isAlike = (run: RunRecord) => run.tool === except?.tool && run.server === except.server;
  const sorted = except ? [...runs.filter(isAlike), ...runs.filter((run) => !isAlike(run))] : runs;
  const items = sorted.map((run) => ({
    label: visibleLine(run.tool, 80),
    description: `${visibleLine(run.server, 60)} · ${runTime(run.startedAt, Date.now(), vscode.env.language)}`,
    detail: visibleLine(run.summary, 120),
    run,
  }));
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, matchOnDetail: true });
  if (!picked) throw new HostError('cancelled', 'No run was picked.');
  return picked.run;
}

/** The arguments of the tool's last run, without secrets. */
export function lastCall(
  { host, runs }: Pick<ExtensionServices, 'host' | 'runs'>,
  server: string,
  tool: string,
): SavedCall {
  const values = runs.argumentsOf(server, tool) ?? {};
  const schema = host.servers.get(server)?.features?.tools.find(({ name }) => name === tool)?.inputSchema;
  // Stored arguments contain no secrets, so without a schema only the names are checked again.
  const secrets = secretArguments(schema ?? {}, values);
  return {
    server,
    tool,
    arguments: Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name))),
    omitted: [...secrets],
  };
}

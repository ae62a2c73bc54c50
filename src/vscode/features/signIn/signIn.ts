import * as vscode from 'vscode';
import type { SignInOptions } from '../../../core/auth/oauthOptions.js';
import type { AccountInfo } from '../../../core/auth/serverRecord.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import type { SignInApi } from '../../../core/host/signInApi.js';
import { accountDetail, accountName, registrationDetail } from '../../../core/present/text/accountText.js';
import type { ServerSummary } from '../../../core/present/server/serverSummary.js';
import { summarizeServer } from '../../../core/present/server/serverSummary.js';
import { concerning } from '../../ui/commandFunnel.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { askForClient } from './vsCodeSignIn.js';
import { TraceDocuments } from './traceDocuments.js';
import { chooseServer, namedServer } from '../../ui/chooseServer.js';
import { startVisibly } from '../../ui/pickTarget.js';
import { showLineInput, withProgress } from '../../adapters/userMessages.js';
import type { Audit } from '../../../core/consent/audit.js';
import { askToWiden, askUnlessProven } from '../../ui/confirm.js';

/**
 * Commands that sign in, sign out, and manage accounts. A script cannot answer the question that is shown before the
 * browser opens.
 */
export const signInCommands: Feature = {
  name: 'sign-in commands',
  register({
    host,
    commands,
    consent: { audit },
  }: Pick<ExtensionServices, 'commands' | 'consent' | 'host'>): Disposable {
    const store = new DisposableStore();
    const traces = store.add(new TraceDocuments(host.signIns));
    store.add(commands.defineCommand(commandIds.signIn, (invocation) => signInTo(host, invocation)));
    store.add(commands.defineCommand(commandIds.signOut, (invocation) => signOut(host, audit, invocation)));
    store.add(commands.defineCommand(commandIds.manageAccounts, (invocation) => manageAccounts(host, invocation)));
    store.add(
      commands.defineCommand(commandIds.forgetRegistration, (invocation) =>
        forgetRegistration(host, audit, invocation),
      ),
    );
    store.add(commands.defineCommand(commandIds.setClientId, (invocation) => setClientId(host, invocation)));
    store.add(
      commands.defineCommand(commandIds.showSignInTrace, async (invocation) =>
        traces.open((await chooseServer(host.servers, invocation, traceQuestion(host.signIns))).id),
      ),
    );
    return store;
  },
};

/** The parts of the host that a sign-in needs. `lifecycle` starts the server after the sign-in. */
type SignInHost = Pick<HostApi, 'servers' | 'lifecycle' | 'signIns'>;

async function signInTo(host: SignInHost, invocation: Invocation<'signIn'>): Promise<ServerSummary> {
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Sign In'),
    isCandidate: (view) => isRemote(view) && view.auth?.state.kind !== 'signedIn',
    noneMessage: vscode.l10n.t(
      'No remote server is waiting for a sign-in. To see all accounts, run "MCP Deck: Accounts…".',
    ),
  });
  // The scopes are known only after the server has refused a connection, so the server is started first. During this
  // start, the user may already sign in.
  if (host.servers.get(id)?.auth === undefined) await startVisibly(host, id);
  if (host.servers.get(id)?.auth?.state.kind !== 'signedIn') await signIn(host, id);
  return summarizeServer(namedServer(host.servers, id));
}

/**
 * Signs in, with a notification in which the user can cancel. Then starts the server, or restarts it if it used another
 * account.
 */
async function signIn(host: SignInHost, id: string, options?: SignInOptions): Promise<AccountInfo> {
  const title = vscode.l10n.t('Signing in to "{0}"', visibleLine(id, 80));
  const account = await withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (progress, token) => {
      progress.report({ message: vscode.l10n.t('finish the sign-in in the browser') });
      token.onCancellationRequested(() => host.signIns.cancel(id));
      return concerning(id, host.signIns.signIn(id, options));
    },
  );
  const view = host.servers.get(id);
  if (view?.state.kind === 'running' && options?.account !== undefined)
    await concerning(id, host.lifecycle.restart(id, { interactive: true }));
  else if (view?.entry.isEnabled === true) await concerning(id, host.lifecycle.start(id, { interactive: true }));
  return account;
}

async function signOut(host: SignInHost, audit: Audit, invocation: Invocation<'signOut'>): Promise<void> {
  const { call, target } = invocation;
  const server = call ? namedServer(host.servers, call.server).id : target?.server;
  const accounts = await host.signIns.accounts(server);
  if (accounts.length === 0)
    throw new HostError('unsupported', vscode.l10n.t('No account is signed in.'), {
      hint: vscode.l10n.t('To sign in, run "MCP Deck: Sign In…".'),
    });
  const [only] = accounts;
  const isOne = accounts.length === 1 && server !== undefined;
  const account = isOne ? only : await pickAccount(accounts, vscode.l10n.t('Sign Out'));
  if (!account) return;
  // If the user selected the account from a list, they have already decided. An argument of a command is not a decision
  // of the user.
  if (call || isOne) {
    await askUnlessProven(audit, invocation, {
      ...(server === undefined ? {} : { server }),
      message: vscode.l10n.t('Sign out of "{0}"?', visibleName(account.serverName, 80)),
      detail: vscode.l10n.t(
        'The account {0} is removed from MCP Deck, and servers that use it stop.',
        accountName(account),
      ),
      go: vscode.l10n.t('Sign Out'),
    });
  }
  await signOutOf(host, account);
}

/** Signs out of an account and stops the servers that use it. */
async function signOutOf(host: Pick<HostApi, 'signIns' | 'lifecycle'>, account: AccountInfo): Promise<void> {
  await host.signIns.signOut(account);
  if (account.isSelected) await Promise.all(host.signIns.serversOf(account).map((id) => host.lifecycle.stop(id)));
  void vscode.window.setStatusBarMessage(
    vscode.l10n.t('Signed out of "{0}"', visibleLine(account.serverName, 80)),
    5_000,
  );
}

/** Lists all accounts, or those of one server, and shows the actions for the account that the user selects. */
async function manageAccounts(
  host: SignInHost,
  { call, target }: Invocation<'manageAccounts'>,
): Promise<AccountInfo[] | undefined> {
  const server = call?.server === undefined ? target?.server : namedServer(host.servers, call.server).id;
  const accounts = await host.signIns.accounts(server);
  if (call) return accounts;
  const add =
    server === undefined
      ? []
      : [{ label: vscode.l10n.t('Add Account…'), iconPath: new vscode.ThemeIcon('add'), alwaysShow: true }];
  if (accounts.length + add.length === 0)
    throw new HostError('unsupported', vscode.l10n.t('No account is signed in.'), {
      hint: vscode.l10n.t('To sign in, run "MCP Deck: Sign In…".'),
    });
  const title =
    server === undefined ? vscode.l10n.t('Accounts') : vscode.l10n.t('Accounts of "{0}"', visibleLine(server, 80));
  const picked = await pick<vscode.QuickPickItem & { account?: AccountInfo }>(
    [...accountItems(accounts, server === undefined), ...add],
    title,
  );
  if (picked.account) await actOn(host, picked.account);
  else if (server !== undefined) await addAccount(host, server, accounts);
  return undefined;
}

async function actOn(host: SignInHost, account: AccountInfo): Promise<void> {
  const use = {
    label: vscode.l10n.t('Use This Account'),
    iconPath: new vscode.ThemeIcon('check'),
    run: () => useAccount(host, account),
  };
  const signOutItem = {
    label: vscode.l10n.t('Sign Out'),
    iconPath: new vscode.ThemeIcon('sign-out'),
    run: () => signOutOf(host, account),
  };
  const picked = await pick(
    [...(account.isSelected ? [] : [use]), signOutItem],
    `${visibleLine(account.serverName, 80)}: ${accountName(account)}`,
  );
  await picked.run();
}

async function useAccount(host: SignInHost, account: AccountInfo): Promise<void> {
  await host.signIns.select(account);
  // The lists and resources of running servers belong to the previous account, so these servers are restarted.
  const running = host.signIns.serversOf(account).filter((id) => host.servers.get(id)?.state.kind === 'running');
  await Promise.all(running.map((id) => concerning(id, host.lifecycle.restart(id, { interactive: true }))));
}

async function addAccount(host: SignInHost, server: string, accounts: readonly AccountInfo[]): Promise<void> {
  const taken = new Set(accounts.map(({ account }) => account));
  const account = await showLineInput({
    title: vscode.l10n.t('Add Account to "{0}"', visibleLine(server, 80)),
    prompt: vscode.l10n.t('A name for the account, such as "work". You then use the browser to sign in.'),
    ignoreFocusOut: true,
    validateInput: (value) =>
      taken.has(value.trim()) ? vscode.l10n.t('An account with this name already exists.') : undefined,
  });
  const name = account?.trim() ?? '';
  if (name !== '') await signIn(host, server, { account: name });
}

async function forgetRegistration(
  host: Pick<HostApi, 'servers' | 'signIns'>,
  audit: Audit,
  invocation: Invocation<'forgetRegistration'>,
): Promise<void> {
  const { call, target } = invocation;
  const server = call ? namedServer(host.servers, call.server).id : target?.server;
  const registrations = await host.signIns.registrations(server);
  if (registrations.length === 0)
    throw new HostError('unsupported', vscode.l10n.t('There is no registration to delete.'), {
      hint: vscode.l10n.t('MCP Deck registers itself when you first sign in.'),
    });
  const items = registrations.map((registration) => ({
    label: visibleLine(registration.serverName, 80),
    description: visibleLine(registration.clientId, 80),
    detail: registrationDetail(registration),
    registration,
  }));
  const [only] = items;
  const picked = call && only ? only : await pick(items, vscode.l10n.t('Forget Registration'));
  if (call) {
    await askToWiden(audit, invocation, {
      message: vscode.l10n.t('Forget the registration with "{0}"?', visibleName(picked.registration.issuer, 200)),
      detail: vscode.l10n.t('The next sign-in creates a new registration.'),
      go: vscode.l10n.t('Forget Registration'),
    });
  }
  await host.signIns.forgetRegistration(picked.registration);
  void vscode.window.setStatusBarMessage(
    vscode.l10n.t(
      'The registration with {0} is forgotten. The next sign-in creates a new one',
      visibleLine(picked.registration.issuer, 80),
    ),
    5_000,
  );
}

async function setClientId(
  host: Pick<HostApi, 'servers' | 'signIns'>,
  invocation: Invocation<'setClientId'>,
): Promise<void> {
  const { id } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Set OAuth Client ID'),
    isCandidate: isRemote,
    noneMessage: vscode.l10n.t('No remote server is configured.'),
  });
  // A client ID belongs to one issuer and is never sent to another issuer.
  const issuer = await withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Looking up the authorization server of "{0}"', visibleLine(id, 80)),
    },
    () => concerning(id, host.signIns.findIssuer(id)),
  );
  const client = await askForClient({
    title: vscode.l10n.t('Client ID for "{0}"', visibleLine(id, 80)),
    prompt: vscode.l10n.t(
      'The client ID that the operator of {0} gave you. MCP Deck sends it only to {0}.',
      visibleLine(issuer, 120),
    ),
  });
  if (client) await host.signIns.setClient(id, issuer, client);
}

function traceQuestion(signIns: SignInApi) {
  return {
    title: vscode.l10n.t('View Sign-in Trace'),
    isCandidate: ({ id }: ServerView) => signIns.traces(id).length > 0,
    noneMessage: vscode.l10n.t('No sign-in has taken place in this window yet.'),
  };
}

function isRemote({ entry: { definition } }: ServerView): boolean {
  return definition.type !== 'stdio' && definition.type !== 'builtin' && definition.type !== 'socket';
}

async function pickAccount(accounts: readonly AccountInfo[], title: string): Promise<AccountInfo> {
  return (await pick(accountItems(accounts, true), title)).account;
}

function accountItems(accounts: readonly AccountInfo[], namesServer: boolean) {
  return accounts.map((account) => {
    const use = account.isSelected ? vscode.l10n.t('in use') : undefined;
    return {
      label: accountName(account),
      description: [namesServer ? visibleLine(account.serverName, 80) : undefined, use]
        .filter((part) => part !== undefined)
        .join(' · '),
      detail: accountDetail(account, Date.now()),
      iconPath: new vscode.ThemeIcon('account'),
      account,
    };
  });
}

/** Asks the user to select an item. Rejects with `cancelled` if none is selected. */
async function pick<T extends vscode.QuickPickItem>(items: readonly T[], title: string): Promise<T> {
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true, matchOnDetail: true });
  if (!picked) throw new HostError('cancelled', 'Nothing was picked.');
  return picked;
}

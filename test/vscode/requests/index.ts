import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { CreateMessageRequest } from '../../../src/core/protocol/mcp.js';
import type { ServerEntry } from '../../../src/core/registry/serverEntry.js';
import type { WaitingRequest } from '../../../src/core/requests/requestQueue.js';
import { RequestQueue } from '../../../src/core/requests/requestQueue.js';
import { SamplingPolicies } from '../../../src/core/requests/samplingPolicies.js';
import { UserRun } from '../../../src/core/runs/userRun.js';
import { noticeRequests, showRequestStatus } from '../../../src/vscode/features/requests/requestNotices.js';
import { TitleButtons } from '../../../src/vscode/ui/titleButtons.js';
import { showRunProgress } from '../../../src/vscode/ui/runProgress.js';
import { afterAll, afterEach, beforeAll, makeRun, suite, test } from '../runner.js';
import type { Dialogs } from '../support/dialogs.js';
import { answerModals, pressing } from '../support/dialogs.js';
import { command, failureOf, folder, textOf, untilState, until } from '../support/host.js';
import { outcome, replace, restores, runTool, whenAsked } from './askingServer.js';
// Its decisions are part of the audit log, which the tests below read.
import './sampling.js';

/** Opens the request of the focused line, and accepts what opens, with commands that any program can run. */
async function acceptFirst(dialogs: Dialogs): Promise<void> {
  const before = dialogs.asked.length;
  await until('a question about the answer', async () => {
    await vscode.commands.executeCommand('mcpDeck.requests.focus');
    await vscode.commands.executeCommand('list.focusFirst');
    await vscode.commands.executeCommand('list.select');
    await vscode.commands.executeCommand('quickInput.accept');
    return dialogs.asked.length > before;
  });
}

suite('requests of servers to the user', () => {
  beforeAll(() => command('mcpDeck.startServer', { server: 'asking' }).then(() => untilState('asking', 'running')));
  afterEach(() => restores.splice(0).forEach((restore) => restore()));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('[C9] a form can be accepted, declined and dismissed, which are different answers', async () => {
    const accepted = runTool('ask_nothing');
    const dialogs = answerModals(() => 'Accept');
    restores.push(() => dialogs.restore());
    await whenAsked('mcpDeck.answerRequest');
    assert.deepEqual(await outcome(accepted), { result: { action: 'accept', content: {} } });
    // Enter presses the first button.
    assert.deepEqual(dialogs.asked[0]?.buttons, ['Decline', 'Accept', 'Dismiss', 'Not Now']);

    const declined = runTool('ask_form');
    await whenAsked('mcpDeck.declineRequest');
    assert.deepEqual(await outcome(declined), { result: { action: 'decline' } });

    const dismissed = runTool('ask_form');
    await whenAsked('mcpDeck.dismissRequest');
    assert.deepEqual(await outcome(dismissed), { result: { action: 'cancel' } });
  });

  test('[C9] a program that opens the first request and accepts its fields sends nothing without the user', async () => {
    let button = 'Cancel';
    const dialogs = answerModals(() => button);
    restores.push(() => dialogs.restore());
    const accept = () => acceptFirst(dialogs);
    const running = runTool('ask_ready');
    await accept();
    assert.match(dialogs.asked[0]?.message ?? '', /^Send this answer to "asking"\?$/);
    assert.match(dialogs.asked[0]?.detail ?? '', /^Town: "Bern"/);
    button = 'Send Answer';
    await accept();
    assert.deepEqual(await outcome(running), { result: { action: 'accept', content: { town: 'Bern' } } });
  });

  test('[C9] an answer that is too long for the question is opened before it can be sent', async () => {
    const dialogs = answerModals(() => 'Cancel');
    restores.push(() => dialogs.restore());
    const running = runTool('ask_long');
    await acceptFirst(dialogs);
    assert.deepEqual(dialogs.asked[0]?.buttons, ['Learn More', 'Show All']);
    await command('mcpDeck.declineRequest');
    assert.deepEqual(await outcome(running), { result: { action: 'decline' } });
  });

  test('a run that waits for the user says so in the status bar instead of a second notification', async () => {
    const shown: string[] = [];
    replace(vscode.window, 'withProgress', ((
      { location }: vscode.ProgressOptions,
      task: (progress: vscode.Progress<{ message?: string }>, token: vscode.CancellationToken) => Thenable<unknown>,
    ) => {
      const place = location === vscode.ProgressLocation.Window ? 'status bar' : 'notification';
      const report = ({ message = '' }) => shown.push(`${place}: ${message}`);
      return task({ report }, new vscode.CancellationTokenSource().token).then(() => shown.push(`${place} closed`));
    }) as unknown as typeof vscode.window.withProgress);
    let request: WaitingRequest | undefined;
    let changed: () => void = () => undefined;
    let asks: (isWaiting: boolean) => void = () => undefined;
    let end: (text: string) => void = () => undefined;
    const run = new UserRun<string>({
      perform: ({ onAsk }) => {
        asks = onAsk;
        return new Promise((resolve) => (end = resolve));
      },
    });
    const running = showRunProgress('Running fill_in', run, {
      first: () => request,
      onDidChange: (listener) => {
        changed = listener;
        return { dispose: () => undefined };
      },
    });
    const untilShown = (what: RegExp) => until(String(what), () => what.test(shown.at(-1) ?? ''));
    await untilShown(/^notification: \d+ s$/);
    request = { id: 'request-7' } as WaitingRequest;
    changed();
    await untilShown(/^status bar: Waiting for your answer$/);
    assert.ok(shown.includes('notification closed'));
    request = undefined;
    changed();
    await untilShown(/^notification: \d+ s$/);
    // A question about the call itself, which VS Code shows as a dialog.
    asks(true);
    await untilShown(/^status bar: Waiting for your answer$/);
    asks(false);
    await untilShown(/^notification: \d+ s$/);
    end('done');
    assert.equal((await running).kind, 'done');
    assert.equal(shown.at(-1), 'notification closed');
  });

  test('a notification of a request begins with its buttons, and the status bar keeps the request', async () => {
    const texts: string[] = [];
    const ended: string[] = [];
    replace(vscode.window, 'withProgress', (async (
      _options: vscode.ProgressOptions,
      task: (progress: vscode.Progress<{ message?: string }>) => Thenable<unknown>,
    ) => {
      await task({ report: ({ message }) => texts.push(message ?? '') });
      ended.push('notification');
    }) as unknown as typeof vscode.window.withProgress);
    const item = { isVisible: false } as vscode.StatusBarItem & { isVisible: boolean };
    Object.assign(item, {
      show: () => (item.isVisible = true),
      hide: () => (item.isVisible = false),
      dispose: () => undefined,
    });
    replace(vscode.window, 'createStatusBarItem', () => item);
    const queue = new RequestQueue(new SamplingPolicies({ get: () => undefined, set: () => Promise.resolve() }));
    restores.push(
      () => notices.dispose(),
      () => status.dispose(),
    );
    const notices = noticeRequests(queue, new TitleButtons(), 1);
    const status = showRequestStatus(queue);
    assert.equal(item.isVisible, false);
    const entry = { id: 'desk', name: 'desk' } as ServerEntry;
    const question = {
      messages: [{ role: 'user', content: { type: 'text', text: 'Sum. '.repeat(90) } }],
      maxTokens: 9,
    };
    const answer = queue.createMessage(entry, question as CreateMessageRequest, new AbortController().signal);
    answer.catch(() => undefined);
    await until('the notification has closed by itself', () => ended[0]);
    assert.match(
      texts[0] ?? '',
      /^\[Answer…\]\(command:[^ )]*\) · \[Decline\]\(command:[^ )]*\) – "desk" requests a model response/,
    );
    assert.deepEqual(
      [item.isVisible, item.text, item.command],
      [true, '$(bell-dot) "desk" is waiting for your answer', 'mcpDeck.answerRequest'],
    );
    queue.decline(queue.waiting[0]?.id ?? '');
    assert.equal(item.isVisible, false);
  });

  test('[C9] a form that asks for a secret shows a warning with the configured server name', async () => {
    const shown: { title: string; labels: string[] }[] = [];
    replace(vscode.window, 'showQuickPick', ((
      items: readonly vscode.QuickPickItem[],
      options: vscode.QuickPickOptions,
    ) => {
      shown.push({ title: options.title ?? '', labels: items.map(({ label }) => label) });
      return Promise.resolve(items.find(({ label }) => label.endsWith('Decline')));
    }) as unknown as typeof vscode.window.showQuickPick);
    const running = runTool('ask_secret');
    await whenAsked('mcpDeck.answerRequest');
    assert.deepEqual(await outcome(running), { result: { action: 'decline' } });
    assert.deepEqual(shown, [
      {
        title: 'Request from "asking"',
        labels: [
          '$(edit) Answer…',
          '$(warning) "Password" looks like a secret',
          '$(circle-slash) Decline',
          '$(close) Dismiss',
        ],
      },
    ]);
  });

  test('[C10] a page opens only after a question that shows the full address', async () => {
    const opened: string[] = [];
    replace(vscode.env, 'openExternal', (uri) => Promise.resolve(Boolean(opened.push(uri.toString()))));
    let answer = 'Not Now';
    const dialogs = answerModals(() => answer);
    restores.push(() => dialogs.restore());
    const running = runTool('ask_page');
    assert.equal(await whenAsked('mcpDeck.answerRequest'), 'left for later');
    assert.deepEqual(opened, []);
    answer = 'Open Page';
    await command('mcpDeck.answerRequest');
    assert.deepEqual(await outcome(running), { result: { action: 'accept' } });
    assert.equal(opened.length, 1);
    assert.match(decodeURIComponent(opened[0] ?? ''), /^https:\/\/pay\.example\/confirm\?id=42$/);
    assert.equal(dialogs.asked[0]?.message, '"asking" asks you to open a page on pay.example.');
    assert.match(dialogs.asked[0]?.detail ?? '', /Address: https:\/\/pay\.example\/confirm\?id=42/);
    assert.equal(dialogs.asked[0]?.buttons[0], 'Decline');
  });

  test('[elicitation.url] a call waits for an opened page until the user confirms, in a message or in the view', async () => {
    const pages = (tool: string, args: object = {}) =>
      command('mcpDeck.runTool', { server: 'pages', tool, arguments: args }).then(textOf);
    replace(vscode.env, 'openExternal', () => Promise.resolve(true));
    const dialogs = answerModals(() => 'Open Page');
    restores.push(() => dialogs.restore());
    const [messages, questions]: [string[], string[]] = [[], []];
    let [button, choice]: (string | undefined)[] = [];
    replace(
      vscode.window,
      'showInformationMessage',
      (message: string, ...rest: (string | vscode.MessageOptions | vscode.MessageItem)[]) => {
        const isModal = rest.some((one) => typeof one === 'object' && 'modal' in one);
        (isModal ? questions : messages).push(message);
        return Promise.resolve(
          rest.find((one) => (typeof one === 'string' ? one === button : 'title' in one && one.title === choice)),
        );
      },
    );
    const waits = '"pages" is waiting for you to finish on sign.example.';
    await command('mcpDeck.startServer', { server: 'pages' });

    let running = pages('need_page');
    await whenAsked('mcpDeck.answerRequest');
    await until('a message reports the wait', () => messages.includes(waits));
    assert.equal(await whenAsked('mcpDeck.answerRequest'), 'left for later');
    await pages('finish_page', { isTold: false });
    choice = 'Continue';
    await command('mcpDeck.answerRequest');
    assert.equal(await running, 'signed');
    assert.deepEqual(questions, [waits, waits]);

    await pages('begin_anew');
    messages.length = 0;
    running = pages('need_page');
    await whenAsked('mcpDeck.answerRequest');
    await until('a message reports the wait', () => messages.includes(waits));
    await pages('finish_page');
    assert.equal(await running, 'signed', 'the server reported it');

    await pages('begin_anew');
    button = 'Give Up';
    const given = failureOf(pages('need_page'));
    await whenAsked('mcpDeck.answerRequest');
    assert.equal((await given).message, 'Canceled');
    assert.match((await failureOf(command('mcpDeck.declineRequest'))).message, /No server is waiting for an answer/);
    await command('mcpDeck.stopServer', { server: 'pages' });
  });

  test('[C11] a flood of requests is one list: the first 20 wait, the rest are refused', async () => {
    const running = runTool('ask_many');
    // The dialog of the first request, if no other one waits yet.
    const dialogs = answerModals(() => undefined);
    restores.push(() => dialogs.restore());
    const lists: number[] = [];
    let isChosen = false;
    replace(vscode.window, 'showQuickPick', ((items: readonly vscode.QuickPickItem[]) => {
      lists.push(items.length);
      return Promise.resolve(isChosen ? items[0] : undefined);
    }) as unknown as typeof vscode.window.showQuickPick);
    await until(
      '20 wait',
      async () => (await whenAsked('mcpDeck.answerRequest')) === 'left for later' && lists.at(-1) === 20,
    );
    // Otherwise later requests would take the places of the declined ones.
    await until('30 were refused', async () => (await outcome(runTool('count_refused'))) === 30);
    isChosen = true;
    await command('mcpDeck.declineAllRequests');
    const answers = (await outcome(running)) as string[];
    assert.deepEqual(
      [answers.filter((one) => one === 'decline').length, answers.filter((one) => one === 'refused').length],
      [20, 30],
    );
  });

  test('[C8, C9] the audit log contains the decisions about requests, never the answers', async () => {
    const running = runTool('ask_small');
    await whenAsked('mcpDeck.declineRequest');
    await outcome(running);
    await command('mcpDeck.showAuditLog', { server: 'asking' });
    const log = await until('the audit log is open', () =>
      vscode.workspace.textDocuments
        .find(({ uri }) => uri.scheme === 'mcpdeck-consent' && uri.path.includes('asking'))
        ?.getText(),
    );
    assert.match(log, /form answered +asking · for you\n/);
    assert.match(log, /form refused +asking · for a keybinding, a task input, or another extension\n/);
    assert.match(log, /sampling changed +asking · policy: never/);
  });

  test('a request disappears when its server no longer waits', async () => {
    const running = failureOf(runTool('ask_nothing'));
    const dialogs = answerModals(() => undefined);
    restores.push(() => dialogs.restore());
    assert.equal(await whenAsked('mcpDeck.answerRequest'), 'left for later');
    await command('mcpDeck.stopServer', { server: 'asking' });
    assert.notEqual((await running).message, '');
    assert.match((await failureOf(command('mcpDeck.declineRequest'))).message, /No server is waiting for an answer/);
    await command('mcpDeck.startServer', { server: 'asking' });
  });

  test('[C12] a server sees the roots that were selected for it at once', async () => {
    const roots = async () =>
      ((await outcome(runTool('list_roots'))).result.roots as { uri: string }[]).map(({ uri }) => uri);
    assert.deepEqual(await roots(), [pathToFileURL(folder().uri.fsPath).href]);
    replace(vscode.window, 'showQuickPick', (() =>
      Promise.resolve([])) as unknown as typeof vscode.window.showQuickPick);
    await command('mcpDeck.chooseRoots', { server: 'asking' });
    assert.deepEqual(await roots(), []);
    replace(vscode.window, 'showQuickPick', ((items: readonly vscode.QuickPickItem[]) =>
      Promise.resolve(items)) as unknown as typeof vscode.window.showQuickPick);
    replace(vscode.window, 'showOpenDialog', () => Promise.resolve([vscode.Uri.joinPath(folder().uri, 'docs')]));
    const choose = () => command('mcpDeck.chooseRoots', { server: 'asking' });
    const refused = await pressing('Cancel', () => failureOf(choose()));
    assert.match(refused.asked[0]?.message ?? '', /^Add roots for "asking"\?$/);
    assert.deepEqual(await roots(), [], '[C20] a list that any program can accept adds no root');
    await pressing('Add Roots', choose);
    assert.deepEqual(await roots(), [
      pathToFileURL(folder().uri.fsPath).href,
      pathToFileURL(`${folder().uri.fsPath}/docs`).href,
    ]);
  });
});

export const run = makeRun();

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, makeRun, suite, test } from '../runner.js';
import { answerModals, pressing } from '../support/dialogs.js';
import { command, failureOf, folder, textOf, untilState, until } from '../support/host.js';
import { assertNoCommandLinks } from '../support/links.js';

const runTool = (tool: string) => command('mcpDeck.runTool', { server: 'asking', tool });
const outcome = async (running: Promise<unknown>): Promise<any> => JSON.parse(textOf(await running)) as unknown;
/** Runs a command about the one request that waits, as soon as there is one; leaving it for later is an outcome, too. */
const whenAsked = (id: string) =>
  until(`${id} finds a request`, () =>
    command(id).then(
      () => 'done',
      ({ message }: Error) =>
        message === 'Canceled' ? 'left for later' : message.startsWith('No server waits') ? undefined : message,
    ),
  );

/** Replaces a function of `vscode` until the test ends; the extension has the same one. */
const restores: (() => void)[] = [];
function replace<T extends object, K extends keyof T>(owner: T, key: K, replacement: T[K]): void {
  const original = owner[key];
  owner[key] = replacement;
  restores.push(() => (owner[key] = original));
}
/** Picks the item whose label ends with `label` in every list that opens. */
function pick(...labels: string[]): void {
  replace(vscode.window, 'showQuickPick', (async (items: readonly vscode.QuickPickItem[]) =>
    items.find((item) =>
      labels.some((label) => item.label.endsWith(label)),
    )) as unknown as typeof vscode.window.showQuickPick);
}
const document = (role: string) =>
  until(`the ${role} document is open`, () =>
    vscode.window.visibleTextEditors.find(
      ({ document: { uri } }) => uri.scheme === 'mcpdeck-request' && uri.path.startsWith(`/${role}/`),
    ),
  );

const documentsClosed = () =>
  until('the documents of requests are closed', () =>
    vscode.window.tabGroups.all.every(({ tabs }) =>
      tabs.every(({ input }) => !(input instanceof vscode.TabInputText) || input.uri.scheme !== 'mcpdeck-request'),
    ),
  );

suite('what servers ask of the user', () => {
  beforeAll(() => command('mcpDeck.startServer', { server: 'asking' }).then(() => untilState('asking', 'running')));
  afterEach(() => restores.splice(0).forEach((restore) => restore()));
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('[C9] a form is accepted, declined and dismissed, which are three answers', async () => {
    pick('Accept');
    const accepted = runTool('ask_nothing');
    await whenAsked('mcpDeck.answerRequest');
    assert.deepEqual(await outcome(accepted), { result: { action: 'accept', content: {} } });

    const declined = runTool('ask_form');
    await whenAsked('mcpDeck.declineRequest');
    assert.deepEqual(await outcome(declined), { result: { action: 'decline' } });

    const dismissed = runTool('ask_form');
    await whenAsked('mcpDeck.dismissRequest');
    assert.deepEqual(await outcome(dismissed), { result: { action: 'cancel' } });
  });

  test('[C9] a form that asks for a secret warns, with our name of the server', async () => {
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
        title: 'asking asks',
        labels: [
          '$(edit) Answer…',
          '$(warning) "Password" looks like a secret',
          '$(circle-slash) Decline',
          '$(close) Dismiss',
        ],
      },
    ]);
  });

  test('[C10] a page opens only after a question that shows the whole address', async () => {
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

  test('[elicitation.url] a page that was opened is waited for until its user says to be done, in a message or in the view', async () => {
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
    const waits = '"pages" waits until you are done at sign.example.';
    await command('mcpDeck.startServer', { server: 'pages' });

    let running = pages('need_page');
    await whenAsked('mcpDeck.answerRequest');
    await until('a message tells of the wait', () => messages.includes(waits));
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
    await until('a message tells of the wait', () => messages.includes(waits));
    await pages('finish_page');
    assert.equal(await running, 'signed', 'the server itself has told');

    await pages('begin_anew');
    button = 'Give Up';
    const given = failureOf(pages('need_page'));
    await whenAsked('mcpDeck.answerRequest');
    assert.equal((await given).message, 'Canceled');
    assert.match((await failureOf(command('mcpDeck.declineRequest'))).message, /No server waits for an answer/);
    await command('mcpDeck.stopServer', { server: 'pages' });
  });

  test('[C11] a flood of requests is one list: the first 20 wait, the rest is refused', async () => {
    const running = runTool('ask_many');
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
    // Else those that come later would wait in the place of the declined ones.
    await until('30 were refused', async () => (await outcome(runTool('count_refused'))) === 30);
    isChosen = true;
    await command('mcpDeck.declineAllRequests');
    const answers = (await outcome(running)) as string[];
    assert.deepEqual(
      [answers.filter((one) => one === 'decline').length, answers.filter((one) => one === 'refused').length],
      [20, 30],
    );
  });

  test('sampling shows the request, then the answer, and sends what was approved', async () => {
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    const asked = await document('asked');
    assert.match(
      asked.document.getText(),
      /"asking" requests a model response \(sampling\): at most 50 tokens, temperature 0\.1\.[^]*You name things in one word\.[^]*Name this project\./,
    );
    const from = asked.document.getText().indexOf('Name this project.');
    await asked.edit((edit) =>
      edit.replace(
        new vscode.Range(asked.document.positionAt(from), asked.document.positionAt(from + 18)),
        'Name my boat.',
      ),
    );
    const models: string[] = [];
    replace(vscode.window, 'showQuickPick', ((items: readonly vscode.QuickPickItem[]) => {
      models.push(...items.map(({ label }) => label));
      return Promise.resolve(items[0]);
    }) as unknown as typeof vscode.window.showQuickPick);
    await pressing('Ask the Model', () => command('mcpDeck.approveSampling'));
    assert.deepEqual(models, ['Scripted Two', 'Scripted One']); // as the server's hint has it
    const answer = await document('answer');
    assert.match(answer.document.getText(), /The script has no turn/);
    await pressing('Send Answer', () => command('mcpDeck.sendAnswer'));
    const { result } = await outcome(running);
    assert.equal(result.model, 'scripted-2');
    assert.match(result.content.text, /The script has no turn/);
    await documentsClosed();
    const again = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    await document('asked');
    models.length = 0;
    restores.splice(0).forEach((restore) => restore());
    replace(vscode.window, 'showQuickPick', ((items: readonly vscode.QuickPickItem[]) => {
      models.push(...items.map(({ label, description }) => `${label} ${description ?? ''}`));
      return Promise.resolve(items[1]);
    }) as unknown as typeof vscode.window.showQuickPick);
    await pressing('Ask the Model', () => command('mcpDeck.approveSampling'));
    assert.deepEqual(models, ['Scripted Two scripted, last used', 'Scripted One scripted']);
    await document('answer');
    await pressing('Send Answer', () => command('mcpDeck.sendAnswer'));
    assert.equal((await outcome(again)).result.model, 'scripted-1');
    await documentsClosed();
  });

  test('[documents.links] no link in the document of a sampling request, or of its answer, runs a command', async () => {
    const running = runTool('ask_linked');
    await whenAsked('mcpDeck.answerRequest');
    await assertNoCommandLinks((await document('asked')).document);
    await command('mcpDeck.answerSampling');
    const answer = await document('answer');
    await answer.edit((edit) =>
      edit.insert(answer.selection.active, '[run](command:workbench.action.toggleZenMode) https://example.org/'),
    );
    await assertNoCommandLinks(answer.document);
    await pressing('Send Answer', () => command('mcpDeck.sendAnswer'));
    assert.equal((await outcome(running)).result.model, 'human');
    await documentsClosed();
  });

  test('[C20] only the button in the title of its own document sends an answer, or a request to a model, without a question', async () => {
    const press = (id: string, address: object) =>
      vscode.commands.executeCommand('runCommands', { commands: [{ command: `mcpDeck.${id}`, args: address }] });
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    const asked = await document('asked');
    const forged = asked.document.uri.with({ query: '' }).toJSON() as object;
    const toModel = await pressing('Keep as It Is', async () => press('approveSampling', forged));
    assert.deepEqual(
      toModel.asked.map(({ message }) => message),
      ['Let a language model answer the request of "asking"?'],
    );
    // The token of the request is none for its answer.
    await command('mcpDeck.answerSampling');
    const answer = await document('answer');
    // What is typed at once is below the marker line, and an empty answer is not sent.
    await until('the cursor is at the end', () => answer.selection.active.line === answer.document.lineCount - 1);
    const empty = await pressing('Send Answer', () => failureOf(command('mcpDeck.sendAnswer')));
    assert.match(empty.value.message, /The answer is empty\./);
    await answer.edit((edit) => edit.insert(answer.selection.active, 'Deck'));
    const toServer = await pressing('Keep as It Is', async () =>
      press('sendAnswer', answer.document.uri.with({ query: asked.document.uri.query }).toJSON() as object),
    );
    assert.deepEqual(
      toServer.asked.map(({ message }) => message),
      ['Send the answer to "asking"?'],
    );
    const pressed = await pressing('Keep as It Is', async () =>
      press('sendAnswer', answer.document.uri.toJSON() as object),
    );
    assert.deepEqual(pressed.asked, []);
    assert.equal((await outcome(running)).result.model, 'human');
    await documentsClosed();
  });

  test('sampling can be answered without any model, and refused for ever', async () => {
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerSampling');
    const answer = await document('answer');
    await answer.edit((edit) => edit.insert(answer.document.lineAt(answer.document.lineCount - 1).range.end, 'Deck'));
    await pressing('Send Answer', () => command('mcpDeck.sendAnswer'));
    const { result } = await outcome(running);
    assert.deepEqual([result.model, result.content.text.trim()], ['human', 'Deck']);

    pick('Never Allow');
    await command('mcpDeck.setSamplingPolicy', { server: 'asking' });
    assert.deepEqual((await outcome(runTool('ask_model'))).error.code, -1);
    pick('Allow Without Asking');
    await command('mcpDeck.setSamplingPolicy', { server: 'asking' });
    assert.match((await outcome(runTool('ask_model'))).result.content.text, /The script has no turn/);
    pick('Ask Each Time');
    await command('mcpDeck.setSamplingPolicy', { server: 'asking' });
  });

  test('[C8] answers are capped for this server, and "not now" stays no for its session', async () => {
    const limits = (value: unknown) =>
      vscode.workspace.getConfiguration('mcpDeck').update('sampling', value, vscode.ConfigurationTarget.Global);
    await limits({ servers: { asking: { maxTokens: 5 } } });
    const running = runTool('ask_model');
    await whenAsked('mcpDeck.answerRequest');
    assert.match((await document('asked')).document.getText(), /at most 5 tokens/);
    await limits(undefined);
    await command('mcpDeck.dismissRequest', {});
    assert.equal((await outcome(running)).error.code, -1);
    assert.equal((await outcome(runTool('ask_model'))).error.code, -1); // nobody was asked

    pick('Ask Each Time');
    await command('mcpDeck.setSamplingPolicy', { server: 'asking' });
    const again = runTool('ask_model');
    await whenAsked('mcpDeck.declineRequest');
    assert.equal((await outcome(again)).error.code, -1);
    await command('mcpDeck.showAuditLog');
    const log = await until('the audit log is open', () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'mcpdeck-consent')?.getText(),
    );
    assert.match(
      log,
      /refused +asking · requests a model response · your answer\n[^]*refused +asking · requests a model response · sampling policy · The user has put a request of this session aside[^]*canceled +asking · requests a model response · your answer/,
    );
    assert.doesNotMatch(log, /Name this project/);
  });

  test('[C8, C9] what was decided about requests stands in the audit log, never what was answered', async () => {
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
    assert.match(log, /form refused +asking · for a keybinding, a task input or another extension\n/);
    assert.match(log, /sampling set +asking · policy: never/);
    assert.match(
      log,
      /question allowed +asking · for a keybinding, a task input or another extension · Send the answer to "asking"\?/,
    );
  });

  test('a request that nobody waits for any more is gone', async () => {
    const running = failureOf(runTool('ask_small'));
    pick('nothing');
    assert.equal(await whenAsked('mcpDeck.answerRequest'), 'left for later');
    await command('mcpDeck.stopServer', { server: 'asking' });
    assert.notEqual((await running).message, '');
    assert.match((await failureOf(command('mcpDeck.declineRequest'))).message, /No server waits for an answer/);
    await command('mcpDeck.startServer', { server: 'asking' });
  });

  test('[C12] a server sees the roots that were chosen for it, at once', async () => {
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
    await command('mcpDeck.chooseRoots', { server: 'asking' });
    assert.deepEqual(await roots(), [
      pathToFileURL(folder().uri.fsPath).href,
      pathToFileURL(`${folder().uri.fsPath}/docs`).href,
    ]);
  });
});

export const run = makeRun();

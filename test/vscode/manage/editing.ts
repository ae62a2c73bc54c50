import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { afterEach, suite, test } from '../runner.js';
import { answerModals, pressing } from '../support/dialogs.js';
import { WorkspaceFile, command, failureOf, findServer, until } from '../support/host.js';

const file = new WorkspaceFile('.vscode/mcp.json');
const userServers = (): Record<string, unknown> =>
  vscode.workspace.getConfiguration().inspect<Record<string, unknown>>('mcpDeck.servers')?.globalValue ?? {};

suite('editing servers where they are written', () => {
  const before = userServers();
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.getConfiguration().update('mcpDeck.servers', before, vscode.ConfigurationTarget.Global);
    await file.restore();
  });

  /** The document, once it has the content of the file. */
  async function opened(): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(file.uri);
    await until('the document follows its file', () => document.getText().includes(`seen-${edits}`));
    // Shown in an editor, because VS Code disposes documents without an editor.
    await vscode.window.showTextDocument(document);
    return document;
  }

  let edits = 0;

  /** A second entry with a new name shows that this text was read, and not the previous one. */
  async function define(more: object = {}): Promise<void> {
    const mark = `seen-${++edits}`;
    await file.write(`{
  // the team's
  "servers": {
    "edited": { "command": "node", "args": ["\${workspaceFolder}/x.js"], "env": { "K": "\${input:k}" }${JSON.stringify(
      more,
    )
      .replace(/^\{(.+)\}$/, ', $1')
      .replace('{}', '')} },
    "${mark}": { "url": "http://127.0.0.1:1/" }
  },
  "inputs": [{ "id": "k", "type": "promptString", "password": true }]
}
`);
    await until('it is read', () => findServer(mark));
  }

  test('a server has its state and actions above it', async () => {
    await define();
    const document = await opened();
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      20,
    );
    const own = lenses.map(({ range, command: one }) => `${range.start.line} ${one?.title}`);
    assert.ok(
      own.includes('3 $(circle-outline) MCP Deck: Stopped') && own.includes('3 MCP Deck: Start'),
      own.join('\n'),
    );
  });

  test('a variable shows its meaning on hover', async () => {
    await define();
    const document = await opened();
    const at = document.positionAt(document.getText().indexOf('workspaceFolder'));
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      at,
    );
    const texts = hovers.flatMap(({ contents }) =>
      contents.map((content) => (typeof content === 'string' ? content : content.value).replaceAll('&nbsp;', ' ')),
    );
    assert.ok(
      texts.some((text) => text.includes('workspace folder')),
      texts.join('\n'),
    );
  });

  test('.mcp.json is completed, and its mistakes are marked, by the schema of the settings', async () => {
    const portable = new WorkspaceFile('.mcp.json');
    try {
      await portable.write('{\n  "mcpServers": {\n    "one": { "command": "node", "args": 5,  }\n  }\n}\n');
      const document = await vscode.workspace.openTextDocument(portable.uri);
      await vscode.window.showTextDocument(document);
      await until('the document follows its file', () => document.getText().includes('"one"'));
      const at = document.positionAt(document.getText().indexOf('5, ') + 3);
      const offered = await until('fields are offered', async () => {
        const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
          'vscode.executeCompletionItemProvider',
          document.uri,
          at,
        );
        const labels = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
        return labels.includes('startTimeoutMs') ? labels : undefined;
      });
      assert.deepEqual(
        ['env', 'cwd', 'disabledTools'].filter((name) => !offered.includes(name)),
        [],
      );
      await until('the mistake is marked', () =>
        vscode.languages
          .getDiagnostics(document.uri)
          .some(({ message, source }) => source !== 'MCP Deck' && /Expected "array"/.test(message)),
      );
    } finally {
      await portable.restore();
    }
  });

  test('.vscode/mcp.json is completed with our fields beside those of VS Code, and each explains on hover that it works here', async () => {
    await file.write(
      '{\n  "servers": {\n    "one": { "command": "node", "timeoutMs": 5000, "restartOnCrash": "odd",  },\n    "two": { "type": "http", "url": "https://h.example/mcp", "caFile": "ca.pem",  }\n  }\n}\n',
    );
    const document = await vscode.workspace.openTextDocument(file.uri);
    await vscode.window.showTextDocument(document);
    await until('the document follows its file', () => document.getText().includes('"one"'));
    const offeredBehind = async (text: string, awaited: string) => {
      const at = document.positionAt(document.getText().indexOf(text) + text.length + 2);
      return until('fields are offered', async () => {
        const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
          'vscode.executeCompletionItemProvider',
          document.uri,
          at,
        );
        const labels = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
        return labels.includes(awaited) && labels.includes('startTimeoutMs') ? labels : undefined;
      });
    };
    const local = await offeredBehind('"odd"', 'envFile');
    assert.deepEqual(
      ['disabledTools', 'maxMessagesPerSecond', 'protocol', 'caFile'].map(
        (name) => local.filter((label) => label === name).length,
      ),
      [1, 1, 1, 0],
    );
    const remote = await offeredBehind('"ca.pem"', 'headers');
    assert.deepEqual(
      ['oauth', 'disabled', 'restartOnCrash', 'envFile'].map((name) => remote.filter((label) => label === name).length),
      [1, 1, 1, 0],
    );
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      document.positionAt(document.getText().indexOf('timeoutMs')),
    );
    const hoverText = hovers
      .flatMap(({ contents }) =>
        contents.map((content) => (typeof content === 'string' ? content : content.value).replaceAll('&nbsp;', ' ')),
      )
      .join('\n');
    assert.ok(hoverText.includes('in milliseconds') && hoverText.includes('MCP Deck reads it nevertheless'), hoverText);
    const marks = () =>
      vscode.languages
        .getDiagnostics(document.uri)
        .map(({ message, range }) => `${document.getText(range)} ${message}`);
    await until('the mistake is marked', () =>
      marks().some((mark) => /^"odd" .*[Ii]ncorrect type|^"odd" .*boolean/.test(mark)),
    );
    // For correct fields, the only message is VS Code's own about unknown fields.
    assert.deepEqual(
      marks().filter((mark) => !/^"\w+" Property \w+ is not allowed\.$|^"odd" /.test(mark)),
      [],
    );
  });

  test('a copy is written next to it, and comments stay', async () => {
    await define();
    const refused = await pressing('Cancel', () =>
      failureOf(command('mcpDeck.duplicateServer', { server: 'edited', name: 'copy' })),
    );
    assert.equal(refused.value.name, 'Canceled');
    assert.match(
      refused.asked[0]?.detail ?? '',
      /MCP Deck runs\n\u00a0+node[^]*x\.js[^]*A command with arguments requested this/,
    );
    assert.equal(
      (await pressing('Add Server', () => command('mcpDeck.duplicateServer', { server: 'edited', name: 'copy' })))
        .value,
      'copy',
    );
    await until('the copy is read', () => findServer('copy'));
    const text = await readFile(file.path, 'utf8');
    assert.ok(text.includes("// the team's") && text.includes('"edited"'), text);
  });

  test('fields are set where they are written, and invalid values are refused', async () => {
    await define();
    const fields = { args: ['y.js'], timeoutMs: 5_000, env: null };
    const before = await readFile(file.path, 'utf8');
    const refused = await pressing('Cancel', () =>
      failureOf(command('mcpDeck.editServer', { server: 'edited', fields })),
    );
    assert.equal(refused.value.name, 'Canceled');
    assert.match(
      `${refused.asked[0]?.message} ${refused.asked[0]?.detail}`,
      /Change "edited" in .*mcp\.json\? Fields: args, env, timeoutMs[^]*y\.js/,
    );
    assert.equal(await readFile(file.path, 'utf8'), before);
    await pressing('Change Server', () => command('mcpDeck.editServer', { server: 'edited', fields }));
    const text = await readFile(file.path, 'utf8');
    assert.ok(
      text.includes('"args": ["y.js"]') &&
        text.includes('"timeoutMs": 5000') &&
        !text.includes('"env"') &&
        text.includes("// the team's"),
      text,
    );
    assert.match(
      (await failureOf(command('mcpDeck.editServer', { server: 'edited', fields: { args: 5 } }))).message,
      /"args" must be a list/,
    );
    assert.equal(await readFile(file.path, 'utf8'), text);
  });

  test('a server moves to the user settings with its inputs, and is removed from the file', async () => {
    await define({ watchPaths: ['x'], restartOnCrash: 'odd' });
    const before = await readFile(file.path, 'utf8');
    const dialogs = answerModals(({ message }) =>
      message.includes('user settings') ? 'Add to User Settings' : undefined,
    );
    try {
      // Reported before anything is written.
      assert.match(
        (await failureOf(command('mcpDeck.moveServer', { server: 'edited', to: 'user' }))).message,
        /cannot be moved.*Without "cwd".*\$\{workspaceFolder\}.*acceptLosses/s,
      );
      assert.equal(await readFile(file.path, 'utf8'), before);
      assert.deepEqual(dialogs.asked, []);
      await command('mcpDeck.moveServer', { server: 'edited', to: 'user', acceptLosses: true });
      assert.equal(dialogs.asked.length, 1);
    } finally {
      dialogs.restore();
    }
    assert.deepEqual(userServers()['edited'], {
      command: 'node',
      args: ['${workspaceFolder}/x.js'],
      env: { K: '${input:k}' },
      watchPaths: ['x'],
      restartOnCrash: 'odd',
      type: 'stdio',
    });
    await until(
      'it moved',
      async () => Object.hasOwn(userServers(), 'edited') && !(await readFile(file.path, 'utf8')).includes('"edited"'),
    );
    assert.equal(
      JSON.stringify(vscode.workspace.getConfiguration().inspect('mcpDeck.inputs')?.globalValue).includes('"k"'),
      true,
    );
    await vscode.workspace.getConfiguration().update('mcpDeck.inputs', undefined, vscode.ConfigurationTarget.Global);
  });
});

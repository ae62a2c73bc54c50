import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerModals, pressing } from '../support/dialogs.js';
import type { Dialogs } from '../support/dialogs.js';
import {
  WorkspaceFile,
  command,
  deckApi,
  draw,
  drawn,
  failureOf,
  findServer,
  oddServer,
  serverIds,
  until,
  untilState,
} from '../support/host.js';

const file = new WorkspaceFile('.vscode/mcp.json');
const portable = new WorkspaceFile('.mcp.json');

const lists = (id: string) => until(`"${id}" is listed`, async () => (await serverIds()).includes(id));
const listsNot = (id: string) => until(`"${id}" is not listed`, async () => !(await serverIds()).includes(id));

async function problems(uri = file.uri): Promise<vscode.Diagnostic[]> {
  return until('there are problems', () => {
    const found = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'MCP Deck');
    return found.length > 0 ? found : undefined;
  });
}

/** The text that a diagnostic marks. */
function marked(text: string, { range }: vscode.Diagnostic): string {
  const lines = text.split('\n').slice(range.start.line, range.end.line + 1);
  const last = lines.length - 1;
  return lines
    .map((line, index) =>
      line.slice(index === 0 ? range.start.character : 0, index === last ? range.end.character : undefined),
    )
    .join('\n');
}

suite('editing .vscode/mcp.json', () => {
  let dialogs: Dialogs;
  beforeAll(() => void (dialogs = answerModals(() => 'Start Server')));
  afterEach(async () => {
    await command('mcpDeck.stopAllServers');
    await file.restore();
    await until(
      'the file is read again',
      async () => (await serverIds()).at(-1) === 'everything' && !(await draw()).includes('bracket-error'),
    );
  });
  afterAll(() => dialogs.restore());

  test('a new entry appears in the list', async () => {
    await file.write({ servers: { fresh: oddServer('ok') } });
    await lists('fresh');
  });

  test('an entry that is removed disappears', async () => {
    await file.write({ servers: { fresh: oddServer('ok') } });
    await listsNot('everything');
  });

  test('a running server whose entry is removed is stopped and disappears', async () => {
    await file.write({ servers: { fresh: oddServer('ok') } });
    await lists('fresh');
    await command('mcpDeck.reviewTrust', { server: 'fresh' });
    await file.write({ servers: {} });
    await listsNot('fresh');
  });

  test('a running server that is changed is marked with needsRestart', async () => {
    await startFresh();
    await file.write({ servers: { fresh: oddServer('ok', { env: { A: '1' } }) } });
    await until('fresh needs a restart', async () => (await findServer('fresh'))?.needsRestart);
  });

  test('a running server that is changed is drawn with "restart to apply changes"', async () => {
    await startFresh();
    await file.write({ servers: { fresh: oddServer('ok', { env: { A: '1' } }) } });
    await until(
      'fresh says so',
      async () => (await drawn('fresh')).split('\n')[0] === '(circle-filled) fresh  restart to apply changes',
    );
  });

  test('a running server that is changed keeps running until it is restarted', async () => {
    await startFresh();
    await file.write({ servers: { fresh: oddServer('ok', { env: { A: '1' } }) } });
    await until('fresh needs a restart', async () => (await findServer('fresh'))?.needsRestart);
    assert.equal((await findServer('fresh'))?.state, 'running');
  });

  test('an undone change removes the mark', async () => {
    await startFresh();
    await file.write({ servers: { fresh: oddServer('ok', { env: { A: '1' } }) } });
    await until('fresh needs a restart', async () => (await findServer('fresh'))?.needsRestart);
    await file.write({ servers: { fresh: oddServer('ok') } });
    await until('fresh needs no restart', async () => (await findServer('fresh'))?.needsRestart === false);
  });

  test('a comment or another order of keys needs no restart', async () => {
    await startFresh();
    const { args, command: program, type } = oddServer('ok');
    await file.write(
      `{ "servers": { /* a comment */ "fresh": ${JSON.stringify({ args, type, command: program })}, "other": ${JSON.stringify(oddServer('ok'))} } }`,
    );
    await lists('other');
    assert.equal((await findServer('fresh'))?.needsRestart, false);
  });

  test('an entry with a mistake does not affect the valid ones', async () => {
    await file.write({ servers: { good: oddServer('ok'), bad: { type: 'carrier-pigeon' }, better: oddServer('ok') } });
    await lists('better');
    assert.deepEqual((await serverIds()).slice(-2), ['good', 'better']);
  });

  test('an entry with a mistake is a line of the tree with the problem', async () => {
    await file.write({ servers: { good: oddServer('ok'), bad: { type: 'carrier-pigeon' } } });
    await lists('good');
    assert.match(
      await drawn('bad'),
      /^\(bracket-error\) bad {2}The type "carrier-pigeon" is unknown\. The types are stdio, http, sse, ws, and socket\.$/,
    );
  });

  test('an unknown type is a problem at that type', async () => {
    const text = JSON.stringify({ servers: { good: oddServer('ok'), bad: { type: 'carrier-pigeon' } } }, null, 2);
    await file.write(text);
    assert.deepEqual(
      (await problems()).map((problem) => [problem.severity, marked(text, problem)]),
      [[vscode.DiagnosticSeverity.Error, '"carrier-pigeon"']],
    );
  });

  test('a missing command is a problem at the name of the entry', async () => {
    const text = JSON.stringify({ servers: { bad: { args: ['x'] } } }, null, 2);
    await file.write(text);
    assert.deepEqual(
      (await problems()).map((problem) => marked(text, problem)),
      ['"bad"'],
    );
  });

  test('the problem disappears when the mistake is corrected', async () => {
    await file.write({ servers: { bad: {} } });
    await problems();
    await file.write({ servers: { bad: oddServer('ok') } });
    await until(
      'there are no problems',
      () => vscode.languages.getDiagnostics(file.uri).filter(({ source }) => source === 'MCP Deck').length === 0,
    );
  });

  test('malformed JSON keeps the last good servers', async () => {
    await file.write({ servers: { good: oddServer('ok') } });
    await lists('good');
    await file.write('{ "servers": { "good": ');
    await problems();
    assert.ok((await serverIds()).includes('good'));
  });

  test('malformed JSON keeps a running server running', async () => {
    await startFresh();
    await file.write('{ "servers": { "fresh": ');
    await problems();
    assert.equal((await findServer('fresh'))?.state, 'running');
  });

  test('malformed JSON is a problem at its position', async () => {
    await file.write('{\n  "servers": {\n    "good" {}\n  }\n}');
    const [problem] = await problems();
    assert.deepEqual(
      [problem?.range.start.line, problem?.message.startsWith('.vscode/mcp.json is not valid JSON')],
      [2, true],
    );
  });

  test('comments and trailing commas are not mistakes', async () => {
    await file.write(`// one\n{ "servers": { /* two */ "fresh": ${JSON.stringify(oddServer('ok'))}, }, }`);
    await lists('fresh');
    assert.deepEqual(
      vscode.languages.getDiagnostics(file.uri).filter(({ source }) => source === 'MCP Deck'),
      [],
    );
  });

  test('the file is not changed', async () => {
    const text = `// mine\n{ "servers": { "fresh": ${JSON.stringify(oddServer('ok'))}, }, }`;
    await file.write(text);
    await startListed('fresh');
    assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(file.uri)), text);
  });

  async function startListed(id: string): Promise<void> {
    await lists(id);
    await command('mcpDeck.reviewTrust', { server: id });
    await untilState(id, 'running');
  }

  async function startFresh(): Promise<void> {
    await file.write({ servers: { fresh: oddServer('ok') } });
    await startListed('fresh');
  }
});

suite('other sources of servers', () => {
  afterEach(async () => {
    await portable.restore();
    await command('mcpDeck.refreshServers');
    await until(
      'only one file is left',
      async () =>
        (await serverIds()).filter((id) => id.startsWith('everything')).length === 1 &&
        (await serverIds()).at(-1) === 'everything',
    );
    await vscode.workspace
      .getConfiguration()
      .update('mcpDeck.builtInServer.enabled', undefined, vscode.ConfigurationTarget.Global);
    await lists('workspace');
  });

  test('.mcp.json appears when it is created', async () => {
    await portable.write({ mcpServers: { portable: { command: 'node', args: ['${MCP_DECK_REPO}/x.js'] } } });
    await lists('portable');
    assert.equal((await findServer('portable'))?.source, '.mcp.json');
  });

  test('.mcp.json disappears with its servers when it is deleted', async () => {
    await portable.write({ mcpServers: { shortLived: { command: 'node' } } });
    await lists('shortLived');
    await portable.restore();
    await listsNot('shortLived');
  });

  test('[N3] .mcp.json also disappears when it was created, deleted and created again just before, for which VS Code sends no event', async () => {
    for (let i = 0; i < 3; i++) {
      for (let k = 0; k < 2; k++) {
        await portable.write({ mcpServers: { shortLived: { command: 'node' } } });
        await portable.restore();
      }
      await portable.write({ mcpServers: { shortLived: { command: 'node' } } });
      await lists('shortLived');
      await portable.restore();
      await listsNot('shortLived');
    }
  });

  test('a name that two files use gives two servers with different ids', async () => {
    await portable.write({ mcpServers: { everything: { command: 'node', args: ['other.js'] } } });
    await until(
      'there are two',
      async () => (await serverIds()).filter((id) => id.startsWith('everything')).length === 2,
    );
  });

  test('a name of the user settings keeps its plain id', async () => {
    await portable.write({ mcpServers: { mine: { command: 'node' } } });
    await until('there are two', async () => (await serverIds()).filter((id) => id.startsWith('mine')).length === 2);
    assert.equal((await findServer('mine'))?.source, 'User settings');
  });

  test('an edit of mcpDeck.servers shows', async () => {
    const settings = vscode.workspace.getConfiguration('mcpDeck');
    const before = settings.inspect<object>('servers')?.globalValue;
    try {
      await settings.update('servers', { ...before, added: oddServer('ok') }, vscode.ConfigurationTarget.Global);
      await lists('added');
    } finally {
      await settings.update('servers', before, vscode.ConfigurationTarget.Global);
      await listsNot('added');
    }
  });

  test('the built-in server disappears when its setting is off', async () => {
    await vscode.workspace
      .getConfiguration()
      .update('mcpDeck.builtInServer.enabled', false, vscode.ConfigurationTarget.Global);
    await listsNot('workspace');
  });

  test('enableBuiltInServer brings the built-in server back', async () => {
    await vscode.workspace
      .getConfiguration()
      .update('mcpDeck.builtInServer.enabled', false, vscode.ConfigurationTarget.Global);
    await listsNot('workspace');
    await pressing('Cancel', () => failureOf(command('mcpDeck.enableBuiltInServer')));
    await listsNot('workspace');
    await pressing('Turn On', () => command('mcpDeck.enableBuiltInServer'));
    await lists('workspace');
  });

  test('refreshServers keeps the existing servers', async () => {
    const before = (await (await deckApi()).listServers()).map(({ server }) => server);
    await command('mcpDeck.refreshServers');
    assert.deepEqual(await serverIds(), before);
  });
});

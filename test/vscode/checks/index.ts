import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { afterAll, beforeAll, makeRun, suite, test } from '../runner.js';
import { command, failureOf, folder, until, untilState } from '../support/host.js';
import './acceptedChange.js';
import './callingChecks.js';

interface Problem {
  code: string;
  severity: string;
  message: string;
  tool?: string;
}

suite('checks of servers', () => {
  const server = 'flawed';
  const source = vscode.Uri.joinPath(folder().uri, 'registered.mjs');
  const lock = vscode.Uri.joinPath(folder().uri, '.vscode', 'mcp-deck.lock.json');
  const ours = () =>
    vscode.languages
      .getDiagnostics()
      .flatMap(([uri, found]) => found.map((diagnostic) => ({ uri, diagnostic })))
      .filter(({ diagnostic }) => diagnostic.source === 'MCP Deck');

  beforeAll(async () => {
    await vscode.workspace.fs.writeFile(source, Buffer.from("// A server.\nserver.tool('delete_all', () => 1);\n"));
  });
  afterAll(async () => {
    await vscode.workspace.fs.delete(source);
    await Promise.resolve(vscode.workspace.fs.delete(lock)).catch(() => undefined);
  });

  test('a server that is not running is not started by a check', async () => {
    const error = await failureOf(command('mcpDeck.checkServer', { server }));
    assert.match(error.message, /"flawed" is not running\. Start it/);
  });

  test('the findings are in the Problems view: at the source of their tool, otherwise at the definition', async () => {
    await command('mcpDeck.startServer', { server });
    await untilState(server, 'running');
    const problems = await command<Problem[]>('mcpDeck.checkServer', { server });
    const rules = problems.map(({ code }) => code);
    for (const rule of ['annotation-read-only', 'schema-invalid', 'text-hidden', 'list-order', 'host-claude'])
      assert.ok(rules.includes(rule), `${rule} is missing: ${rules.join(', ')}`);
    const shown = ours();
    const atSource = shown.find(({ diagnostic }) => diagnostic.code === 'annotation-read-only');
    assert.equal(atSource?.uri.toString(), source.toString());
    const { line, character } = atSource.diagnostic.range.start;
    assert.deepEqual([line, character], [1, 13]);
    const atDefinition = shown.find(({ diagnostic }) => diagnostic.code === 'list-order');
    assert.match(atDefinition?.uri.path ?? '', /settings\.json$/);
    for (const { diagnostic } of shown) assert.doesNotMatch(diagnostic.message, /[\u001b\u202e]/);
  });

  test('a drift from the lock file is a problem until the file matches again', async () => {
    const drifts = () => ours().filter(({ diagnostic }) => diagnostic.code === 'lock-drift');
    const locked = { version: 1, servers: { flawed: { info: { name: 'flawed', version: '0.9' }, tools: {} } } };
    await vscode.workspace.fs.writeFile(lock, Buffer.from(JSON.stringify(locked)));
    await until('the drift is shown', () => drifts().length === 4, 30_000);
    const messages = drifts().map(({ diagnostic }) => diagnostic.message);
    assert.ok(
      messages.some((message) => /The tool "delete_all" is new\./.test(message)),
      messages.join('\n'),
    );
    assert.ok(
      messages.some((message) => /but the lock file has "flawed" 0\.9\./.test(message)),
      messages.join('\n'),
    );
    await vscode.workspace.fs.writeFile(lock, Buffer.from('{"version": 7}'));
    await until('the newer version is refused', () =>
      ours().some(({ diagnostic }) => diagnostic.code === 'lock-file' && /version 7/.test(diagnostic.message)),
    );
    await vscode.workspace.fs.delete(lock);
    await until('no drift is left', () =>
      ours().every(({ diagnostic: { code } }) => code !== 'lock-drift' && code !== 'lock-file'),
    );
  });
});

export const run = makeRun();

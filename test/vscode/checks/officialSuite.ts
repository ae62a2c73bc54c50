import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { afterAll, beforeAll, suite, test } from '../runner.js';
import { answerModals, answerPicks } from '../support/dialogs.js';
import { command, folder, stateOf, until, untilState } from '../support/host.js';
import type { TestResults } from '../support/testResults.js';

const repo = process.env['MCP_DECK_REPO'] ?? '';
const server = 'reference';

/** The official conformance suite in a window, against the server of its documentation. */
export function officialSuite(results: TestResults): void {
  suite('the official conformance suite', () => {
    const modules = path.join(folder().uri.fsPath, 'node_modules');
    const settings = () => vscode.workspace.getConfiguration('mcpDeck');
    const nodeOptions = process.env['NODE_OPTIONS'];
    let fixture: ChildProcess | undefined;
    let url = '';

    beforeAll(async () => {
      await rm(modules, { recursive: true, force: true });
      await mkdir(path.join(modules, '@modelcontextprotocol'), { recursive: true });
      const home = path.join('@modelcontextprotocol', 'conformance');
      await symlink(path.join(repo, 'node_modules', home), path.join(modules, home));
      // The suite imports a function that Node 20 does not have, and does not call it here.
      const shim = pathToFileURL(path.join(repo, 'test/support/conformanceNode20Shim.mjs')).href;
      process.env['NODE_OPTIONS'] = `--import ${shim}`;
      fixture = spawn('node', [path.join(repo, 'dist/test/fixtureServer.mjs')], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      if (!fixture.stdout) throw new Error('The server has no output.');
      const [line] = (await once(createInterface({ input: fixture.stdout }), 'line')) as [string];
      url = line.replace(/^listening /, '');
      const servers = settings().inspect<Record<string, unknown>>('servers')?.globalValue;
      await settings().update('servers', { ...servers, [server]: { url } }, vscode.ConfigurationTarget.Global);
      await until('the server is known', () => stateOf(server));
      await command('mcpDeck.startServer', { server });
      await untilState(server, 'running');
    });
    afterAll(async () => {
      await command('mcpDeck.stopAllServers');
      fixture?.kill();
      process.env['NODE_OPTIONS'] = nodeOptions ?? '';
      await rm(modules, { recursive: true, force: true });
    });

    test(
      'the question says that the suite connects directly and that no rule applies; every scenario is a test',
      async () => {
        const dialogs = answerModals(() => 'Run Suite');
        const picks = answerPicks((items) =>
          items.find(({ label }) => label === server || label === 'Conformance Suite…'),
        );
        try {
          const shown = await results.next(() => vscode.commands.executeCommand('mcpDeck.checkServer'));
          const [question] = dialogs.asked;
          const direct = `The suite connects directly to ${url}, and uses the tools, resources, and prompts of the server. MCP Deck does not see these calls, so it does not ask you about them, and rules do not apply.`;
          assert.ok(question?.detail.startsWith(direct), question?.detail);
          assert.match(
            question?.detail ?? '',
            /runs version [\d.a-z-]+ of the suite from the packages of this project:\s+node .*conformance/,
          );
          const states = Object.entries(shown.states).map(([name, state]) => [name.replace(/^.*\//, ''), state]);
          assert.deepEqual(
            states.filter(([, state]) => state === 'failed' || state === 'errored'),
            [],
            shown.output,
          );
          const passed = states.filter(([, state]) => state === 'passed').map(([name]) => name);
          assert.ok(passed.length >= 30, `${passed.length} scenarios passed:\n${shown.output}`);
          assert.ok(passed.includes('tools-list'), passed.join(', '));
          assert.match(shown.output, /✓ tools-list\r\n {2}https:\/\/modelcontextprotocol\.io\/specification\//);
        } finally {
          dialogs.restore();
          picks.restore();
        }
      },
      { timeoutMs: 180_000 },
    );
  });
}

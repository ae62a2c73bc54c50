import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterAll, suite, test } from '../runner.js';
import { answerInputs } from '../support/dialogs.js';
import { WorkspaceFile, command, failureOf, findServer, until } from '../support/host.js';

const file = new WorkspaceFile('.vscode/mcp.json');
/** No server listens on the discard port. */
const server = (host: string) => ({ servers: { keyed: { type: 'http', url: `http://${host}:9/mcp` } } });

suite('the value of "Set API Key…"', () => {
  afterAll(() => file.restore());

  test('[S4] is not stored if the address changed while the box was open', async () => {
    await file.write(server('127.0.0.1'));
    await until('it is listed', () => findServer('keyed'));
    const boxes = answerInputs(async () => {
      await file.write(server('localhost'));
      return 'hunter2-hunter2';
    });
    try {
      const failure = await failureOf(command('mcpDeck.setSecret', { server: 'keyed' }));
      assert.match(failure.message, /^"keyed" changed while you entered the value, so the value was not stored/);
      assert.match(boxes.asked[0]?.prompt ?? '', /^Sent to 127\.0\.0\.1:9 in the header "Authorization"/);
      assert.equal(boxes.asked.length, 1);
    } finally {
      boxes.restore();
    }
    assert.deepEqual(JSON.parse(await readFile(file.path, 'utf8')), server('localhost'));
    assert.deepEqual(await command('mcpDeck.manageStoredValues', { server: 'keyed' }), []);
  });

  test('[S4] is sent to a host that the box names only if no variable can change it', async () => {
    await file.write(server('${config:my.user}@127.0.0.1'));
    const boxes = answerInputs(() => undefined);
    try {
      // VS Code may not have read the file yet.
      await until('the box names no host', async () => {
        await failureOf(command('mcpDeck.setSecret', { server: 'keyed' }));
        return boxes.asked.at(-1)?.prompt?.startsWith('Sent to the server in the header "Authorization".');
      });
    } finally {
      boxes.restore();
    }
  });
});

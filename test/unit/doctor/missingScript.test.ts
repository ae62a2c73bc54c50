/** The most common mistake with a user's own server: the path in its arguments is wrong. With real processes. */
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stateCard } from '../../../src/core/details/stateCard.js';
import { failureMessage } from '../../../src/core/present/failure/failureText.js';
import { serverNode } from '../../../src/core/present/tree/serverNodes.js';
import { missingScript } from '../../../src/core/transport/stdio/missingScript.js';
import { headlessHost } from '../../support/headlessHost.js';
import { onlyPosix } from '../../support/platform.js';

let folder: string;
before(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'missing-')));
  writeFileSync(path.join(folder, 'Server.mjs'), 'throw new Error("Cannot find module server.mjs");');
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Every place that shows the failed start. */
async function shown(definition: object): Promise<{ toast: string; card: unknown; row: string; below: string[] }> {
  const { host } = headlessHost({ servers: { a: { cwd: folder, ...definition } } });
  await host.open();
  try {
    let error: unknown;
    await host.lifecycle.start('a').catch((reason: unknown) => (error = reason));
    const message = failureMessage(error, { isWorkspaceTrusted: true, server: 'a' });
    const view = host.servers.get('a');
    assert.ok(view && message);
    const card = stateCard(view, (text) => text);
    const node = serverNode(view, 0);
    return {
      toast: `${message.text} [${message.actions.join(', ')}]`,
      card: [card?.cause, card?.isQuote, card?.what, card?.next, card?.buttons[0]?.action],
      row: node.description ?? '',
      below: (node.children?.() ?? []).map(({ description }) => description ?? ''),
    };
  } finally {
    await host.close();
  }
}

describe('a server whose script does not exist', () => {
  test('says so in the message, the card and the tree, with the edit form as the first button', async () => {
    const file = path.join(folder, 'nowhere', 'x');
    const { toast, card, row, below } = await shown({ command: process.execPath, args: [file] });
    const next = 'Correct the path in the arguments, or build the server.';
    assert.equal(
      toast,
      `The server "a" exited with code 1: ${file} does not exist. ${next} [editServer, tryAgain, showLog, diagnoseServer]`,
    );
    assert.deepEqual(card, [
      `${file} does not exist.`,
      undefined,
      'The server "a" exited with code 1.',
      next,
      'editServer',
    ]);
    assert.equal(row, `file not found: ${file} (exited with code 1)`);
    assert.deepEqual(below.slice(2), [`Error: Cannot find module '${file}'`]);
  });

  test('explains a relative path, and names a file that differs in its extension', async () => {
    const { toast } = await shown({ command: process.execPath, args: ['Server.js', '--fast'] });
    assert.ok(
      toast.includes(
        `${path.join(folder, 'Server.js')} does not exist. "Server.js" is relative to the folder ${folder}. Did you mean ${path.join(folder, 'Server.mjs')}?`,
      ),
      toast,
    );
  });

  test('is found for a shell script', onlyPosix('needs a POSIX shell'), async () => {
    const { row } = await shown({ command: 'sh', args: ['run.sh'] });
    assert.match(row, /^file not found: .*run\.sh /);
  });

  test('is not claimed if the script exists or the output is about something else', async () => {
    assert.match((await shown({ command: process.execPath, args: ['Server.mjs'] })).row, /^Error: Cannot find module/);
    const said = (line: string, ...args: string[]) => missingScript({ args, cwd: folder }, [line])?.file;
    assert.equal(said('No module named nope', '-m', 'nope'), undefined);
    assert.equal(said(`Cannot find module '${folder}/x/y.js'`, 'x'), undefined);
    assert.equal(said("Cannot find module 'zod'", 'gone.js'), undefined);
    assert.equal(said(`python3: can't open file '${folder}/gone': [Errno 2]`, '-u', 'gone'), path.join(folder, 'gone'));
    assert.equal(said('Error: Unable to access jarfile gone.jar', '-jar', 'gone.jar'), path.join(folder, 'gone.jar'));
    assert.equal(
      said(`error: Module not found "file://${folder}/gone.ts".`, 'run', 'gone.ts'),
      path.join(folder, 'gone.ts'),
    );
  });
});

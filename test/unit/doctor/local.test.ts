/** Each fault of a local server is planted, and the test checks that it is found at its check with its fix. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { diagnosisText } from '../../../src/core/doctor/diagnosisText.js';
import { diagnose } from '../../../src/core/doctor/doctor.js';
import { headlessHost } from '../../support/headlessHost.js';
import { markTexts } from '../../support/languages.js';
import { until } from '../../support/httpUntil.js';
import { assertFound, assertIs, checkOf, diagnoseAt, diagnosisOf, found, odd } from './diagnosing.js';
import { onlyPosix } from '../../support/platform.js';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'doctor-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A file of the test. */
function file(name: string, text: string, mode = 0o644): string {
  const full = path.join(folder, name);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text, { mode });
  return full;
}

/** A program that prints this as its version, and ends. */
const runtime = (name: string, says: string, code = 0): string =>
  file(name, `#!/bin/sh\necho "${says}"\nexit ${code}\n`, 0o755);

describe('the doctor reports problems of local servers', { concurrency: 4 }, () => {
  test('a missing command', () =>
    assertFound(
      { command: 'uvx-of-nobody' },
      'command',
      /is not in any of the \d+ folders in PATH/,
      /install the program/,
    ));
  test(
    'a known runtime that is missing names what to install',
    onlyPosix('paths are written as on POSIX systems'),
    () => assertFound({ command: '/nowhere/uvx' }, 'command', /no program at \/nowhere\/uvx/, /Install uv/),
  );
  test('a missing folder', onlyPosix('paths are written as on POSIX systems'), () =>
    assertFound(
      { command: 'node', args: odd('ok'), cwd: '/no/such/folder' },
      'folder',
      /\/no\/such\/folder cannot be opened \(ENOENT\)/,
      /Correct "cwd"/,
    ),
  );
  test('a folder that is a file', () =>
    assertFound(
      { command: 'node', args: odd('ok'), cwd: file('not-a-folder', '') },
      'folder',
      /not-a-folder is a file, not a folder/,
      /Correct "cwd"/,
    ));
  test('a missing script', () =>
    assertFound(
      { command: 'node', args: ['build/index.js'] },
      'files',
      /file .*build\/index\.js does not exist.*is relative to the folder/,
      /build the server, or set "cwd"/,
    ));
  test('a script with a typing error in its name', () =>
    assertFound(
      { command: 'node', args: ['server.mjs'], cwd: path.dirname(file('near/Server.mjs', '')) },
      'files',
      /The file .* does not exist/,
      /Did you mean .*Server\.mjs/,
    ));
  test('a variable that is not set', () =>
    assertFound(
      { command: 'node', args: ['${env:NOBODY_SETS_THIS}'] },
      'variables',
      /NOBODY_SETS_THIS is not set/,
      /Set NOBODY_SETS_THIS in the environment that VS Code starts in/,
    ));
  test('a script without an extension that does not exist', () =>
    assertFound(
      { command: 'node', args: [path.join(folder, 'nowhere'), '--fast'] },
      'files',
      /The file .*nowhere does not exist/,
      /Correct the path/,
    ));
  test('a variable that does not exist', () =>
    assertFound(
      { command: 'node', args: ['${workspceFolder}'] },
      'variables',
      /\$\{workspceFolder\}.*no such variable/,
      /Correct the configuration/,
    ));
  test('an env file that is missing', () =>
    assertFound(
      { command: 'node', args: odd('ok'), envFile: 'secrets/.env' },
      'variables',
      /"envFile" of "sick" could not be read: secrets\/\.env/,
      /Correct the path, or create the file/,
    ));
  test('a disabled server is neither examined nor started', async () => {
    const diagnosis = await diagnosisOf({ command: 'node', args: odd('ok'), disabled: true });
    assertIs(diagnosis, 'configuration', /is disabled/, /Enable Server/);
    assert.deepEqual(diagnosis.checks.at(-1), {
      id: 'variables',
      outcome: 'skipped',
      seen: 'This check and all later checks were skipped, because the server is disabled.',
    });
  });
  test('an entry with a problem in the file', async () => {
    const diagnosis = await diagnosisOf({ command: 'node', args: odd('ok'), timeoutMs: 'soon' });
    assertIs(
      diagnosis,
      'configuration',
      /The definition in User settings has a problem: .*timeoutMs/,
      /Correct the definition/,
    );
    assert.equal(checkOf(diagnosis, 'handshake').outcome, 'ok');
  });

  test('a runtime that does not answer with a version', onlyPosix('it runs shell scripts'), () =>
    assertFound(
      { command: runtime('broken/node', 'broken', 3), args: odd('ok') },
      'runtime',
      /ended with code 3: broken/,
      /in a terminal/,
    ),
  );
  test('a Node.js that is too old', onlyPosix('it runs shell scripts'), () =>
    assertFound(
      { command: runtime('old/node', 'v16.20.2'), args: [file('old/server.mjs', '')] },
      'runtime',
      /Node\.js v16\.20\.2 is older than 18/,
      /Install Node\.js 18 or later, or set "command" to its path/,
    ),
  );
  test('a Node.js that is older than the package of the server requires', onlyPosix('it runs shell scripts'), () => {
    file('engines/package.json', JSON.stringify({ engines: { node: '^20.19 || >=22' } }));
    const command = runtime('engines/bin/node', 'v20.11.0');
    return assertFound(
      { command, args: [file('engines/dist/index.js', '')] },
      'runtime',
      /v20\.11\.0: "engines" in \S+engines\/package\.json requires \^20\.19 \|\| >=22/,
      /Install a version of Node\.js that matches \^20\.19/,
    );
  });
  test('a Python that is too old', onlyPosix('it runs shell scripts'), () =>
    assertFound(
      { command: runtime('old/python3.9', 'Python 3.9.18'), args: [file('old/server.py', '')] },
      'runtime',
      /Python 3\.9\.18 is older than 3\.10/,
      /Install Python 3\.10 or later/,
    ),
  );
  test('a version that looks too old but works is a remark', onlyPosix('it runs shell scripts'), async () => {
    const command = file(
      'works/node',
      `#!/bin/sh\nif [ "$1" = --version ]; then echo v16.0.0; else exec ${process.execPath} "$@"; fi\n`,
      0o755,
    );
    const diagnosis = await diagnosisOf({ command, args: odd('ok') });
    assert.equal(checkOf(diagnosis, 'runtime').outcome, 'warning');
    assert.match(diagnosisText('sick', diagnosis), /\n\nThe server works, but there are warnings\.\n/);
  });

  test('a server that ends with a message', () =>
    assertFound(
      { command: 'node', args: odd('exit-on-start') },
      'handshake',
      /exited with code 3: cannot find the configuration/,
      /log/,
    ));
  test('a server that crashes is reported with its cause, without the end of its stack', async () => {
    const script = file('crash.mjs', "throw new Error('ACME_KEY is not set');\n");
    const { seen } = checkOf(await diagnosisOf({ command: 'node', args: [script] }), 'handshake');
    assert.match(seen, /exited with code 1: Error: ACME_KEY is not set/);
    assert.doesNotMatch(seen, /Node\.js v|ModuleJob|ModuleLoader/);
  });
  for (const { mode, field, value } of [
    { mode: 'content-length', field: 'framing', value: 'content-length' },
    { mode: 'hangs-on-probe', field: 'protocol', value: 'legacy' },
  ]) {
    test(`[F5, lifecycle.bridges] a server that does not answer is started in another way, and the useful field is named (${field})`, async () => {
      const diagnosis = await diagnosisOf(
        { command: 'node', args: [path.resolve('test/fixtures/servers/framed.mjs'), mode], startTimeoutMs: 1_500 },
        {},
        { stepMs: 5_000 },
      );
      assertIs(
        diagnosis,
        'handshake',
        new RegExp(`With "${field}": "${value}", it responds with revision 2025-11-25`),
        new RegExp(`Add "${field}": "${value}" to the definition of the server`),
      );
      assert.deepEqual(diagnosis.checks.at(-1)?.change, { [field]: value });
    });
  }
  test('a server that hangs', () =>
    assertFound(
      { command: 'node', args: odd('never-initialize'), startTimeoutMs: 1_500 },
      'handshake',
      /did not respond to initialize/,
      /increase its timeout/,
      {},
      { stepMs: 500 },
    ));
  test('a start that takes longer than the doctor waits', () =>
    assertFound(
      { command: 'node', args: odd('never-initialize') },
      'handshake',
      /did not respond within 0\.3 seconds/,
      /Try again, or increase "startTimeoutMs"/,
      {},
      { handshakeMs: 300, stepMs: 500 },
    ));
  test('a server whose output is not the protocol', () => {
    const script = file(
      'garbage.mjs',
      "setInterval(() => console.log('Hello, I am a web server'), 20); process.stdin.resume().on('end', () => process.exit());",
    );
    return assertFound(
      { command: 'node', args: [script], protocol: 'legacy', startTimeoutMs: 1_500 },
      'handshake',
      /did not respond to initialize/,
      /starts an MCP server over stdio/,
      {},
      { stepMs: 500 },
    );
  });
  test('a server that runs and does not answer', onlyPosix('a process cannot be suspended'), async () => {
    const { host } = headlessHost({ servers: { sick: { command: 'node', args: odd('ok') } } });
    await host.open();
    await host.lifecycle.start('sick');
    const pid = host.servers.get('sick')?.endpoint?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      assertIs(
        await diagnoseAt(host, { stepMs: 1_500 }),
        'handshake',
        /The server is running but did not respond within 1\.5 seconds/,
        /Restart the server/,
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const healthy = await diagnoseAt(host);
    assert.match(checkOf(healthy, 'handshake').seen, /^The server is running with revision/);
    await host.close();
  });

  test('a running server of the stateless era, which has no ping, is checked with a request of that era', async () => {
    const { host } = headlessHost({
      servers: { sick: { command: 'node', args: [path.resolve('test/fixtures/servers/eras.mjs'), 'modern'] } },
    });
    await host.open();
    await host.lifecycle.start('sick');
    assert.equal(checkOf(await diagnoseAt(host), 'handshake').seen, 'The server is running with revision 2026-07-28.');
    await host.close();
  });

  test('a healthy server has no problem, and the text says so', async () => {
    const diagnosis = await diagnosisOf({ command: 'node', args: odd('ok') });
    assert.equal(found(diagnosis), undefined, JSON.stringify(diagnosis.checks));
    assert.deepEqual(
      diagnosis.checks.map(({ id }) => id),
      ['configuration', 'trust', 'variables', 'folder', 'command', 'files', 'runtime', 'handshake', 'lists'],
    );
    assert.match(diagnosisText('sick', diagnosis), /^Diagnosis of "sick"\n\nNo problems were found\.\n/);
  });

  test('[D2] without approval no program of a local server is run', onlyPosix('it runs shell scripts'), async () => {
    const marker = path.join(folder, 'ran');
    const script = file('unapproved/python3', `#!/bin/sh\ntouch ${marker}\n`, 0o755);
    const trust = {
      isWorkspaceTrusted: () => false,
      onDidGrantTrust: () => ({ dispose: () => undefined }),
      confirmStart: () => Promise.resolve('allow' as const),
    };
    const diagnosis = await diagnosisOf({ command: script, args: odd('ok') }, { trust });
    assert.deepEqual(
      [found(diagnosis)?.id, diagnosis.checks.at(-1)?.id, diagnosis.checks.at(-1)?.outcome, existsSync(marker)],
      ['trust', 'variables', 'skipped', false],
    );
  });

  test('secrets are masked in what is found', async () => {
    const script = file('leaks.mjs', "console.error('bad token ' + process.env.API_TOKEN); process.exit(1);");
    const diagnosis = await diagnosisOf({ command: 'node', args: [script], env: { API_TOKEN: 'hunter2-hunter2' } });
    assert.ok(diagnosisText('sick', diagnosis).includes('bad token •••'));
    assert.doesNotMatch(JSON.stringify(diagnosis), /hunter2/);
  });

  test('a canceled diagnosis ends at once with the findings so far', async () => {
    const { host } = headlessHost({ servers: { sick: { command: 'node', args: odd('never-initialize') } } });
    await host.open();
    const early = new AbortController();
    const before = await diagnose(host, 'sick', await host.servers.inspect('sick'), {
      signal: early.signal,
      onStep: (id) => id === 'handshake' && early.abort(),
    });
    assert.equal(before.checks.at(-1)?.id, 'runtime');
    const late = new AbortController();
    const during = diagnoseAt(host, { signal: late.signal, handshakeMs: 30_000 });
    await until(() => host.servers.get('sick')?.state.kind === 'starting');
    late.abort();
    assert.equal((await during).checks.at(-1)?.id, 'runtime');
    await host.close();
  });
});

// The language is global to the process, so this test cannot run concurrently with others.
test('every sentence is in the language of the user', async (context) => {
  markTexts(context);
  const sentences = [
    await diagnosisOf({ command: 'uvx-of-nobody' }),
    await diagnosisOf({ command: 'node', args: odd('ok') }),
    await diagnosisOf({ command: 'node', args: ['build/index.js'] }),
    await diagnosisOf({ command: 'node', args: odd('ok'), cwd: '/no/such/folder', disabled: true }),
    await diagnosisOf({ url: 'http://127.0.0.1:9/mcp' }),
  ].flatMap(({ checks }) => checks.flatMap(({ seen, fix = '‹' }) => [seen, fix]));
  // Version numbers are not translated.
  assert.deepEqual(
    sentences.filter((text) => !text.startsWith('‹') && !/^node v[\d.]+$/.test(text)),
    [],
  );
});

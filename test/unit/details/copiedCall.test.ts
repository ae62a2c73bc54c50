/** Runs the copied code against a real server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { ServerDefinition } from '../../../src/core/config/serverDefinition.js';
import type { CopyFormat } from '../../../src/core/details/copiedCall.js';
import { copiedCall, copyFormats } from '../../../src/core/details/copiedCall.js';
import { splitCommands } from '../../../src/core/interchange/pasted/commandLine.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import { counter, folderWith } from '../../support/cliProcess.js';
import { onlyPosix } from '../../support/platform.js';
import { serverView } from '../../support/serverViews.js';
import { sampleServer } from '../serving/peers.js';

const run = promisify(execFile);
const legacy = { era: 'legacy', revision: '2025-11-25' } as const;
const modern = { era: 'modern', revision: '2026-07-28' } as const;
const values = { name: 'TOKEN' };
const secret = 'it\'s "$HOME" `x`';

/** A local server whose tool returns an environment variable that the definition fills in. */
const local: ServerDefinition = {
  type: 'stdio',
  command: process.execPath,
  args: [counter],
  env: { TOKEN: '${input:my-token}' },
};

function code(
  definition: ServerDefinition,
  format: CopyFormat,
  spoken: typeof legacy | typeof modern,
  tool = 'environment',
) {
  const { entry } = serverView('acme', { definition });
  const call = { server: 'acme', tool, arguments: tool === 'environment' ? values : { ...hostile } };
  return copiedCall({ call, entry, spoken, secrets: [] }, format);
}

const hostile = { ["a'b"]: 'x"; $(touch /tmp/never) \u2028 é', list: [1, true, null], ['__proto__']: 'own' };

/** Runs a program in Node. @returns its output. */
async function runTypeScript(t: TestContext, text: string, env: Record<string, string>): Promise<string> {
  const folder = folderWith(t, { 'call.mjs': text });
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'), 'junction');
  const { stdout } = await run(process.execPath, [path.join(folder, 'call.mjs')], { env: { ...process.env, ...env } });
  return stdout;
}

for (const spoken of [legacy, modern]) {
  test(`the TypeScript code for a local ${spoken.era} server makes the call, with the secret from the environment`, async (t) => {
    const text = code(local, 'typescript', spoken) ?? '';
    assert.match(text, /^\/\/ MCP_MY_TOKEN: the value of \$\{input:my-token\}$/m);
    const result = JSON.parse(await runTypeScript(t, text, { MCP_MY_TOKEN: secret }));
    assert.deepEqual(result.content, [{ type: 'text', text: secret }]);
  });

  test(`the TypeScript code for a remote ${spoken.era} server makes the call`, async (t) => {
    const { server } = sampleServer();
    const front = new HttpFront({ server, token: 'front-token' });
    const { url } = await front.listen();
    t.after(async () => {
      await front.close();
      server.dispose();
    });
    const remote: ServerDefinition = { type: 'http', url, headers: { Authorization: 'Bearer front-token' } };
    const text = code(remote, 'typescript', spoken, 'report') ?? '';
    assert.doesNotMatch(text, /front-token/);
    const [, name = ''] = /^\/\/ (\w+): the value/m.exec(text) ?? [];
    const whole = /Bearer/.test(text) ? 'front-token' : 'Bearer front-token';
    const result = JSON.parse(await runTypeScript(t, text, { [name]: whole }));
    assert.ok(Array.isArray(result.content), JSON.stringify(result));
  });

  test(
    `the command line for a local ${spoken.era} server makes the call`,
    onlyPosix('the command is for a POSIX shell'),
    async (t) => {
      const text = code(local, 'cli', spoken) ?? '';
      const script = `#!/bin/sh\nexec "${process.execPath}" "${path.resolve('dist/cli.mjs')}" "$@"\n`;
      const folder = folderWith(t, { 'mcp-deck': script });
      chmodSync(path.join(folder, 'mcp-deck'), 0o755);
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, MCP_MY_TOKEN: secret };
      const { stdout } = await run('/bin/sh', ['-e', '-c', text], { env });
      assert.equal(stdout, `${secret}\n`);
    },
  );
}

for (const format of copyFormats)
  test(`[S2, secrets.forms] a copied ${format} call has variables for literal secrets and for references`, () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const text =
      code(
        {
          type: 'http',
          url: `https://user:pw-in-url@host/s/${token}/mcp?access_token=t0k&sas=s1g&page=2&x=${token}&${token}`,
          headers: {
            Authorization: 'Bearer abc-bearer',
            'X-Upstream': 'Bearer abc-upstream',
            'X-Api-Key': 'k3y',
            'X-PAT': 's3cret2',
            'X-Auth': 's3cret3',
            'X-Other': token,
            'X-Db': 'postgres://u:hunter2@db/x',
            'X-Conf': '{"password":"hunter3"}',
            'X-Env': '${env:MY_VALUE}',
            'X-Plain': 'plain',
          },
        },
        format,
        modern,
        'x',
      ) ?? '';
    const values = [token, 'pw-in-url', 't0k', 's1g', 'abc-', 'k3y', 's3cret', 'hunter'];
    assert.deepEqual(
      values.filter((value) => text.includes(value)),
      [],
    );
    assert.match(text, /^(?:#|\/\/) MY_VALUE: the value of \$\{env:MY_VALUE\}$/m);
    for (const open of [/page=2/, /plain/, /Bearer /, /postgres:\/\/u:/]) assert.match(text, open);
  });

for (const format of copyFormats)
  test(`[S2, secrets.forms] a copied ${format} call has variables for literal secrets after a variable`, () => {
    for (const url of [
      '${input:base}/mcp?api_key=hunter2hunter2',
      '${env:BASE}?token=hunter2hunter2',
      '${env:SCHEME}://user:hunter2hunter2@host/mcp',
    ]) {
      const text = code({ type: 'http', url, headers: {} }, format, modern, 'x') ?? '';
      assert.doesNotMatch(text, /hunter2/, url);
    }
  });

test('fields of the other kind of server are not used', () => {
  const remote: ServerDefinition = {
    type: 'http',
    url: 'https://acme.test/mcp',
    headers: { 'X-Used': 'used' },
    extra: { env: { A: 'unused' } },
  };
  const withUrl: ServerDefinition = { ...local, extra: { url: 'https://unused.test' } };
  for (const format of copyFormats) {
    assert.match(code(remote, format, modern, 'x') ?? '', /X-Used/);
    assert.doesNotMatch((code(remote, format, modern, 'x') ?? '') + (code(withUrl, format, modern) ?? ''), /unused/);
  }
});

test('hostile arguments stay texts in each language', async (t) => {
  const echo: ServerDefinition = { type: 'stdio', command: 'node', args: [], env: {} };
  const typeScript = code(echo, 'typescript', legacy, 'x') ?? '';
  const [, literal = ''] = /arguments: ([^]*) \}\);\nconsole/.exec(typeScript) ?? [];
  const printed = await runTypeScript(t, `process.stdout.write(JSON.stringify(${literal}))`, {});
  assert.equal(printed, JSON.stringify(hostile));
});

test('the Python code is valid', async (t) => {
  const hasPython = await run('python3', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasPython) {
    t.skip('python3 is not installed');
    return;
  }
  const remote: ServerDefinition = {
    type: 'http',
    url: 'https://acme.test/mcp',
    headers: { 'X-Api-Key': 'k-123456789' },
  };
  const sse: ServerDefinition = { ...remote, type: 'sse' };
  for (const definition of [local, remote, sse]) {
    const text = code(definition, 'python', legacy, 'x') ?? '';
    assert.match(text, /os\.environ\["/);
    assert.doesNotMatch(text, /k-123456789/);
    const folder = folderWith(t, {});
    const file = path.join(folder, 'call.py');
    writeFileSync(file, text);
    await run('python3', ['-c', 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf8").read())', file]);
  }
});

test('a reference with a line break cannot leave its comment, and other servers have no code', () => {
  const odd: ServerDefinition = { ...local, env: { A: '${input:x\nrm -rf /}' } };
  for (const format of ['typescript', 'python', 'cli'] as const)
    assert.doesNotMatch(code(odd, format, legacy) ?? '', /^rm -rf/m);
  assert.equal(code(local, 'curl', legacy), undefined);
  assert.equal(code({ type: 'ws', url: 'ws://127.0.0.1:1', headers: {} }, 'typescript', legacy), undefined);
});

test('arguments with variables and commands of a shell are the same words for the command line', () => {
  const args = ['$HOME/a', '$(id)', '`id`', 'a "b" \\c', '$'];
  const text = code({ type: 'stdio', command: 'node', args, env: {} }, 'cli', legacy) ?? '';
  const [, command = ''] = /--command '([^']*)'/.exec(text) ?? [];
  const split = splitCommands(command);
  assert.ok('commands' in split);
  assert.deepEqual(
    split.commands.map((words) => words.map((word) => word.text)),
    [['node', ...args]],
  );
});

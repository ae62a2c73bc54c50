import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { DebugPlan } from '../../../src/core/debug/debuggedStart.js';
import { inspectFlag } from '../../../src/core/debug/debuggedStart.js';
import { exactText } from '../../../src/core/base/exactText.js';
import { makeHost, odd, ownPath, server, withHost } from './memoryHost.js';

describe('trust', () => {
  test('[C3] in an env file depends on its content', async () => {
    const made = makeHost({ workspace: { a: { ...server(), envFile: '${workspaceFolder}/.env' } } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      await host.lifecycle.restart('a');
      assert.equal(made.asked.length, 1);
      made.envFile.text = 'NODE_OPTIONS=--require ./other.js';
      await host.lifecycle.restart('a').catch(() => undefined);
      assert.equal(made.asked.length, 2);
    });
  });

  test('[C3] covers an env file whose path contains variables, and asks each time if the path is unknown', async () => {
    const made = makeHost({ workspace: { a: { ...server(), envFile: '${env:NO_SUCH}${/}.env' } } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a').catch(() => undefined);
      await host.lifecycle.start('a').catch(() => undefined);
      assert.equal(made.asked.length, 2);
    });
    const plain = makeHost({ workspace: { a: { ...server(), envFile: '${workspaceFolder}${/}.env' } } });
    await withHost(plain, async (host) => {
      await host.lifecycle.start('a');
      plain.envFile.text = 'NODE_OPTIONS=--require ./other.js';
      await host.lifecycle.restart('a').catch(() => undefined);
      assert.equal(plain.asked.length, 2);
    });
  });

  test('[C3] covers the value of a workspace setting, and the question shows it', async () => {
    const made = makeHost({
      workspace: {
        a: {
          ...server(),
          command: '${config:my.tool}',
          args: [odd, '${config:my.mode}'],
          env: { X: '${config:my.secret}' },
        },
      },
    });
    const { workspace, user } = made.machineSettings;
    workspace.set('my.tool', process.execPath).set('my.mode', 'ok').set('my.secret', 'hunter2-hunter2');
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      await host.lifecycle.restart('a');
      assert.equal(made.asked.length, 1);
      assert.deepEqual([made.questions[0]?.command, made.questions[0]?.args], [process.execPath, [odd, 'ok']]);
      assert.deepEqual(
        made.questions[0]?.variables.map((used) => used.kind === 'config' && used.name),
        ['my.tool', 'my.mode', 'my.secret'],
      );
      assert.match(JSON.stringify(made.questions), /"value":"hunter2-hunter2"/);
      workspace.set('my.mode', 'crlf');
      await host.lifecycle.restart('a');
      assert.deepEqual([made.asked.length, made.questions[1]?.args], [2, [odd, 'crlf']]);
      workspace.set('my.secret', '--require ./other.js');
      await host.lifecycle.restart('a');
      assert.equal(made.asked.length, 3);
      workspace.delete('my.mode');
      user.set('my.mode', 'ok');
      await host.lifecycle.restart('a');
      assert.deepEqual([made.asked.length, made.questions[3]?.args], [4, [odd, '${config:my.mode}']]);
      user.set('my.mode', 'crlf');
      await host.lifecycle.restart('a');
      assert.equal(made.asked.length, 4, 'values of the user need no question');
    });
  });

  test('[C3] does not cover a change while the question is open', async () => {
    const made = makeHost({ workspace: { a: { ...server(), args: [odd, '${config:my.mode}'] } } });
    made.machineSettings.workspace.set('my.mode', 'ok');
    made.onAsked.edit = () => made.machineSettings.workspace.set('my.mode', 'no-such-mode');
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      assert.equal(host.servers.get('a')?.state.kind, 'running');
      await host.lifecycle.restart('a').catch(() => undefined);
      assert.equal(made.asked.length, 2);
    });
  });

  test('[C3] given to a start under a debugger was asked for the definition as written, which later starts run', async () => {
    const cases: [Record<string, unknown>, DebugPlan, string[], string[]][] = [
      [
        { command: process.execPath, args: ['--inspect=0.0.0.0:9377', odd] },
        { kind: 'node', way: 'arguments', stopAtStart: false },
        [process.execPath, '--inspect=0.0.0.0:9377', odd],
        [process.execPath, inspectFlag, odd],
      ],
      [
        { command: process.execPath, args: [odd], env: { NODE_OPTIONS: '--inspect-wait=0.0.0.0:9377' } },
        { kind: 'node', way: 'options', stopAtStart: false },
        [process.execPath, odd, 'NODE_OPTIONS=--inspect-wait=0.0.0.0:9377'],
        [process.execPath, odd, `NODE_OPTIONS=${inspectFlag}`],
      ],
      [
        { command: '/w/tools/python3', args: ['-X', 'dev', 's.py'], env: { MODE: 'a' } },
        { kind: 'debugpy', stopAtStart: false, port: 5, debugpy: { program: '/w/dbgpy' } },
        ['/w/tools/python3', '-X', 'dev', 's.py', 'MODE=a'],
        ['/w/dbgpy', '--listen', '127.0.0.1:5', '--wait-for-client', 's.py'],
      ],
    ];
    for (const [definition, debug, written, started] of cases) {
      const made = makeHost({ workspace: { a: definition }, answer: 'later' });
      await withHost(made, async (host) => {
        await assert.rejects(host.lifecycle.start('a', { debug }), { code: 'not-trusted' });
        const shown = made.questions.map(({ command, args = [], env, debugged }) => [
          [command, ...args, ...env],
          debugged && [debugged.command, ...debugged.args, ...debugged.env],
        ]);
        assert.deepEqual(shown, [[written, started]]);
      });
    }
  });

  test('[C3] is also requested for a server of the user if the workspace sets its debugger', async () => {
    const made = makeHost({
      user: { mine: { ...server(), dev: { debug: { type: 'debugpy', debugpyPath: '${config:my.debugger}' } } } },
    });
    made.machineSettings.workspace.set('my.debugger', './evil.sh');
    await withHost(made, async (host) => {
      await host.lifecycle.start('mine');
      assert.deepEqual([made.asked, made.questions[0]?.debugpyPath], [['mine'], '${config:my.debugger}']);
      assert.match(JSON.stringify(made.questions[0]?.variables), /evil/);
      made.machineSettings.workspace.set('my.debugger', './other.sh');
      assert.equal((await host.servers.inspect('mine'))?.refusal?.code, 'not-trusted');
    });
  });

  test('[C3] is also requested for a server of the user if the workspace sets what it runs', async () => {
    const made = makeHost({ user: { mine: { ...server(), args: [odd, '${config:my.mode}'] } } });
    const { workspace, user } = made.machineSettings;
    user.set('my.mode', 'ok');
    await withHost(made, async (host) => {
      await host.lifecycle.start('mine');
      assert.deepEqual(made.asked, []);
      workspace.set('my.mode', 'crlf');
      await host.lifecycle.restart('mine');
      assert.deepEqual([made.asked, made.questions[0]?.args], [['mine'], [odd, 'crlf']]);
      const inspection = await host.servers.inspect('mine');
      assert.equal(inspection?.refusal, undefined);
      workspace.set('my.mode', 'other');
      assert.equal((await host.servers.inspect('mine'))?.refusal?.code, 'not-trusted');
    });
  });

  test('[C28] is requested for a server of the user once for each workspace that it runs in, with the reason', async () => {
    const state = new Map<string, unknown>();
    const at = server();
    const user = { mine: { ...at, command: 'node', cwd: '${workspaceFolder}' }, away: { ...at, command: 'node' } };
    const start = async (folder: string) => {
      const made = makeHost({ user, state });
      made.folders[0] = { name: 'w', path: folder };
      await withHost(made, async (host) => {
        await host.lifecycle.start('away');
        await host.lifecycle.start('mine');
        await host.lifecycle.restart('mine');
      });
      return made;
    };
    const first = await start(process.cwd());
    assert.deepEqual(first.asked, ['mine']);
    assert.ok(first.questions[0]?.warnings.some((text) => text.includes(process.cwd()) && text.includes('workspace')));
    assert.deepEqual((await start(process.cwd())).asked, [], 'the same workspace');
  });

  test('[C29] is asked for when the value of an input leads a server of the user to an env file of the workspace', async () => {
    const at = { ...server(), cwd: os.homedir(), envFile: '${input:file}' };
    const inputs = [{ id: 'file', type: 'promptString' }];
    const inside = path.join(process.cwd(), 'vars.env');
    const state = new Map<string, unknown>();
    const secrets = new Map<string, string>();
    const refusing = makeHost({ user: { mine: at }, inputs, values: [inside], answer: 'deny', state, secrets });
    await withHost(refusing, async (host) => {
      await assert.rejects(host.lifecycle.start('mine'), { code: 'not-trusted' });
      assert.match(refusing.questions[0]?.warnings.join() ?? '', /Its env file is in the folder/);
      assert.deepEqual(refusing.questions[0]?.envFileLines, ['A=1']);
    });
    // The value is stored: a start without a question does not get further.
    const made = makeHost({ user: { mine: at }, inputs, state, secrets });
    await withHost(made, async (host) => {
      await assert.rejects(host.lifecycle.start('mine', { interactive: false }), { code: 'not-trusted' });
      const inspection = await host.servers.inspect('mine');
      await assert.rejects(inspection?.resolve() ?? Promise.resolve(), { code: 'not-trusted' });
      assert.deepEqual(made.asked, []);
      await host.lifecycle.start('mine');
      await host.lifecycle.restart('mine');
      assert.deepEqual(made.asked, ['mine']);
      made.envFile.text = 'A=2';
      await host.lifecycle.restart('mine');
      assert.deepEqual(made.asked, ['mine', 'mine'], 'its content is a part of the approval');
    });
    const away = makeHost({ user: { mine: at }, inputs, values: [path.join(os.homedir(), 'vars.env')] });
    await withHost(away, async (host) => {
      await host.lifecycle.start('mine');
      assert.deepEqual(away.asked, []);
    });
  });

  describe('[C3] of a server of the workspace is asked for again when the values of inputs are known', () => {
    const pick = (id: string, value: string) => ({ id, type: 'pickString', options: [value] });

    test('shows the content of an env file whose path is entered, also after a change', async () => {
      const workspace = { s: { ...server(), envFile: '${input:profile}' } };
      const made = makeHost({ workspace, inputs: [pick('profile', '.env')], values: ['.env'] });
      await withHost(made, async (host) => {
        await host.lifecycle.start('s');
        await host.lifecycle.restart('s');
        const shown = () => made.questions.map(({ envFile, envFileLines }) => [envFile, envFileLines]);
        const expected = [
          ['${input:profile}', undefined],
          ['.env', ['A=1']],
        ];
        assert.deepEqual(shown(), expected);
        made.envFile.text = 'NODE_OPTIONS=--no-warnings';
        await host.lifecycle.restart('s');
        assert.deepEqual(shown(), [...expected, ['.env', ['NODE_OPTIONS=--no-warnings']]]);
        assert.match(made.questions.at(-1)?.warnings.join() ?? '', /NODE_OPTIONS/);
      });
    });

    test('warns about a program and a folder that are entered, and starts nothing if that is refused', async () => {
      const definition = { command: 'npx', args: ['-y', 'some-package'] };
      for (const [fields, input] of [
        [{ cwd: '${input:x}' }, pick('x', '.')],
        [{ command: '${input:x}' }, pick('x', 'npx')],
      ] as const) {
        const workspace = { s: { ...definition, ...fields } };
        const inputs = [input];
        const settings = { autoStart: 'never' } as const;
        const options: Parameters<typeof makeHost>[0] = { workspace, inputs, values: input.options.slice(), settings };
        const made = makeHost(options);
        made.onAsked.edit = () => void (options.answer = made.questions.length === 1 ? 'allow' : 'deny');
        await withHost(made, async (host) => {
          await assert.rejects(host.lifecycle.start('s'), { code: 'not-trusted' });
          const [first, second] = made.questions.map(({ warnings }) => warnings.join());
          assert.doesNotMatch(first ?? '', /may run or use files of the workspace/);
          assert.match(second ?? '', /npx may run or use files of the workspace/);
        });
      }
    });

    const local = server();
    const entered: Record<string, { definition: object; value: string; isSecret?: boolean; isCommand?: boolean }> = {
      'a program': { definition: { ...local, command: '${input:x}' }, value: process.execPath },
      'a folder': { definition: { ...local, cwd: '${input:x}' }, value: 'test/${a}' },
      'an argument from a command': {
        definition: { ...local, args: ['${input:x}', 'ok'] },
        value: odd,
        isCommand: true,
      },
      'a secret in the folder': { definition: { ...local, cwd: 'test/${input:x}' }, value: 's3cr', isSecret: true },
      'a variable that loads code': {
        definition: { ...local, env: { NODE_OPTIONS: '${input:x}' } },
        value: '--no-warnings',
      },
      'a variable that a shell uses': {
        definition: { command: 'sh', args: ['-c', 'eval "$CODE"'], env: { CODE: '${input:x}' } },
        value: 'exit 0',
        isCommand: true,
      },
      'the host of a URL': { definition: { url: 'http://127.0.0.1:${input:x}/?k=1' }, value: '9' },
    };
    for (const [what, { definition, value, isSecret = false, isCommand = false }] of Object.entries(entered))
      test(`covers ${what} that is entered, shows it, and asks once for the same value`, async () => {
        const state = new Map<string, unknown>();
        const secrets = new Map<string, string>();
        const inputs = [
          isCommand
            ? { id: 'x', type: 'command', command: 'c' }
            : { id: 'x', type: 'promptString', password: isSecret },
        ];
        const workspace = { s: definition };
        const options = { workspace, inputs, state, secrets, settings: { autoStart: 'never' } } as const;
        const first = makeHost({ ...options, values: [value] });
        await withHost(first, async (host) => {
          await host.lifecycle.start('s').catch(() => undefined);
          await host.lifecycle.restart('s').catch(() => undefined);
        });
        const shown = first.questions.map(({ variables }) =>
          variables.flatMap((used) => ('value' in used ? used.value : [])),
        );
        if (!isSecret) assert.deepEqual(shown, [[], [exactText(value)]]);
        else assert.match(JSON.stringify(shown), /^\[\[\],\["⟨secret, SHA-256 [0-9a-f]{12}…⟩"\]\]$/);
        assert.equal(isSecret && JSON.stringify(first.questions).includes(value), false);
        const again = makeHost(options);
        await withHost(again, (host) => host.lifecycle.start('s').catch(() => undefined));
        assert.deepEqual(again.asked, []);
        for (const kept of [state, secrets])
          for (const key of [...kept.keys()]) if (key.startsWith('mcpDeck.input/')) kept.delete(key);
        const other = makeHost({ ...options, values: ['another'], answer: 'deny' });
        await withHost(other, async (host) => {
          await assert.rejects(host.lifecycle.start('s'), { code: 'not-trusted' });
          assert.deepEqual(other.asked, ['s']);
        });
      });

    test('covers a debugger that is entered, and shows it before it runs', async () => {
      const dev = { debug: { type: 'debugpy', debugpyPath: '${input:x}' } };
      const workspace = { s: { command: 'python3', args: ['s.py'], dev } };
      const options: Parameters<typeof makeHost>[0] = {
        workspace,
        inputs: [{ id: 'x', type: 'promptString' }],
        values: ['/w/entered'],
        settings: { autoStart: 'never' },
      };
      const made = makeHost(options);
      made.onAsked.edit = () => void (options.answer = made.questions.length === 1 ? 'allow' : 'deny');
      const debug: DebugPlan = { kind: 'debugpy', stopAtStart: false, port: 5, debugpy: { program: '${input:x}' } };
      await withHost(made, async (host) => {
        await assert.rejects(host.lifecycle.start('s', { debug }), { code: 'not-trusted' });
        const shown = made.questions.map(({ variables }) =>
          variables.flatMap((used) => ('value' in used ? used.value : [])),
        );
        assert.deepEqual(shown, [[], ['/w/entered']]);
      });
    });

    test('is not asked for again if the values are only sent to the server', async () => {
      const inputs = [{ id: 'key', type: 'promptString', password: true }];
      for (const definition of [
        { ...local, env: { API_KEY: '${input:key}' } },
        { ...local, args: [...local.args, '--key=${input:key}'] },
        { ...local, args: [...local.args, 'process.env.KEY'], env: { KEY: '${input:key}' } },
        { url: 'http://127.0.0.1:9/mcp?key=${input:key}', headers: { Authorization: 'Bearer ${input:key}' } },
      ]) {
        const made = makeHost({ workspace: { s: definition }, inputs, values: ['typed'] });
        await withHost(made, (host) => host.lifecycle.start('s').catch(() => undefined));
        assert.deepEqual(made.asked, ['s']);
      }
    });
  });

  test('[C30] is asked for when PATH leads a server of the user to a folder of the workspace', async () => {
    const user = { mine: { ...server(), command: 'node', cwd: os.homedir() } };
    const led = makeHost({ user, path: [ownPath, path.join(process.cwd(), 'bin')].join(path.delimiter) });
    await withHost(led, async (host) => {
      await host.lifecycle.start('mine');
      await host.lifecycle.restart('mine');
      assert.deepEqual(led.asked, ['mine']);
      assert.match(led.questions[0]?.warnings.join() ?? '', /A folder of its PATH is in the folder/);
    });
    const own = makeHost({ user });
    await withHost(own, async (host) => {
      await host.lifecycle.start('mine');
      assert.deepEqual(own.asked, []);
    });
  });

  test('[C3] covers the location of a folder in the definition', async () => {
    const made = makeHost({ workspace: { a: { ...server(), env: { AT: '${workspaceFolder:tools}' } } } });
    made.folders.push({ name: 'tools', path: '/tools' });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      await host.lifecycle.restart('a');
      assert.equal(made.asked.length, 1);
      made.folders[1] = { name: 'tools', path: '/other' };
      await host.lifecycle.restart('a');
      assert.equal(made.asked.length, 2);
    });
  });

  test('[C3] in certificate authorities depends on their content', async () => {
    const made = makeHost({ workspace: { a: { url: 'https://127.0.0.1:9/', caFile: 'ca.pem' } } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a').catch(() => undefined);
      await host.lifecycle.start('a').catch(() => undefined);
      assert.equal(made.asked.length, 1);
      made.envFile.text = 'other authorities';
      await host.lifecycle.start('a').catch(() => undefined);
      assert.equal(made.asked.length, 2);
    });
  });

  test('[C26] depends on the name, because rules and switches refer to it', async () => {
    const made = makeHost({ workspace: { ops: server() } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('ops');
      await made.edit({ ops2: server() });
      await assert.rejects(host.lifecycle.start('ops2', { interactive: false }), { code: 'not-trusted' });
      await host.lifecycle.start('ops2');
      assert.deepEqual(made.asked, ['ops', 'ops2']);
    });
  });

  test('[S4] a value that was typed for one program is requested again for another', async () => {
    const inputs = [{ id: 'k', type: 'promptString', password: true }];
    const env = { KEY: '${input:k}' };
    const secrets = new Map<string, string>();
    const values = ['typed-for-the-first', 'typed-for-the-second'];
    for (const [mode, left] of [
      ['ok', 1],
      ['ok', 1],
      ['remember', 0],
    ] as const) {
      await withHost(makeHost({ workspace: { a: { ...server(mode), env } }, inputs, secrets, values }), (host) =>
        host.lifecycle.start('a'),
      );
      assert.equal(values.length, left, mode);
    }
    assert.deepEqual(
      [...secrets].flatMap(([key, value]) => (key.startsWith('mcpDeck.input/') ? [value] : [])),
      ['typed-for-the-first', 'typed-for-the-second'],
    );
  });

  test('[S4] a value that was typed for one program is requested again if a setting of the workspace leads to another', async () => {
    const inputs = [{ id: 'k', type: 'promptString', password: true }];
    const secrets = new Map<string, string>();
    const values = ['typed-for-the-first', 'typed-for-the-second'];
    for (const [mode, left] of [
      ['ok', 1],
      ['ok', 1],
      ['remember', 0],
    ] as const) {
      const made = makeHost({
        workspace: { a: { ...server('${config:my.mode}'), env: { KEY: '${input:k}' } } },
        inputs,
        secrets,
        values,
      });
      made.machineSettings.workspace.set('my.mode', mode);
      await withHost(made, (host) => host.lifecycle.start('a'));
      assert.equal(values.length, left, mode);
    }
    assert.deepEqual(
      [...secrets].flatMap(([key, value]) => (key.startsWith('mcpDeck.input/') ? [value] : [])),
      ['typed-for-the-first', 'typed-for-the-second'],
    );
  });

  test('[C25] is also requested for a server of the user if files of the workspace decide what it runs, and once for the same files', async () => {
    const made = makeHost({
      user: {
        plain: { ...server(), cwd: '~' },
        led: { ...server(), envFile: '${workspaceFolder}/.env' },
      },
    });
    await withHost(made, async (host) => {
      await host.lifecycle.start('plain', { interactive: false });
      await assert.rejects(host.lifecycle.start('led', { interactive: false }), { code: 'not-trusted' });
      assert.deepEqual(made.asked, []);
      await host.lifecycle.start('led');
      await host.lifecycle.restart('led', { interactive: false });
      assert.deepEqual(made.asked, ['led'], 'the same file');
      await host.lifecycle.stop('led');
      made.envFile.text = 'NODE_OPTIONS=--no-warnings';
      await assert.rejects(host.lifecycle.start('led', { interactive: false }), { code: 'not-trusted' });
      await host.lifecycle.start('led');
      assert.deepEqual(made.asked, ['led', 'led']);
      assert.match(made.questions[1]?.warnings.join() ?? '', /NODE_OPTIONS/);
    });
  });

  test('is requested once for a workspace definition, and again after a change', async () => {
    const made = makeHost({ workspace: { a: server() } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      await host.lifecycle.restart('a');
      assert.deepEqual(made.asked, ['a']);
      await made.edit({ a: server('crlf') });
      assert.equal(host.servers.get('a')?.needsRestart, true);
      await host.lifecycle.restart('a');
      assert.deepEqual([made.asked, host.servers.get('a')?.needsRestart], [['a', 'a'], false]);
    });
  });

  test('when refused leaves the server waiting, without a process', async () => {
    const made = makeHost({ workspace: { a: server() }, answer: 'deny' });
    await withHost(made, async (host) => {
      await assert.rejects(host.lifecycle.start('a'), { code: 'not-trusted' });
      assert.deepEqual([host.servers.get('a')?.state.kind, host.servers.get('a')?.endpoint], ['needsTrust', undefined]);
    });
  });

  test('is not requested for settings of the user', async () => {
    const made = makeHost({ user: { mine: server() } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('mine');
      assert.deepEqual(made.asked, []);
    });
  });

  test('[Y2] in an untrusted workspace no server starts, from any source', async () => {
    const made = makeHost({ workspace: { a: server() }, user: { mine: server() }, isTrusted: false });
    await withHost(made, async (host) => {
      await assert.rejects(host.calls.runTool({ server: 'a', tool: 'echo' }, { caller: 'user' }), {
        code: 'not-trusted',
      });
      await assert.rejects(host.lifecycle.start('mine'), { code: 'not-trusted' });
      assert.deepEqual(made.asked, []);
    });
  });

  test('is never requested by an automatic start', async () => {
    const made = makeHost({ workspace: { a: server() }, settings: { autoStart: 'always' } });
    await withHost(made, async (host) => {
      while (host.servers.get('a')?.state.kind !== 'needsTrust') await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(made.asked, []);
    });
  });

  test('after the workspace is trusted, servers that were held back start, or wait for the approval of their definition', async () => {
    const made = makeHost({ workspace: { a: server() }, user: { mine: server() }, isTrusted: false });
    await withHost(made, async (host) => {
      for (const id of ['a', 'mine']) await assert.rejects(host.lifecycle.start(id), { code: 'not-trusted' });
      made.trust.isTrusted = true;
      made.trustGranted.fire();
      while (host.servers.get('mine')?.state.kind !== 'running') await new Promise((resolve) => setImmediate(resolve));
      const waits = () => {
        const state = host.servers.get('a')?.state;
        return state?.kind === 'needsTrust' && state.error.data.isWorkspace !== true;
      };
      while (!waits()) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(made.asked, []);
    });
  });
});

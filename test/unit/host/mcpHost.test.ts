import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { nullLog } from '../../../src/core/base/log.js';
import { unguarded } from '../../support/unguarded.js';
import type { AuditRecord } from '../../../src/core/consent/audit.js';
import type { StartDescription } from '../../../src/core/config/describeStart.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import { McpHost } from '../../../src/core/host/mcpHost.js';
import type { HostSettings } from '../../../src/core/config/hostSettings.js';
import type { FileChanges, HostPorts } from '../../../src/core/host/ports.js';
import { RunLog } from '../../../src/core/runs/runLog.js';
import { MemoryHistoryFiles } from '../../support/memoryHistoryFiles.js';
import { failureMessage } from '../../../src/core/present/failure/failureText.js';

const odd = path.resolve('test/fixtures/servers/odd.mjs');
const workspaceFile: ConfigSource = {
  id: 'vscode:/w',
  kind: 'vscode',
  label: '.vscode/mcp.json',
  folderPath: process.cwd(),
  folderName: 'w',
};
const userSettings: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };

/** The PATH of this process without folders of the workspace, such as npm adds. */
const ownPath = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .filter((folder) => path.isAbsolute(folder) && path.relative(process.cwd(), folder).startsWith('..'))
  .join(path.delimiter);

/** Every port of a host, complete and in memory; the options configure it for a test. */
function makeHost(
  options: {
    workspace?: Record<string, unknown>;
    user?: Record<string, unknown>;
    isTrusted?: boolean;
    answer?: 'allow' | 'deny' | 'later';
    settings?: Partial<HostSettings>;
    state?: Map<string, unknown>;
    inputs?: unknown[];
    secrets?: Map<string, string>;
    values?: string[];
    fileChanges?: FileChanges;
    /** The PATH that VS Code was started with. */
    path?: string;
  } = {},
) {
  const files = {
    workspace: JSON.stringify({ servers: options.workspace ?? {}, inputs: options.inputs ?? [] }),
    user: options.user ?? {},
  };
  const configurationChanged = new Emitter<void>();
  const trustGranted = new Emitter<void>();
  const asked: string[] = [];
  const logged: string[] = [];
  const state = options.state ?? new Map<string, unknown>();
  const secrets = options.secrets ?? new Map<string, string>();
  const trust = { isTrusted: options.isTrusted ?? true };
  const envFile = { text: 'A=1' };
  /** Values of `${config:…}`: the workspace's value has priority. */
  const machineSettings = { workspace: new Map<string, unknown>(), user: new Map<string, unknown>() };
  const questions: StartDescription[] = [];
  const folders = [{ name: 'w', path: process.cwd() }];
  const noted: AuditRecord[] = [];
  const onAsked: { edit?: () => void } = {};
  const never = new Emitter<void>();
  const ports: HostPorts = {
    log: nullLog,
    serverLog: () => ({
      write: (level, line) => logged.push(`${level} ${line}`),
      level: () => 'info',
      onDidChangeLevel: never.event,
    }),
    settings: {
      current: () => ({
        autoStart: 'lastRunning',
        maxMessageBytes: 2 ** 26,
        requestTimeoutMs: 20_000,
        startTimeoutMs: 20_000,
        stopGraceMs: 300,
        trace: 'off',
        builtInServer: false,
        restartOnCrash: false,
        ...options.settings,
      }),
      onDidChange: never.event,
    },
    configuration: {
      read: () =>
        Promise.resolve([
          { source: workspaceFile, text: files.workspace },
          { source: userSettings, value: files.user, inputs: options.inputs },
        ]),
      onDidChange: configurationChanged.event,
    },
    trust: {
      isWorkspaceTrusted: () => trust.isTrusted,
      onDidGrantTrust: trustGranted.event,
      confirmStart: (entry, description) => {
        asked.push(entry.id);
        questions.push(description);
        onAsked.edit?.();
        return Promise.resolve(options.answer ?? 'allow');
      },
    },
    state: { get: (key) => state.get(key), set: (key, value) => Promise.resolve(void state.set(key, value)) },
    secrets: {
      get: (key) => Promise.resolve(secrets.get(key)),
      set: (key, value) => Promise.resolve(void secrets.set(key, value)),
      delete: (key) => Promise.resolve(void secrets.delete(key)),
    },
    consent: unguarded,
    audit: { note: (record) => noted.push(record) },
    inputs: { ask: () => Promise.resolve(options.values?.shift()) },
    roots: { roots: () => [{ uri: 'file:///w', name: 'w' }], onDidChange: never.event },
    machine: {
      env: { PATH: options.path ?? ownPath, TERM: 'dumb' },
      platform: process.platform,
      userHome: os.homedir(),
      readFile: () => Promise.resolve(envFile.text),
      folders: () => [...folders],
      getSetting: (key) => machineSettings.workspace.get(key) ?? machineSettings.user.get(key),
      isSetByWorkspace: (key) => machineSettings.workspace.has(key),
    },
    client: { name: 'test', title: 'Test', version: '1' },
    ...(options.fileChanges ? { fileChanges: options.fileChanges } : {}),
  };
  const host = new McpHost(ports);
  const edit = async (servers: Record<string, unknown>) => {
    files.workspace = JSON.stringify({ servers });
    const changed = new Promise<void>((resolve) => {
      const listener = host.servers.onDidChange(({ server }) => {
        if (server !== undefined) return;
        listener.dispose();
        resolve();
      });
    });
    configurationChanged.fire();
    await changed;
  };
  return {
    host,
    noted,
    envFile,
    machineSettings,
    folders,
    questions,
    onAsked,
    asked,
    logged,
    state,
    trust,
    trustGranted,
    edit,
  };
}

const server = (mode = 'ok') => ({ command: process.execPath, args: [odd, mode] });

async function withHost(made: ReturnType<typeof makeHost>, run: (host: McpHost) => Promise<void>): Promise<void> {
  await made.host.open();
  try {
    await run(made.host);
  } finally {
    await made.host.close();
  }
}

test('[S5] the secrets at the start of a run are masked at its end, even if its definition was changed or removed in the meantime', async () => {
  const withToken = (token: string) => ({ a: { ...server(), env: { API_TOKEN: token } } });
  const made = makeHost({ workspace: withToken('hunter2-first') });
  await withHost(made, async (host) => {
    const runs = new RunLog(host.servers, new MemoryHistoryFiles(), nullLog);
    let count = 0;
    const record = (text: string) => {
      const id = `run-${++count}`;
      const run = { id, server: 'a', tool: 't', arguments: { note: text }, startedAt: 1, durationMs: 1 };
      runs.finish({ ...run, end: { result: { content: [{ type: 'text', text }] } } });
      return JSON.stringify(runs.history.run(id));
    };
    await host.lifecycle.start('a');
    await made.edit(withToken('hunter2-second'));
    await host.lifecycle.restart('a');
    assert.deepEqual(
      ['hunter2-first', 'hunter2-second'].filter((token) => record(`it is ${token}`).includes(token)),
      [],
    );
    await made.edit({});
    assert.equal(host.servers.get('a'), undefined);
    assert.deepEqual(
      ['hunter2-first', 'hunter2-second'].filter(
        (token) => !host.servers.secretValues('a').includes(token) || record(`it was ${token}`).includes(token),
      ),
      [],
    );
    await made.edit({
      a: { command: process.execPath, args: ['-e', 'console.error("now hunter2-first"); process.exit(1)'] },
    });
    await host.lifecycle.start('a').catch(() => undefined);
    assert.ok(
      made.logged.some((line) => line.includes('now ')),
      made.logged.join('\n'),
    );
    assert.deepEqual(
      made.logged.filter((line) => /stderr.*hunter2/.test(line)),
      [],
    );
    runs.dispose();
  });
});

test('[C2] the answer to the start question is in the audit log, and a start without a question is not', async () => {
  for (const answer of ['allow', 'deny', 'later'] as const) {
    const made = makeHost({ workspace: { a: server() }, user: { mine: server() }, answer });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a').catch(() => undefined);
      await host.lifecycle.start('mine');
      const outcome = { allow: 'allowed', deny: 'refused', later: 'left' }[answer];
      assert.deepEqual(
        made.noted.map((record) => ({ ...record, definition: 'x' })),
        [{ event: 'start', server: 'a', source: '.vscode/mcp.json', definition: 'x', outcome }],
      );
    });
  }
});

test('a call starts its server, returns the plain result, and the server shows its tools', async () => {
  const made = makeHost({ workspace: { a: server() } });
  await withHost(made, async (host) => {
    const result = await host.calls.runTool(
      { server: 'a', tool: 'echo', arguments: { text: 'hi' } },
      { caller: 'user' },
    );
    assert.deepEqual(result, { content: [{ type: 'text', text: 'hi' }] });
    const view = host.servers.get('a');
    assert.deepEqual(
      [view?.state.kind, view?.features?.tools.map(({ name }) => name), view?.features?.identity.era],
      ['running', ['echo'], 'legacy'],
    );
  });
});

test('a start that was aborted before it began does not run', async () => {
  await withHost(makeHost({ user: { a: server() } }), async (host) => {
    await assert.rejects(host.lifecycle.start('a', { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
    assert.equal(host.servers.get('a')?.state.kind, 'stopped');
  });
});

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
      assert.equal(JSON.stringify(made.questions).includes('hunter2'), false);
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
      assert.match((await host.servers.inspect('mine'))?.refusal ?? '', /not approved/);
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
      assert.match((await host.servers.inspect('mine'))?.refusal ?? '', /not approved/);
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
      assert.deepEqual(refusing.questions[0]?.envFileNames, ['A']);
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

  test('[C30] is asked for when PATH leads a server of the user to a folder of the workspace', async () => {
    const user = { mine: { ...server(), command: 'node', cwd: os.homedir() } };
    const led = makeHost({ user, path: [ownPath, path.join(process.cwd(), 'bin')].join(path.delimiter) });
    await withHost(led, async (host) => {
      await host.lifecycle.start('mine');
      await host.lifecycle.restart('mine');
      assert.deepEqual(led.asked, ['mine']);
      assert.match(led.questions[0]?.warnings.join() ?? '', /Its PATH has a folder in/);
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
});

describe('a typed value', () => {
  const inputs = [{ id: 'k', type: 'promptString', password: true }];
  const workspace = { a: { ...server(), env: { KEY: '${input:k}' } } };

  test('is requested again after it was forgotten, and changed without a start', async () => {
    const values = ['first', 'second', 'third'];
    const secrets = new Map<string, string>();
    const stored = () => [...secrets].flatMap(([key, value]) => (key.startsWith('mcpDeck.input/') ? [value] : []));
    await withHost(makeHost({ workspace, inputs, values, secrets }), async (host) => {
      assert.deepEqual(await host.storedValues.inputs(), []);
      await host.lifecycle.start('a');
      assert.deepEqual(stored(), ['first']);
      await host.storedValues.askInput('a', 'k');
      assert.deepEqual(stored(), ['second']);
      for (const one of await host.storedValues.inputs()) await host.storedValues.forgetInput(one);
      assert.deepEqual(stored(), []);
      await host.lifecycle.restart('a');
      assert.deepEqual(stored(), ['third']);
      await assert.rejects(host.storedValues.askInput('a', 'k'), { code: 'cancelled' });
      assert.deepEqual(stored(), ['third'], 'canceling keeps the old value');
    });
  });

  test('is named as a possible cause when the server ends before it answers, and only then', async () => {
    const failing = { a: { ...server('exit-on-start'), env: { KEY: '${input:k}' } }, b: server('exit-on-start') };
    await withHost(makeHost({ workspace: failing, inputs, values: ['wrong'] }), async (host) => {
      const messageOf = (id: string) =>
        host.lifecycle.start(id).then(
          () => assert.fail('it should have failed'),
          (error: unknown) => failureMessage(error, { isWorkspaceTrusted: true }),
        );
      const [withValue, without] = [await messageOf('a'), await messageOf('b')];
      assert.match(
        withValue?.text ?? '',
        /If a value that you entered is wrong, change it with "MCP Deck: Stored Values…"\.$/,
      );
      assert.ok(withValue?.actions.includes('manageStoredValues'));
      assert.ok(
        !without?.text.includes('Stored Values') && !without?.actions.includes('manageStoredValues'),
        without?.text,
      );
    });
  });

  test('[S1] of a password is only in secret storage: not in the state, the log or the audit log, and only after trust', async () => {
    const typed = 'typed-in-by-the-person';
    const secrets = new Map<string, string>();
    const password = [{ ...inputs[0], password: true }];
    const refusing = makeHost({ workspace, inputs: password, values: [typed], secrets, answer: 'deny' });
    await withHost(refusing, (host) => assert.rejects(host.lifecycle.start('a')));
    assert.deepEqual([...secrets], [], 'it is not requested before the server is approved');
    const made = makeHost({ workspace, inputs: password, values: [typed], secrets });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      assert.equal([...secrets.values()].filter((value) => value.includes(typed)).length, 1);
      assert.doesNotMatch(
        JSON.stringify([
          [...made.state],
          made.logged,
          made.noted,
          made.questions,
          host.servers.list().map(({ entry }) => entry),
          await host.storedValues.inputs(),
        ]),
        /typed-in/,
      );
    });
  });

  test('[S4] stays while its definition is missing, and is deleted with a removed server', async () => {
    const secrets = new Map<string, string>();
    const made = makeHost({ workspace, inputs, values: ['typed'], secrets });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const stored = await host.storedValues.of('a');
      assert.deepEqual([stored.inputs.map(({ input }) => input), stored.signedInTo], [['k'], undefined]);
      await made.edit({});
      assert.deepEqual(
        (await host.storedValues.inputs()).map(({ server: id, input, isUsed }) => [id, input, isUsed]),
        [['a', 'k', false]],
      );
      await host.storedValues.forget(stored);
      assert.deepEqual([await host.storedValues.inputs(), [...secrets]], [[], [['mcpDeck.inputs', '[]']]]);
    });
  });
});

test('the servers that ran last start again with the next window', async () => {
  const state = new Map<string, unknown>();
  const first = makeHost({ user: { a: server(), b: server() }, state });
  await withHost(first, async (host) => {
    await host.lifecycle.start('a');
    await host.lifecycle.start('b');
    await host.lifecycle.stop('b');
  });
  const second = makeHost({ user: { a: server(), b: server() }, state });
  await withHost(second, async (host) => {
    while (host.servers.get('a')?.state.kind !== 'running') await new Promise((resolve) => setImmediate(resolve));
    assert.equal(host.servers.get('b')?.state.kind, 'stopped');
  });
});

describe('[recovery] a restart that cannot start leaves the server running', () => {
  const process = (host: McpHost) => host.servers.get('a')?.endpoint?.pid;
  const lastLine = ({ logged }: ReturnType<typeof makeHost>) => logged.at(-1) ?? '';

  test('when the changed definition is not approved', async () => {
    const options: Parameters<typeof makeHost>[0] = { workspace: { a: server() } };
    const made = makeHost(options);
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const before = process(host);
      await made.edit({ a: { ...server(), env: { ADDED: '1' } } });
      options.answer = 'deny';
      await assert.rejects(host.lifecycle.restart('a'), {
        code: 'not-trusted',
        data: { server: 'a', isStillRunning: true, source: '.vscode/mcp.json' },
      });
      assert.deepEqual(
        [host.servers.get('a')?.state.kind, process(host), host.servers.get('a')?.needsRestart],
        ['running', before, true],
      );
      assert.match(
        lastLine(made),
        /^warn The restart failed: .*Needs your approval.* The server continues to run with its previous definition\.$/,
      );
      assert.deepEqual(
        await host.calls.runTool({ server: 'a', tool: 'echo', arguments: { text: 'hi' } }, { caller: 'user' }),
        { content: [{ type: 'text', text: 'hi' }] },
      );
      options.answer = 'allow';
      await host.lifecycle.restart('a');
      assert.deepEqual(
        [host.servers.get('a')?.needsRestart, process(host) === before, made.asked.length],
        [false, false, 3],
      );
    });
  });

  test('when a variable or a value is missing', async () => {
    const made = makeHost({ workspace: { a: server() } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const before = process(host);
      await made.edit({ a: { ...server(), env: { MISSING: '${env:MCP_DECK_NO_SUCH_VARIABLE}' } } });
      assert.equal(process(host), before);
      await assert.rejects(host.lifecycle.restart('a'), { code: 'bad-configuration' });
      await made.edit({ a: { ...server(), env: { ASKED: '${input:unknown}' } } });
      await assert.rejects(host.lifecycle.restart('a'), { code: 'bad-configuration' });
      assert.deepEqual([host.servers.get('a')?.state.kind, process(host)], ['running', before]);
    });
  });

  test('when changed files cause it, and no question is shown', async () => {
    let changed: ((file: string) => void) | undefined;
    const fileChanges: FileChanges = {
      watch: (_folder, _patterns, onDidChange) => {
        changed = onDidChange;
        return { dispose: () => undefined };
      },
    };
    const made = makeHost({
      workspace: { a: { ...server(), envFile: '${workspaceFolder}/.env', dev: { watch: '**/*.js' } } },
      fileChanges,
    });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a');
      const before = process(host);
      made.envFile.text = 'NODE_OPTIONS=--require ./other.js';
      changed?.('main.js');
      await untilLogged(made, /^warn The restart failed: /);
      assert.deepEqual([host.servers.get('a')?.state.kind, process(host), made.asked.length], ['running', before, 1]);
    });
  });
});

describe('[Y5] an automatic restart after a crash never asks the user', () => {
  /** Kills the process of a server that the user started, and waits until the automatic restart has ended. */
  async function crash(host: McpHost): Promise<void> {
    const pid = host.servers.get('a')?.endpoint?.pid;
    assert.ok(pid !== undefined);
    globalThis.process.kill(pid, 'SIGKILL');
    const isOver = () =>
      host.servers.get('a')?.endpoint?.pid !== pid &&
      ['needsTrust', 'needsInput', 'running'].includes(host.servers.get('a')?.state.kind ?? '');
    while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  test('to approve a change', async () => {
    const made = makeHost({ workspace: { a: server() }, settings: { restartOnCrash: true } });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a', { interactive: true });
      await made.edit({ a: { ...server(), env: { ADDED: '1' } } });
      await crash(host);
      assert.deepEqual([made.asked.length, host.servers.get('a')?.state.kind], [1, 'needsTrust']);
    });
  });

  test('for a value', async () => {
    const values = ['first', 'second'];
    const made = makeHost({
      workspace: { a: { ...server(), env: { KEY: '${input:key}' } } },
      inputs: [{ id: 'key', type: 'promptString' }],
      values,
      settings: { restartOnCrash: true },
    });
    await withHost(made, async (host) => {
      await host.lifecycle.start('a', { interactive: true });
      for (const stored of await host.storedValues.inputs()) await host.storedValues.forgetInput(stored);
      await crash(host);
      assert.deepEqual([values, host.servers.get('a')?.state.kind], [['second'], 'needsInput']);
    });
  });
});

test('a server whose start waits for an answer of the user shows that, and only until then', async () => {
  const during: (boolean | undefined)[] = [];
  const made = makeHost({ workspace: { a: server() } });
  await withHost(made, async (host) => {
    const isAsking = () => {
      const state = host.servers.get('a')?.state;
      return state?.kind === 'starting' ? state.isAsking : undefined;
    };
    made.onAsked.edit = () => {
      during.push(isAsking());
    };
    host.servers.onDidChange(() => {
      if (host.servers.get('a')?.state.kind === 'starting') during.push(isAsking());
    });
    await host.lifecycle.start('a', { interactive: true });
    assert.ok(during.includes(true));
    assert.equal(during.at(-1), undefined);
  });
});

/** Resolves when a matching line is logged. */
async function untilLogged({ logged }: ReturnType<typeof makeHost>, line: RegExp): Promise<void> {
  while (!logged.some((one) => line.test(one))) await new Promise((resolve) => setImmediate(resolve));
}

test('[N3] an edit stops removed and disabled servers and leaves the others running', async () => {
  const made = makeHost({ workspace: { a: server(), b: server(), c: server() } });
  await withHost(made, async (host) => {
    await Promise.all(['a', 'b', 'c'].map((id) => host.lifecycle.start(id)));
    const pid = host.servers.get('a')?.endpoint?.pid;
    await made.edit({ a: server(), c: { ...server(), disabled: true } });
    assert.deepEqual(
      [host.servers.get('a')?.endpoint?.pid, host.servers.get('b'), host.servers.get('c')?.entry.isEnabled],
      [pid, undefined, false],
    );
    while (host.servers.get('c')?.state.kind !== 'stopped') await new Promise((resolve) => setImmediate(resolve));
  });
});

test('[recovery] a restarted server gets its log level and subscriptions back, and updates continue', async () => {
  const made = makeHost({ workspace: { a: server('remember') } });
  await withHost(made, async (host) => {
    let updates = 0;
    const subscription = await host.calls.subscribe({ server: 'a', uri: 'x:y' }, () => updates++);
    await host.lifecycle.restart('a');
    const { content } = await host.calls.runTool({ server: 'a', tool: 'received' }, { caller: 'user' });
    const received = content[0]?.type === 'text' ? (JSON.parse(content[0].text) as unknown[]) : [];
    assert.deepEqual(
      received.filter(([method]: any) => method === 'logging/setLevel' || method === 'resources/subscribe'),
      [
        ['logging/setLevel', 'info'],
        ['resources/subscribe', 'x:y'],
      ],
    );
    assert.equal(updates, 2);
    subscription.dispose();
  });
});

test('a crash during a call fails the call and the server with the reason', async () => {
  const made = makeHost({ workspace: { a: server('exit-mid-call') } });
  await withHost(made, async (host) => {
    await assert.rejects(host.calls.runTool({ server: 'a', tool: 'echo' }, { caller: 'user' }), { code: 'exited' });
    const view = host.servers.get('a');
    assert.match(view?.state.kind === 'failed' ? view.state.error.message : '', /code 7: out of memory/);
    assert.deepEqual(view?.stderr, ['out of memory']);
  });
});

test('errors about unknown servers and tools name the existing ones', async () => {
  const made = makeHost({ workspace: { a: server() } });
  await withHost(made, async (host) => {
    await assert.rejects(
      host.lifecycle.start('b'),
      (error: Error & { hint?: string }) => /no server "b"/.test(error.message) && error.hint === 'Known servers: a.',
    );
    await assert.rejects(host.calls.findTool('a', 'nope'), /no tool "nope"/);
  });
});

test('[P7] closing the host leaves no process, and closing twice is harmless', async () => {
  const made = makeHost({ workspace: { a: server('ignore-sigterm') } });
  await made.host.open();
  await made.host.lifecycle.start('a');
  const pid = made.host.servers.get('a')?.endpoint?.pid ?? 0;
  await Promise.all([made.host.close(), made.host.close()]);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

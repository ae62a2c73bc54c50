import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import type { SecretStore, StateStore } from '../../../src/core/base/stores.js';
import type { ConfigurationText } from '../../../src/core/config/configurationSource.js';
import type { HostPorts } from '../../../src/core/host/ports.js';
import { failureLine } from '../../../src/core/present/failure/failureText.js';
import { Emitter } from '../../../src/core/base/event.js';
import type { HeadlessHost } from '../../support/headlessHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { ManualClock, settle } from '../../support/manualClock.js';

/** Failures of secret storage, workspace state and files must not block starts, stops or the end of a window. */

const echo = { command: process.execPath, args: [path.resolve('test/fixtures/servers/odd.mjs'), 'ok'] };
const withSecret = { ...echo, env: { TOKEN: '${input:token}' } };
const file = (servers: Record<string, unknown>): ConfigurationText => ({
  source: { id: 'vscode:file', kind: 'vscode', label: '.vscode/mcp.json', folderPath: process.cwd() },
  text: JSON.stringify({
    servers,
    inputs: [
      { id: 'token', type: 'promptString', password: true },
      { id: 'name', type: 'promptString' },
    ],
  }),
});
const silent = <T>(): Promise<T> => new Promise<T>(() => undefined);
const locked = () => Promise.reject(new Error('The keyring is locked'));
const full = () =>
  Promise.reject(
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }),
  );

describe('stores that do not answer or refuse', () => {
  const open: HeadlessHost[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map(({ host }) => host.close()));
  });

  interface Window extends HeadlessHost {
    told: HostError[];
    clock: ManualClock;
    questions: string[];
  }

  /** The servers are in a file of the workspace; the user types `typed`. */
  async function openHost(
    servers: Record<string, unknown>,
    ports: Partial<HostPorts>,
    typed?: string,
  ): Promise<Window> {
    const reported: HostError[] = [];
    const questions: string[] = [];
    const clock = new ManualClock();
    const never = new Emitter<void>();
    const made = headlessHost({
      servers: {},
      clock,
      ports: {
        configuration: { read: () => Promise.resolve([file(servers)]), onDidChange: never.event },
        inputs: {
          ask: ({ id }) => {
            questions.push(id);
            return Promise.resolve(typed);
          },
        },
        tell: (failure) => reported.push(failure),
        ...ports,
      },
    });
    open.push(made);
    await made.host.open();
    return { ...made, told: reported, clock, questions };
  }

  const secretsThat = (over: Partial<SecretStore>): SecretStore => ({
    get: () => Promise.resolve(undefined),
    set: () => Promise.resolve(),
    delete: () => Promise.resolve(),
    ...over,
  });
  const stateThat = (set: StateStore['set']): StateStore => ({ get: () => undefined, set });
  const failure = (work: Promise<unknown>): Promise<HostError> =>
    work.then(
      () => assert.fail('it should have failed'),
      (error: unknown) => error as HostError,
    );

  test('[K1] a start that waits for secret storage ends at once when its server is stopped', async () => {
    const { host } = await openHost({ db: withSecret }, { secrets: secretsThat({ get: silent }) });
    const start = failure(host.lifecycle.start('db'));
    await settle();
    await host.lifecycle.stop('db');
    assert.equal((await start).code, 'cancelled');
    assert.equal(host.servers.get('db')?.state.kind, 'stopped');
  });

  test('[K1] a window closes while a start waits for secret storage', async () => {
    const { host } = await openHost({ db: withSecret }, { secrets: secretsThat({ get: silent }) });
    const start = failure(host.lifecycle.start('db'));
    await settle();
    await host.close();
    assert.equal((await start).code, 'cancelled');
  });

  test('[K1] a background start fails when secret storage does not answer within its time limit, and says what to do', async () => {
    const { host, clock } = await openHost({ db: withSecret }, { secrets: secretsThat({ get: silent }) });
    await approve(host);
    const start = failure(host.lifecycle.start('db', { interactive: false }));
    await settle();
    await clock.advance(60_000);
    const error = await start;
    assert.equal(error.code, 'storage-failed');
    const line = failureLine(error, undefined);
    assert.match(
      line,
      /"db".*Secret storage could not be read: there was no response within \d+ s\. Unlock your system keyring/,
    );
    assert.equal(host.servers.get('db')?.state.kind, 'failed');
  });

  test('[K1] a manual start asks for the value when secret storage does not answer; entering nothing gives that failure', async () => {
    const { host, clock, questions } = await openHost({ db: withSecret }, { secrets: secretsThat({ get: silent }) });
    const start = failure(host.lifecycle.start('db'));
    await settle();
    await clock.advance(60_000);
    assert.equal((await start).code, 'storage-failed');
    assert.deepEqual(questions, ['token']);
  });

  test('[K2] a locked keyring: the server starts with the typed value, which is kept for the window and not requested again', async () => {
    const { host, questions, told } = await openHost(
      { db: withSecret },
      { secrets: secretsThat({ get: locked, set: locked }) },
      'typed-secret',
    );
    await host.lifecycle.start('db');
    assert.equal(host.servers.get('db')?.state.kind, 'running');
    await host.lifecycle.stop('db');
    await host.lifecycle.start('db', { interactive: false });
    assert.equal(host.servers.get('db')?.state.kind, 'running');
    assert.deepEqual(questions, ['token']);
    assert.equal(told.length, 1, 'told once');
    assert.match(
      failureLine(told[0], undefined),
      /^Server "db": Secret storage could not be read: The keyring is locked\..*Unlock your system keyring/,
    );
  });

  test('[K2] values that a locked keyring did not store are stored when it works again', async () => {
    const stored = new Map<string, string>();
    let isLocked = true;
    const secrets = secretsThat({
      get: (key) => (isLocked ? locked() : Promise.resolve(stored.get(key))),
      set: (key, value) => (isLocked ? locked() : Promise.resolve(void stored.set(key, value))),
    });
    const { host } = await openHost(
      { db: withSecret, other: { ...echo, env: { TOKEN: '${input:token}', X: 'x' } } },
      { secrets },
      'typed-secret',
    );
    await host.lifecycle.start('db');
    await settle();
    assert.equal(stored.size, 0);
    isLocked = false;
    await host.lifecycle.start('other');
    await settle();
    assert.equal([...stored.values()].filter((value) => value === 'typed-secret').length, 2);
  });

  test('[K2] an approved server starts even if its approval cannot be stored, and needs no new approval in this window', async () => {
    let asked = 0;
    const { host, told } = await openHost(
      { db: echo },
      { state: stateThat(full), trust: trustThat(() => Promise.resolve(void asked++).then(() => 'allow')) },
    );
    await host.lifecycle.start('db');
    await host.lifecycle.stop('db');
    await host.lifecycle.start('db');
    assert.equal(asked, 1);
    await settle();
    assert.equal(told.length, 1);
    assert.match(
      failureLine(told[0], undefined),
      /^Server "db": The stored data of MCP Deck could not be written: the disk is full\. The change is kept only until this window closes\. Free up disk space/,
    );
  });

  test('[K1] a start does not wait until state is stored', async () => {
    const { host } = await openHost({ db: echo }, { state: stateThat(silent) });
    await host.lifecycle.start('db');
    assert.equal(host.servers.get('db')?.state.kind, 'running');
    await host.lifecycle.stop('db');
  });

  test('[K1] a file that does not answer ends a start within its limit, and a stop ends it at once', async () => {
    const machine = {
      env: { PATH: process.env['PATH'], TERM: 'x' },
      platform: process.platform,
      userHome: process.cwd(),
      readFile: silent<string>,
      folders: () => [],
      getSetting: () => undefined,
      isSetByWorkspace: () => false,
    };
    const dead = { ...echo, envFile: '/mnt/dead/.env' };
    const { host, clock } = await openHost({ a: dead, b: dead, c: dead, d: dead, db: dead }, { machine });
    // At most four starts are examined at the same time. The fifth one waits, and can be stopped meanwhile.
    const others = ['a', 'b', 'c', 'd'].map((id) => failure(host.lifecycle.start(id)));
    await settle();
    const waiting = failure(host.lifecycle.start('db'));
    await settle();
    await host.lifecycle.stop('db');
    assert.equal((await waiting).code, 'cancelled');
    for (const id of ['a', 'b', 'c', 'd']) await host.lifecycle.stop(id);
    await Promise.all(others);
    const first = failure(host.lifecycle.start('db'));
    await settle();
    await host.lifecycle.stop('db');
    assert.equal((await first).code, 'cancelled');
    const second = failure(host.lifecycle.start('db'));
    await settle();
    await clock.advance(60_000);
    assert.match(
      failureLine(await second, undefined),
      /"db".*\/mnt\/dead\/\.env could not be read: there was no response within 20 s/,
    );
  });

  test('[K1] the time of questions to the user does not count', async () => {
    let answer: (value: 'allow') => void = () => undefined;
    const { host, clock } = await openHost(
      { db: echo },
      { trust: trustThat(() => new Promise((resolve) => (answer = resolve))) },
    );
    const start = host.lifecycle.start('db');
    await settle();
    await clock.advance(3_600_000);
    answer('allow');
    await start;
    assert.equal(host.servers.get('db')?.state.kind, 'running');
  });

  test('[K1] a stop while a restart waits for secret storage stops the server, and the restart is aborted', async () => {
    let get: SecretStore['get'] = () => Promise.resolve('stored-secret');
    const { host } = await openHost({ db: withSecret }, { secrets: secretsThat({ get: (key) => get(key) }) });
    await host.lifecycle.start('db');
    get = silent;
    const restart = failure(host.lifecycle.restart('db'));
    await settle();
    await host.lifecycle.stop('db');
    assert.equal((await restart).code, 'cancelled');
    assert.equal(host.servers.get('db')?.state.kind, 'stopped');
  });

  test('[K2] enabling a server takes effect without a failure, even if it cannot be stored', async () => {
    const { host, told } = await openHost({ db: { ...echo, disabled: true } }, { state: stateThat(full) });
    await host.lifecycle.setEnabled('db', true);
    assert.equal(host.servers.get('db')?.entry.isEnabled, true);
    assert.equal(told[0]?.data['server'], 'db');
  });

  async function approve(host: HeadlessHost['host']): Promise<void> {
    const start = failure(host.lifecycle.start('db'));
    await settle();
    await host.lifecycle.stop('db');
    await start;
  }
});

function trustThat(confirmStart: () => Promise<'allow' | 'deny' | 'later'>): HostPorts['trust'] {
  return { isWorkspaceTrusted: () => true, onDidGrantTrust: new Emitter<void>().event, confirmStart };
}

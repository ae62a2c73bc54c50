import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { auditArguments } from '../../../src/core/consent/auditLog.js';
import type { RequestedCall } from '../../../src/core/consent/callConsent.js';
import type { HostPorts } from '../../../src/core/host/ports.js';
import { traceLines } from '../../../src/core/trace/traceFile.js';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';

const locks = path.resolve('test/fixtures/servers/locks.mjs');
const key = 'sk-live-ABCDEF123456';

async function open(t: TestContext, ports: Partial<HostPorts> = {}, args: readonly string[] = []) {
  const { host, logs } = headlessHost({
    servers: { locks: { command: process.execPath, args: [locks, ...args], env: { API_KEY: key } } },
    ports,
  });
  t.after(() => host.close());
  await host.open();
  return { host, logs };
}
const unlock = (value: string) => ({ server: 'locks', tool: 'unlock', arguments: { door: 'front', value } });

test('[S2] secret arguments of any length are left out of a trace that is shown after the server has stopped', async (t) => {
  const { host } = await open(t);
  host.traces.slotOf('locks');
  await host.lifecycle.start('locks');
  for (const value of ['correct horse 4711', '4711']) await host.calls.runTool(unlock(value), { caller: 'user' });
  await host.lifecycle.stop('locks');
  // The capture begins after the stop, with the latest messages.
  host.traces.start('locks');
  const log = host.traces.log('locks');
  assert.ok(log);
  const calls = [...traceLines(log, 'locks', [])].filter((line) => line.includes('"tools/call"'));
  assert.equal(calls.length, 2);
  for (const line of calls) assert.match(line, /"arguments":\{"door":"front","value":"•••"\}/);
});

test('[S2] arguments of a call whose tool is not known are left out of the audit log', async (t) => {
  const noted: string[] = [];
  const never = new Emitter<void>();
  const refuseEarly = ({ arguments: values, secretArguments, secrets }: RequestedCall) => {
    noted.push(JSON.stringify(auditArguments(values, secretArguments, secrets)));
    throw new Error('A rule denies the call.');
  };
  const consent = {
    admit: () => Promise.reject(new Error('A rule denies the call.')),
    changed: () => new Set<string>(),
    onDidChange: never.event,
    refuseEarly,
  };
  const { host } = await open(t, { consent });
  await host.lifecycle.start('locks');
  await host.lifecycle.stop('locks');
  await assert.rejects(host.calls.runTool(unlock('correct horse 4711'), { caller: 'model' }));
  assert.equal(noted.length, 1);
  assert.doesNotMatch(noted[0] ?? '', /4711/);
});

test('[S3] a secret that the server repeats in a refused subscription or ping is masked', async (t) => {
  const { host, logs } = await open(t);
  await host.lifecycle.start('locks');
  const messages = await Promise.all(
    [host.calls.subscribe({ server: 'locks', uri: 'x://a' }, () => undefined), host.calls.ping('locks', 5_000)].map(
      (request) =>
        request.then(
          () => '',
          (error: Error) => error.message,
        ),
    ),
  );
  for (const message of messages) assert.match(message, /denied for key •••/);
  assert.deepEqual(
    logs.get('locks')?.filter((line) => line.includes(key)),
    [],
  );
});

test('[S4] a value that was typed for a removed server does not go to a new server with its name', async (t) => {
  const changed = new Emitter<void>();
  let asked = 0;
  const servers = (tool: string) => ({
    locks: { command: process.execPath, args: [locks, tool], env: { TOKEN: '${input:token}' } },
  });
  let written: Record<string, unknown> = servers('first');
  const source = { id: 'user', kind: 'user', label: 'User settings' } as const;
  const inputs = [{ id: 'token', type: 'promptString', password: true }];
  const { host } = await open(t, {
    configuration: { read: () => Promise.resolve([{ source, value: written, inputs }]), onDidChange: changed.event },
    inputs: {
      ask: () => {
        asked++;
        return Promise.resolve('typed for the first server');
      },
    },
  });
  const change = async (now: Record<string, unknown>) => {
    written = now;
    changed.fire();
    await until(() => host.servers.list().length === Object.keys(now).length);
  };
  await host.lifecycle.start('locks');
  await host.lifecycle.stop('locks');
  await host.storedValues.forgetRemoved(['locks'], 'user');
  assert.equal((await host.storedValues.inputs()).length, 1, 'a value that is in use is kept');
  await change({});
  await host.storedValues.forgetRemoved(['other', 'lock'], 'user');
  assert.equal((await host.storedValues.inputs()).length, 1, 'a value of a server with another name is kept');
  await host.storedValues.forgetRemoved(['locks'], 'user');
  await change(servers('second'));
  await host.lifecycle.start('locks');
  assert.equal(asked, 2);
});

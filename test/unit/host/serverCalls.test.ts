import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { inspect } from 'node:util';
import { Deferred } from '../../../src/core/base/deferred.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { unguarded } from '../../support/unguarded.js';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import { headlessHost } from '../../support/headlessHost.js';
import { HttpTestServer, legacyServer, sendJson, sendResult } from '../../support/httpTestServer.js';
import { failureLine } from '../../../src/core/present/failure/failureText.js';

let leave: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of leave.reverse()) await end();
  leave = [];
});

const asked: string[] = [];
/** A running server, and a gate that refuses one tool. */
async function gated(): Promise<{ host: McpHost; server: HttpTestServer }> {
  const server = await HttpTestServer.start(
    legacyServer({ handler: (seen) => sendResult(seen, { content: [], isError: true }) }),
  );
  asked.length = 0;
  const { host } = headlessHost({
    servers: { s: { type: 'http', url: server.url, protocol: 'legacy' } },
    ports: {
      consent: {
        ...unguarded,
        refuseEarly: ({ tool }) => {
          if (tool.name === 'refused')
            throw new HostError('call-refused', 'A rule says no.', { data: { tool: tool.name, by: 'rule' } });
        },
        admit: ({ tool, caller, arguments: values }) => {
          asked.push(`${tool.name} ${caller} ${JSON.stringify(values)}`);
          return tool.name === 'refused'
            ? Promise.reject(
                new HostError('call-refused', 'A rule says no.', { data: { tool: tool.name, by: 'rule' } }),
              )
            : Promise.resolve({ finish: (outcome) => void asked.push(outcome) });
        },
      },
    },
  });
  leave.push(
    () => server.close(),
    () => host.close(),
  );
  await host.open();
  await host.lifecycle.start('s');
  return { host, server };
}

const calls = (server: HttpTestServer) =>
  server.seen.flatMap(({ rpc }) => (rpc?.method === 'tools/call' ? [rpc.params] : []));

test('a handwritten tool call passes the same checks as a run, and arrives unchanged, with our progress token', async () => {
  const { host, server } = await gated();
  const params = {
    name: 'go',
    arguments: { a: 1 },
    _meta: { 'example.org/x': [1], progressToken: 'as it was in a trace' },
    task: { ttl: 5 },
    extra: null,
  };
  assert.deepEqual(await host.calls.sendRequest({ server: 's', method: 'tools/call', params }), {
    content: [],
    isError: true,
  });
  const id = server.seen.find(({ rpc }) => rpc?.method === 'tools/call')?.rpc?.id;
  assert.equal(typeof id, 'number');
  assert.deepEqual(
    [calls(server), asked],
    [[{ ...params, _meta: { ...params._meta, progressToken: id } }], ['go user {"a":1}', 'tool-error']],
  );
  assert.deepEqual(
    host.servers.figures('s').tools.map(({ tool, failed }) => [tool, failed]),
    [['go', 1]],
  );
});

test('a call that a rule refuses, or that names no tool, is not sent', async () => {
  const { host, server } = await gated();
  const send = (params: Record<string, unknown>) =>
    host.calls.sendRequest({ server: 's', method: 'tools/call', params });
  await assert.rejects(send({ name: 'refused' }), { code: 'call-refused' });
  await assert.rejects(send({ arguments: {} }), { code: 'invalid-arguments' });
  await assert.rejects(send({ name: ['go'] }), { code: 'invalid-arguments' });
  assert.deepEqual(calls(server), []);
});

test('[GW14] a rule that denies a call is checked before a server is started for it, except for the user', async () => {
  const { host, server } = await gated();
  await host.lifecycle.stop('s');
  const before = server.seen.length;
  for (const caller of ['agent', 'model', 'script', 'task', 'app'] as const)
    await assert.rejects(host.calls.runTool({ server: 's', tool: 'refused' }, { caller }), { code: 'call-refused' });
  assert.deepEqual([server.seen.length, host.servers.get('s')?.state.kind], [before, 'stopped']);
  await assert.rejects(host.calls.runTool({ server: 's', tool: 'refused' }, { caller: 'user' }), {
    code: 'call-refused',
  });
  assert.equal(host.servers.get('s')?.state.kind, 'running');
});

test('a handwritten request starts no server', async () => {
  const { host, server } = await gated();
  await host.lifecycle.stop('s');
  const before = server.seen.length;
  await assert.rejects(host.calls.sendRequest({ server: 's', method: 'tools/call', params: { name: 'go' } }), {
    code: 'not-running',
  });
  await assert.rejects(host.calls.sendRequest({ server: 's', method: 'ping' }), { code: 'not-running' });
  assert.equal(server.seen.length, before);
});

/** A running server with a call that waits at the gate; `allow` lets it pass. */
async function waitingCall() {
  const server = await HttpTestServer.start(legacyServer({ handler: (seen) => sendResult(seen, { content: [] }) }));
  const outcomes: string[] = [];
  let allow = (): void => undefined;
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  let atGate = (): void => undefined;
  const isAtGate = new Promise<void>((resolve) => (atGate = resolve));
  const admit = async () => {
    atGate();
    await allowed;
    return { finish: (outcome: string) => void outcomes.push(outcome) };
  };
  const { host } = headlessHost({
    servers: { s: { type: 'http', url: server.url, protocol: 'legacy' } },
    ports: { consent: { ...unguarded, admit } },
  });
  leave.push(
    () => server.close(),
    () => host.close(),
  );
  await host.open();
  await host.lifecycle.start('s');
  const end = host.calls.runTool({ server: 's', tool: 'go' }, { caller: 'user' }).then(
    () => 'answered',
    (error: HostError) => failureLine(error, 's'),
  );
  await isAtGate;
  return { host, server, outcomes, allow, end };
}

test('a call that waits to be allowed while the user stops the server fails, and does not start the server again', async () => {
  const { host, server, outcomes, allow, end } = await waitingCall();
  await host.lifecycle.stop('s');
  allow();
  assert.equal(await end, 'The server "s" was stopped before the call was sent. Start the server, and then try again.');
  assert.deepEqual([host.servers.get('s')?.state.kind, calls(server), outcomes], ['stopped', [], ['failed']]);
});

test('a call that waits to be allowed while the user restarts the server is sent to the new session', async () => {
  const { host, server, outcomes, allow, end } = await waitingCall();
  await host.lifecycle.restart('s');
  allow();
  assert.equal(await end, 'answered');
  assert.deepEqual([calls(server).length, outcomes], [1, ['ok']]);
});

test('[S3] a secret in the data of a failure is masked in the text for the user, the log and the history', async () => {
  const secret = 'hunter2-secret';
  let isRefusing = false;
  const answer = legacyServer({
    handler: (seen) => sendJson(seen, { error: `bad key ${secret}` }, 500),
  });
  const server = await HttpTestServer.start((seen) =>
    isRefusing && seen.rpc?.method === 'initialize'
      ? sendJson(seen, {
          jsonrpc: '2.0',
          id: seen.rpc.id,
          error: { code: -32_000, message: `unknown key ${secret}`, data: { supported: [secret] } },
        })
      : answer(seen),
  );
  const { host, logs } = headlessHost({
    servers: { s: { type: 'http', url: server.url, protocol: 'legacy', headers: { 'x-api-key': secret } } },
  });
  leave.push(
    () => server.close(),
    () => host.close(),
  );
  await host.open();
  const failure = (work: Promise<unknown>): Promise<HostError> =>
    work.then(
      () => assert.fail('it did not fail'),
      (error: HostError) => error,
    );
  await host.lifecycle.start('s');
  const called = await failure(host.calls.runTool({ server: 's', tool: 'go' }, { caller: 'user' }));
  isRefusing = true;
  await host.lifecycle.stop('s');
  const refused = await failure(host.lifecycle.start('s'));
  assert.match(failureLine(called, 's'), /bad key •••/);
  assert.match(failureLine(refused, 's'), /unknown key •••/);
  for (const text of [
    ...[called, refused].flatMap((error) => [failureLine(error, 's'), inspect(error, { depth: 10 })]),
    ...(logs.get('s') ?? []),
    JSON.stringify(host.servers.figures('s')),
  ])
    assert.doesNotMatch(text, /hunter2/);
});

test('refused arguments of a tool without arguments are a fault of the server, not of the user', async () => {
  const tool = (name: string, properties: object) => ({ name, inputSchema: { type: 'object', properties } });
  const server = await HttpTestServer.start(
    legacyServer({
      capabilities: { tools: {} },
      handler: (seen) =>
        seen.rpc?.method === 'tools/list'
          ? sendResult(seen, { tools: [tool('bare', {}), tool('named', { name: { type: 'string' } })] })
          : sendJson(seen, { jsonrpc: '2.0', id: seen.rpc?.id, error: { code: -32602, message: 'Bad' } }),
    }),
  );
  const { host } = headlessHost({ servers: { s: { type: 'http', url: server.url, protocol: 'legacy' } } });
  leave.push(
    () => server.close(),
    () => host.close(),
  );
  await host.open();
  await host.lifecycle.start('s');
  await host.calls.findTool('s', 'bare');
  const advice = (name: string) =>
    host.calls.runTool({ server: 's', tool: name }, { caller: 'user' }).then(
      () => '',
      (error: unknown) => failureLine(error, 's'),
    );
  assert.match(await advice('bare'), /The tool has no arguments, so this is probably a fault in the server/);
  assert.match(await advice('named'), /Correct the arguments/);
});

test('[R7] a call that is canceled while its server starts ends at once and is not sent, and the start goes on', async () => {
  const [asked, held] = [new Deferred<void>(), new Deferred<void>()];
  const answer = legacyServer({ handler: (seen) => sendResult(seen, { content: [] }) });
  const server = await HttpTestServer.start((seen) => {
    if (seen.rpc?.method !== 'initialize') return answer(seen);
    asked.resolve();
    void held.promise.then(() => answer(seen));
  });
  const { host } = headlessHost({ servers: { s: { type: 'http', url: server.url, protocol: 'legacy' } } });
  leave.push(
    () => server.close(),
    () => host.close(),
  );
  await host.open();
  const cancel = new AbortController();
  const call = host.calls.runTool({ server: 's', tool: 'first' }, { caller: 'agent', signal: cancel.signal });
  const other = host.calls.runTool({ server: 's', tool: 'second' }, { caller: 'agent' });
  await asked.promise;
  cancel.abort(new HostError('cancelled', 'The client canceled the request.'));
  await assert.rejects(call, { code: 'cancelled' });
  held.resolve();
  assert.deepEqual(await other, { content: [] });
  assert.deepEqual(
    calls(server).map((params) => params?.['name']),
    ['second'],
  );
});

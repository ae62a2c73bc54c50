import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageTap } from '../../../src/core/trace/messageTap.js';
import { traceLines } from '../../../src/core/trace/traceFile.js';
import { RecentMessages } from '../../../src/core/trace/recentMessages.js';
import { TraceLog } from '../../../src/core/trace/traceLog.js';
import { TraceRecorder } from '../../../src/core/trace/traceRecorder.js';
import { toolSecrets } from '../../../src/core/trace/toolSecrets.js';
import { Traces } from '../../../src/core/trace/traces.js';

const schema = {
  type: 'object' as const,
  properties: {
    user: { type: 'string', 'x-mcp-header': 'User' },
    door: { type: 'string', format: 'password', 'x-mcp-header': 'Door' },
  },
};

const secretsBy = (schemaOf: (tool: string) => typeof schema | undefined) => (tool: string) => {
  const known = schemaOf(tool);
  return known && toolSecrets(known);
};

function traced(schemaOf?: (tool: string) => typeof schema | undefined) {
  const log = new TraceLog({}, schemaOf && secretsBy(schemaOf));
  const tap = new TraceRecorder(log);
  const message = (value: object) => ({ jsonrpc: '2.0', ...value });
  return {
    log,
    sent: (value: object, headers: Record<string, string> = {}) => tap.sent(JSON.stringify(message(value)), headers),
    received: (value: object) => tap.received(message(value), JSON.stringify(message(value))),
    tap,
    lines: (secrets: readonly string[] = []) =>
      [...traceLines(log, 's', secrets)].slice(1).map(
        (line) =>
          JSON.parse(line) as {
            message: { params: Record<string, unknown>; result: Record<string, unknown> };
            headers?: unknown;
          },
      ),
  };
}

test('values that the schema of a tool marks are masked in its calls, in headers, and where the server repeats them [S2] [S3]', () => {
  for (const isListed of [true, false]) {
    const trace = traced(isListed ? undefined : () => schema);
    if (isListed) {
      trace.sent({ id: 1, method: 'tools/list' });
      trace.received({ id: 1, result: { tools: [{ name: 'open', inputSchema: schema }] } });
    }
    trace.sent(
      { id: 2, method: 'tools/call', params: { name: 'open', arguments: { user: 'ann', door: 'sesame-7' } } },
      { 'mcp-param-user': 'ann', 'mcp-param-door': 'sesame-7' },
    );
    trace.received({
      id: 2,
      result: {
        content: [{ type: 'text', text: `ann said ${Buffer.from('sesame-7').toString('base64')}, that is sesame-7` }],
      },
    });
    trace.tap.unreadable('log: sesame-7');
    const [call, answer, log] = trace.lines().slice(isListed ? 2 : 0);
    assert.deepEqual(call?.message.params['arguments'], { user: 'ann', door: '•••' });
    assert.deepEqual(call?.headers, { 'mcp-param-user': 'ann', 'mcp-param-door': '•••' });
    assert.deepEqual(answer?.message.result['content'], [{ type: 'text', text: 'ann said •••, that is •••' }]);
    assert.deepEqual((log as unknown as { text: string }).text, 'log: •••');
  }
});

test('arguments in headers are masked for an unknown tool', () => {
  const trace = traced();
  trace.sent(
    { id: 2, method: 'tools/call', params: { name: 'open', arguments: { door: 'x' } } },
    { 'mcp-method': 'tools/call', 'mcp-param-door': 'x' },
  );
  assert.deepEqual(trace.lines()[0]?.headers, { 'mcp-method': 'tools/call', 'mcp-param-door': '•••' });
});

test('answers to questions are masked if the form marks a secret, in both eras [S2]', () => {
  const requestedSchema = {
    type: 'object',
    properties: { nick: { type: 'string' }, magicWord: { type: 'string', writeOnly: true } },
  };
  const content = { nick: 'ann', magicWord: 'open sesame' };
  const legacy = traced();
  legacy.received({ id: 'q', method: 'elicitation/create', params: { message: 'Who?', requestedSchema } });
  legacy.sent({ id: 'q', result: { action: 'accept', content } });
  legacy.received({ id: 9, result: { said: 'open sesame' } });
  assert.deepEqual(
    legacy
      .lines()
      .slice(1)
      .map(({ message }) => message.result),
    [{ action: 'accept', content: { nick: 'ann', magicWord: '•••' } }, { said: '•••' }],
  );
  const modern = traced();
  modern.sent({ id: 1, method: 'tools/call', params: { name: 'x' } });
  modern.received({
    id: 1,
    result: {
      resultType: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params: { requestedSchema } } },
    },
  });
  modern.sent({
    id: 2,
    method: 'tools/call',
    params: { name: 'x', inputResponses: { who: { action: 'accept', content } } },
  });
  assert.deepEqual(modern.lines()[2]?.message.params['inputResponses'], {
    who: { action: 'accept', content: { nick: 'ann', magicWord: '•••' } },
  });
});

test('short values and plain words are masked only at their own position', () => {
  const trace = traced(() => schema);
  for (const [id, door] of ['1234', 'object'].entries())
    trace.sent({ id, method: 'tools/call', params: { name: 'open', arguments: { door } } });
  trace.received({ method: 'notifications/x', params: { type: 'object', year: '1234' } });
  assert.deepEqual(
    trace.lines().map(({ message }) => message.params),
    [
      { name: 'open', arguments: { door: '•••' } },
      { name: 'open', arguments: { door: '•••' } },
      { type: 'object', year: '1234' },
    ],
  );
});

test('a secret is still masked after its line was dropped', () => {
  const log = new TraceLog({ maxEntries: 4 }, () => toolSecrets(schema));
  const tap = new TraceRecorder(log);
  tap.sent(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","arguments":{"door":"sesame-7"}}}',
    {},
  );
  for (let line = 0; line < 10; line++) tap.unreadable(`line ${line}: sesame-7`);
  assert.ok([...traceLines(log, 's', [])].every((line) => !line.includes('sesame-7')));
});

const secretForm = {
  message: 'License?',
  requestedSchema: { type: 'object', properties: { license: { type: 'string', format: 'password' } } },
};
const openForm = { message: 'Nick?', requestedSchema: { type: 'object', properties: { license: { type: 'string' } } } };
const typed = 'pin 7';
const wire = (value: object) => JSON.stringify({ jsonrpc: '2.0', ...value });
const received = (tap: MessageTap, value: object) => tap.received({ jsonrpc: '2.0', ...value }, wire(value));
const asked = (params: object) => ({ id: 7, method: 'elicitation/create', params });
const answered = wire({ id: 7, result: { action: 'accept', content: { license: typed } } });
const required = (id: number, params: object) => ({
  id,
  result: { resultType: 'input_required', inputRequests: { k: { method: 'elicitation/create', params } } },
});
const responses = { inputResponses: { k: { action: 'accept', content: { license: typed } } } };
const retried = wire({ id: 2, method: 'tools/call', params: { name: 't', arguments: {}, ...responses } });
const tick = { method: 'notifications/message', params: { level: 'info', data: 'tick' } };
const shown = (log: TraceLog | undefined) => (log ? [...traceLines(log, 's', [])].join('\n') : '');

for (const [era, question, answer] of [
  ['legacy', asked(secretForm), answered],
  ['2026-07-28', required(1, secretForm), retried],
] as const) {
  test(`[S2] an answer to a form that was dropped before the trace began is masked (${era})`, () => {
    for (const count of [0, 150, 198, 199, 200, 250]) {
      const recent = new RecentMessages();
      received(recent, question);
      for (let index = 0; index < count; index++) received(recent, tick);
      recent.sent(answer, {});
      const log = new TraceLog();
      recent.moveTo(log);
      assert.ok(shown(log).includes('accept') && !shown(log).includes(typed), `${count} messages between them`);
    }
  });

  test(`[S2] an answer that was typed while the capture was stopped is masked (${era})`, () => {
    const traces = new Traces();
    const slot = traces.slotOf('a');
    traces.start('a');
    const tap = () => slot.current ?? assert.fail();
    received(tap(), era === 'legacy' ? asked(openForm) : required(1, openForm));
    traces.stop('a');
    received(tap(), question);
    for (let index = 0; index < 200; index++) received(tap(), tick);
    tap().sent(answer, {});
    traces.start('a');
    assert.ok(shown(traces.log('a')).includes('accept') && !shown(traces.log('a')).includes(typed));
  });

  test(`[S2] an answer to a form that is too long for the trace, or was dropped from it, is masked (${era})`, () => {
    const padding = 'x'.repeat(100_000);
    const long = new TraceLog();
    received(
      new TraceRecorder(long),
      era === 'legacy' ? asked({ ...secretForm, message: padding }) : required(1, openForm),
    );
    if (era !== 'legacy') received(new TraceRecorder(long), required(3, { ...secretForm, message: padding }));
    new TraceRecorder(long).sent(answer, {});
    assert.ok(!shown(long).includes(typed));
    const small = new TraceLog({ maxCharacters: 1_000 });
    received(new TraceRecorder(small), question);
    new TraceRecorder(small).sent(answer, {});
    new TraceRecorder(small).unreadable('y'.repeat(300));
    assert.ok(!shown(small).includes(typed));
  });
}

test('[S2] a form with the key of an earlier form has its own secrets', () => {
  const trace = traced();
  const answers = [openForm, secretForm, openForm].map((form, index) => {
    trace.received(required(index, form));
    trace.tap.sent(retried, {});
    return index * 2 + 1;
  });
  assert.deepEqual(
    answers.map((line) => JSON.stringify(trace.lines()[line]?.message).includes(typed)),
    [true, false, true],
  );
});

test('[S2] forms of calls that are open at the same time have their own answers', () => {
  const trace = traced();
  const form = (key: string) => ({ [key]: { method: 'elicitation/create', params: openForm } });
  trace.received({ id: 1, result: { resultType: 'input_required', inputRequests: form('one') } });
  trace.received({ id: 2, result: { resultType: 'input_required', inputRequests: form('two') } });
  for (const [id, key] of ['one', 'two'].entries())
    trace.sent({
      id: id + 3,
      method: 'tools/call',
      params: { name: 't', inputResponses: { [key]: { action: 'accept', content: { license: typed } } } },
    });
  const lines = trace.lines().map(({ message }) => JSON.stringify(message));
  assert.deepEqual(
    lines.slice(2).map((line) => line.includes(typed)),
    [true, true],
  );
});

test('[S2] the arguments of a call with answers are masked as the tool marks them', () => {
  const trace = traced(() => schema);
  trace.sent({ id: 1, method: 'tools/call', params: { name: 'open', arguments: { door: '1234' }, ...responses } });
  assert.deepEqual(trace.lines()[0]?.message.params['arguments'], { door: '•••' });
});

test('[S2] a secret is still masked after its line was dropped for its size', () => {
  const log = new TraceLog({ maxCharacters: 2_000 }, () => toolSecrets(schema));
  const tap = new TraceRecorder(log);
  tap.sent(wire({ id: 1, method: 'tools/call', params: { name: 'open', arguments: { door: 'sesame-7' } } }), {});
  for (let line = 0; line < 10; line++) tap.unreadable(`line ${line}: sesame-7 ${'x'.repeat(500)}`);
  assert.ok([...traceLines(log, 's', [])].every((line) => !line.includes('sesame-7')));
});

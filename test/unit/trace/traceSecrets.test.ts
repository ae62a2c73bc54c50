import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceLines } from '../../../src/core/trace/traceFile.js';
import { TraceLog } from '../../../src/core/trace/traceLog.js';
import { TraceRecorder } from '../../../src/core/trace/traceRecorder.js';

const schema = {
  type: 'object' as const,
  properties: {
    user: { type: 'string', 'x-mcp-header': 'User' },
    door: { type: 'string', format: 'password', 'x-mcp-header': 'Door' },
  },
};

function traced(schemaOf?: (tool: string) => typeof schema | undefined) {
  const log = new TraceLog({}, schemaOf);
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
  const log = new TraceLog({ maxEntries: 4 }, () => schema);
  const tap = new TraceRecorder(log);
  tap.sent(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","arguments":{"door":"sesame-7"}}}',
    {},
  );
  for (let line = 0; line < 10; line++) tap.unreadable(`line ${line}: sesame-7`);
  assert.ok([...traceLines(log, 's', [])].every((line) => !line.includes('sesame-7')));
});

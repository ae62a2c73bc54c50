import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Bench, HostileCase } from './hostileTable.js';
import { countBy, impatient, startAndCall } from './hostileTable.js';

/**
 * The messages that a legacy server receives in a successful session: the era probe, the handshake, the list, one call.
 */
const usual = { 'server/discover': 1, initialize: 1, 'notifications/initialized': 1, 'tools/list': 1, 'tools/call': 1 };
const modern = { 'server/discover': 1, 'tools/list': 1, 'tools/call': 1 };
const calls = (count: number) => ({ ...usual, 'tools/call': count });
const running = (mode: string, tools = 2) => `(circle-filled) ${mode}  stdio · ${tools} tools`;
const busy = 'The server might be busy or stuck. Check its log, or increase its timeout.';
const span = String.raw`[\d.]+ m?s`;

/** A harmless mode: everything works as usual. */
const harmless = (mode: string, proves: string, more: Partial<HostileCase> = {}): HostileCase => ({
  mode,
  proves,
  says: 'done',
  tree: running(mode),
  journal: usual,
  ...more,
});

/** The log accepts a limited number of lines per second of a flood, plus some of our own. */
function fewLines(perSecond: number): Pick<HostileCase, 'act' | 'check'> {
  let began = 0;
  return {
    act: (bench) => {
      began = performance.now();
      return startAndCall(bench);
    },
    check: ({ log }) => {
      const seconds = Math.floor((performance.now() - began) / 1_000) + 1;
      assert.ok(log().length < perSecond * seconds + 100, `${log().length} lines in ${seconds} s`);
    },
  };
}

/** Answers of the client to requests of the server: `result` or the error code, with counts. */
const answers = (bench: Bench) =>
  countBy(
    bench.journal().filter(({ event, method }) => event === 'in' && method === undefined),
    ({ error }) => (error === undefined ? 'result' : JSON.stringify(error)),
  );

export const framingCases: HostileCase[] = [
  harmless('banner', '[F2]', {
    check: ({ log }) => assert.equal(log().filter((line) => /standard output that is not MCP/.test(line)).length, 1),
  }),
  harmless('garbage-lines', '[F2, F3]', {
    check: ({ log }) =>
      assert.ok(log().some((line) => line.includes('Dropped a message that is not JSON-RPC 2.0: 42'))),
  }),
  harmless('deep-nesting', '[F3]'),
  harmless('split-utf8', '[F1]', { says: 'Grüße 你好 🎉 \u2028 end' }),
  harmless('crlf', '[F1]'),
  {
    mode: 'giant-message',
    proves: '[F4, Y3]',
    says: 'The server "giant-message" sent a message that is larger than the limit of 1 MB. If the server is meant to send messages of this size, increase the setting "mcpDeck.limits.maxMessageBytes".',
    tree: '(error) giant-message  sent a message above the size limit',
    journal: usual,
  },
  {
    mode: 'many-values',
    proves: '[F10]',
    says: 'The server "many-values" sent a message with more than 262,144 values. If the server is meant to send messages of this size, increase the setting "mcpDeck.limits.maxMessageBytes".',
    tree: '(error) many-values  sent a message above the size limit',
    journal: usual,
  },
  harmless('worthless-batch', '[F11]', {
    check: ({ log }) => {
      assert.ok(log().length < 50, `${log().length} lines`);
      assert.ok(log().some((line) => line.includes('Dropped 199,001 messages of a batch of 200,001')));
    },
  }),
  harmless('content-length', '[F5]', {
    check: ({ log }) => assert.ok(log().some((line) => /Content-Length framing/.test(line))),
  }),
  {
    mode: 'utf-16',
    proves: '[F5, R1]',
    definition: impatient,
    says: new RegExp(
      `^The server "utf-16" did not respond to initialize within ${span}\\. The server writes text that is not UTF-8, which MCP requires\\. Set the output of the server to UTF-8\\. The log shows the output\\.$`,
    ),
    tree: new RegExp(`^\\(error\\) utf-16 {2}no response within ${span}$`),
    journal: { 'server/discover': 1, initialize: 1 },
  },
  harmless('batch', '[F6]', { check: ({ log }) => assert.ok(log().includes('info in a batch')) }),
  harmless('lone-surrogates', '[F3]', {
    says: `\ud800 x \udfff ${String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code))}`,
  }),
];

export const protocolCases: HostileCase[] = [
  {
    mode: 'never-initialize',
    proves: '[R1, Y2]',
    definition: impatient,
    says: new RegExp(
      `^The server "never-initialize" did not respond to initialize within ${span}\\. The last line of the error output is: "waiting for the moon"\\. For details, see the log of the server\\. If the server only needs more time, increase its timeout in the configuration\\.$`,
    ),
    tree: new RegExp(`^\\(error\\) never-initialize {2}no response within ${span}$`),
    journal: { 'server/discover': 1, initialize: 1 },
    check: ({ headless, id }) => assert.deepEqual(headless.host.servers.get(id)?.stderr, ['waiting for the moon']),
  },
  harmless('slow-initialize', '[R1]', {
    check: ({ log }) => assert.ok(log().includes('info [stderr] npm http fetch GET 200')),
  }),
  {
    mode: 'init-error',
    proves: '[R4, P8]',
    says: 'The server "init-error" refused to start a session: no \\u{1b}[31mlicence\\u{1b}[0m. The message contains 2 hidden characters, shown here as \\u{…}. Its log might show the reason.',
    tree: '(error) init-error  no \\u{1b}[31mlicence\\u{1b}[0m',
    journal: { 'server/discover': 1, initialize: 1 },
  },
  {
    mode: 'init-error-stack',
    proves: '[R4]',
    says: 'The server "init-error-stack" refused to start a session: x is undefined. Its log might show the reason.',
    tree: '(error) init-error-stack  x is undefined',
    journal: { 'server/discover': 1, initialize: 1 },
  },
  {
    mode: 'null-capabilities',
    proves: '[R4]',
    says: 'The response of the server "null-capabilities" to initialize has no "capabilities" object. This is a fault in the server.',
    tree: `(error) null-capabilities  The server's response to initialize has no "capabilities" object`,
    journal: { 'server/discover': 1, initialize: 1 },
  },
  {
    mode: 'result-is-text',
    proves: '[R4]',
    says: 'The server "result-is-text": The response to initialize has no result object: "welcome". This is a fault in the server. Its log might have more details.',
    tree: '(error) result-is-text  The response to initialize has no result object: "welcome"',
    journal: { 'server/discover': 1, initialize: 1 },
  },
  {
    mode: 'bad-version',
    proves: '[R3]',
    says: 'The server "bad-version" uses protocol revision 1999-01-01. MCP Deck offered 2025-11-25 and supports 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05. Update the server or MCP Deck.',
    tree: '(error) bad-version  no common protocol revision',
    journal: { 'server/discover': 1, initialize: 1 },
  },
  harmless('duplicate-response', '[R6]', {
    check: ({ log }) =>
      assert.ok(log().some((line) => line.includes('Dropped a response that matches no open request'))),
  }),
  harmless('wrong-id', '[R5]', {
    check: ({ log }) =>
      assert.equal(log().filter((line) => line.includes('Dropped a response that matches no open request')).length, 8),
  }),
  {
    mode: 'late-response',
    proves: '[R6, R7]',
    definition: impatient,
    act: async (bench) => {
      const message = await startAndCall(bench);
      await bench.until('the late answer', () =>
        bench.log().some((line) => line.includes('Dropped a response that matches no open request')),
      );
      assert.equal(await bench.call('echo'), 'done');
      return message;
    },
    says: new RegExp(`^The server "late-response" did not respond to tools/call within ${span}\\. ${busy}$`),
    tree: running('late-response'),
    journal: { ...calls(2), 'notifications/cancelled': 1, ping: 1 },
    check: ({ journal }) => {
      const ids = journal().flatMap(({ event, method, id }) => (event === 'in' && method === 'tools/call' ? [id] : []));
      assert.equal(new Set(ids).size, 2, 'an id was reused');
      assert.equal(journal().find(({ method }) => method === 'notifications/cancelled')?.['requestId'], ids[0]);
    },
  },
  {
    mode: 'never-answer-call',
    proves: '[R7]',
    definition: impatient,
    act: async (bench) => {
      assert.equal(await bench.start(), 'started');
      const [said, other] = await Promise.all([bench.call(), bench.call('echo')]);
      assert.equal(other, 'done');
      return said;
    },
    says: new RegExp(`^The server "never-answer-call" did not respond to tools/call within ${span}\\. ${busy}$`),
    tree: running('never-answer-call'),
    journal: { ...calls(2), 'notifications/cancelled': 1, ping: 1 },
  },
  harmless('error-code-only', '[Y2]', {
    says: 'The server "error-code-only" refused the request without giving a reason. Its log might have more details.',
  }),
  harmless('error-stack', '[Y2]', {
    says: 'The server "error-stack" reported an internal error: disk full. Its log might have more details. Restarting the server might help.',
    check: ({ log }) => assert.ok(!log().some((line) => /app\.js|hunter2/.test(line)), log().join('\n')),
  }),
  harmless('odd-progress', '[R8]', {
    act: async ({ start, headless, id }) => {
      await start();
      const seen: unknown[] = [];
      await headless.host.calls.runTool(
        { server: id, tool: 'attack', arguments: {} },
        { caller: 'user', onProgress: (progress) => seen.push(progress) },
      );
      return JSON.stringify(seen);
    },
    says: '[{"progress":5,"total":10},{"progress":6}]',
  }),
];

/** A server that sends requests before its handshake is complete. @param starts connections of one start. */
export const earlyRequests = (starts: number): HostileCase =>
  harmless('early-requests', '[R10]', {
    act: async (bench) => {
      const message = await startAndCall(bench);
      await bench.until(
        `${4 * starts} answers`,
        () =>
          bench.journal().filter(({ event, method }) => event === 'in' && method === undefined).length === 4 * starts,
      );
      return message;
    },
    check: (bench) => {
      assert.deepEqual(answers(bench), { result: starts, '-32600': 3 * starts });
      assert.deepEqual(
        bench.headless.asked.filter(({ server }) => server === bench.id),
        [],
      );
    },
  });

export const requestCases: HostileCase[] = [
  // A process is started twice, and sends its requests each time.
  earlyRequests(2),
  harmless('request-flood', '[X6, Y3]', {
    act: async (bench) => {
      // The sampling requests stay open, so that they reach the limit at every speed of the machine.
      const release = new AbortController();
      bench.headless.held.set(bench.id, once(release.signal, 'abort'));
      const message = await startAndCall(bench);
      await bench.until('a refused request', () => (answers(bench)['-32603'] ?? 0) > 0);
      release.abort();
      await bench.until(
        'an answer to each request',
        () => bench.journal().filter(({ event, method }) => event === 'in' && method === undefined).length === 500,
      );
      return message;
    },
    says: 'flooded',
  }),
  harmless('unknown-methods', '[R9]', {
    act: async (bench) => {
      const message = await startAndCall(bench);
      await bench.until(
        'ten answers',
        () => bench.journal().filter(({ event, method }) => event === 'in' && method === undefined).length === 10,
      );
      return message;
    },
    says: 'sent',
    check: (bench) => assert.deepEqual(answers(bench), { '-32601': 10 }),
  }),
  harmless('odd-request-ids', '[R5]', {
    act: async (bench) => {
      const message = await startAndCall(bench);
      await bench.until('the answer', () =>
        bench.journal().some(({ event, method }) => event === 'in' && method === undefined),
      );
      return message;
    },
    says: 'sent',
    check: (bench) => assert.deepEqual(answers(bench), { result: 1 }),
  }),
  harmless('log-flood', '[X1, Y3]', { says: 'flooded', ...fewLines(1_000) }),
  harmless('hidden-text', '[X1]', {
    says: 'sent',
    tree: running('hidden-text', 3),

    check: ({ log }) =>
      assert.ok(!log().some((line) => /[\u0000-\u001f\u007f-\u009f\u200b\u202e]|\u{e0069}/u.test(line))),
  }),
];

export const toolCases: HostileCase[] = [
  harmless('capability-mismatch', '[R11, R14]', {
    tree: '(warning) capability-mismatch  stdio · 2 tools · a list could not be loaded',
    journal: { ...usual, 'resources/list': 1, 'resources/templates/list': 1, 'prompts/list': 1 },
    check: ({ headless, id }) =>
      assert.deepEqual([...(headless.host.servers.get(id)?.features?.warnings ?? [])].sort(), [
        'Prompts could not be listed: The response to prompts/list has no result object: null.',
        'Resources could not be listed: nope (code -32601)',
      ]),
  }),
  harmless('list-changed-storm', '[R13]', {
    act: async (bench) => {
      const message = await startAndCall(bench);
      await bench.until('the new list', () => (bench.received()['tools/list'] ?? 0) > 1);
      // Its answer arrives before the answer to a later call.
      await bench.call('echo');
      return message;
    },
    journal: { ...calls(2), 'tools/list': 2 },
  }),
  harmless('list-changed-echo', '[R13]', {
    act: async (bench) => {
      const message = await startAndCall(bench);
      await bench.until('a third list', () => (bench.received()['tools/list'] ?? 0) > 2);
      // Its answer arrives before the answer to a later call.
      await bench.call('echo');
      return message;
    },
    journal: { ...calls(2), 'tools/list': 3 },
  }),
  harmless('cyclic-cursor', '[R12]', {
    tree: running('cyclic-cursor', 4),
    journal: { ...usual, 'tools/list': 3 },
    check: ({ log }) => assert.ok(log().some((line) => line.includes('repeated the cursor'))),
  }),
  harmless('endless-cursor', '[R12]', {
    tree: running('endless-cursor', 501),
    journal: { ...usual, 'tools/list': 500 },
    check: ({ log }) => assert.ok(log().some((line) => line.includes('was cut after 500 pages'))),
  }),
  harmless('empty-cursor', '[R12]', {
    journal: { ...usual, 'tools/list': 2 },
    check: ({ headless, id }) =>
      assert.deepEqual(
        headless.host.servers.get(id)?.features?.tools.map(({ name }) => name),
        ['attack', 'second_page'],
      ),
  }),
  harmless('duplicate-names', '[R14]', {
    tree: running('duplicate-names', 4),
    check: ({ headless, id }) =>
      assert.deepEqual(
        headless.host.servers
          .get(id)
          ?.features?.tools.map(({ name, description }) => [name, description])
          .slice(0, 2),
        [
          ['same', 'first'],
          ['Same', 'Same'],
        ],
      ),
  }),
  harmless('weird-names', '[R14]', {
    tree: running('weird-names', 12),
    check: ({ log }) => assert.equal(log().filter((line) => line.includes('Left out item')).length, 5),
  }),
  harmless('many-tools', '[X5]', { tree: running('many-tools', 3_002) }),
  harmless('recursive-schema', '[X2]', { tree: running('recursive-schema', 4) }),
  harmless('slow-pattern', '[X2]', {
    act: (bench) => startAndTry(bench, 'slow'),
    tree: running('slow-pattern', 3),
    says: /"slow" does not match its output schema|^slow$/,
  }),
  harmless('remote-ref', '[X3, R14]', {
    act: async (bench) => {
      const messages = [
        await startAndTry(bench, 'ref_http'),
        await bench.call('ref_file'),
        await bench.call('ref_dialect'),
        await bench.call('echo'),
      ];
      return messages.join('\n');
    },
    says: /\ndone$/,
    tree: running('remote-ref', 5),
    journal: calls(4),
  }),
  harmless('dangling-ref', '[R14, X4]', {
    act: async (bench) => [await startAndTry(bench, 'dangling'), await bench.call('echo')].join('\n'),
    says: /\ndone$/,
    tree: running('dangling-ref', 3),
    journal: calls(2),
  }),
  harmless('schema-dialects', '[X4]', {
    act: async (bench) => {
      await bench.start();
      const messages: string[] = [];
      for (let i = 0; i < 6; i++) messages.push(await bench.call(`dialect_${i}`));
      return messages.join('\n');
    },
    says: /^dialect_0\ndialect_1\ndialect_2\ndialect_3\ndialect_4\n/,
    tree: running('schema-dialects', 8),
    journal: calls(6),
  }),
  harmless('invalid-schema', '[R14]', {
    tree: running('invalid-schema', 6),
    check: ({ log }) => assert.equal(log().filter((line) => line.includes('Left out item')).length, 3),
  }),
  harmless('invalid-base64', '[R14]', { says: '<image>|<audio>|<resource>|still here' }),
  harmless('bad-content', '[R14]', {
    act: async (bench) => [await startAndCall(bench), await bench.call(), await bench.call()].join('\n'),
    says: /^The response of the server "bad-content" to tools\/call is not valid MCP: "content" is not a list\. [^\n]*\n[^\n]*\ngood$/,
    journal: calls(3),
  }),
  harmless('proto-pollution', '[F3]', { says: 'pp' }),
  harmless('secret-echo', '[P10, S3]', {
    says: 'API_TOKEN PATH TRAP_URL',
    check: async (bench) => {
      await bench.until('the log message', () => bench.log().some((line) => line.includes('"token"')));
      assert.deepEqual(
        bench.log().filter((line) => line.includes('s3cret')),
        [],
      );
    },
  }),
];

export const processCases: HostileCase[] = [
  {
    mode: 'exit-on-start',
    proves: '[P3, P8]',
    says: 'The server "exit-on-start" exited with code 1: missing API_KEY. Set API_KEY in the environment of the server, and then start the server again.',
    tree: '(error) exit-on-start  missing API_KEY (exited with code 1)',
    journal: {},
    // Once for the era probe and once without it, because a server may exit on an unknown first message.
    check: ({ journal }) => assert.equal(journal().filter(({ event }) => event === 'start').length, 2),
  },
  {
    mode: 'exit-zero',
    proves: '[P3]',
    says: 'The server "exit-zero" exited with code 0 before the handshake was complete without any output. See the log of the server for details.',
    tree: '(error) exit-zero  exited with code 0',
    journal: {},
  },
  {
    mode: 'exit-mid-call',
    proves: '[P4, P8]',
    says: 'The server "exit-mid-call" exited with code 3: out of memory. See the log of the server for details.',
    tree: '(error) exit-mid-call  out of memory (exited with code 3)',
    journal: usual,
  },
  harmless('ignore-input-end', '[P5]'),
  // It is started twice: once for the era probe, and once for its session.
  harmless('ignore-signals', '[P5, P6, Y4]', {
    check: ({ journal }) => assert.equal(journal().filter(({ event }) => event === 'spawned').length, 2),
  }),
  {
    mode: 'grandchild-holds-pipe',
    proves: '[P4, P6]',
    says: 'The server "grandchild-holds-pipe" exited with code 0 after the handshake. See the log of the server for details.',
    tree: '(error) grandchild-holds-pipe  exited with code 0',
    journal: usual,
  },
  {
    mode: 'close-stdout',
    proves: '[P4, P5]',
    says: 'The server "close-stdout" closed its standard output, so it can no longer respond. Restart the server. Its log might show the reason.',
    tree: '(error) close-stdout  closed its standard output, so it can no longer respond',
    journal: usual,
  },
  harmless('stderr-flood', '[P12, X1]', { says: 'drained', ...fewLines(1_000) }),
];

export const modernCases: HostileCase[] = [
  harmless('probe-silent', '[R2]'),
  harmless('probe-crash', '[R2]'),
  {
    mode: 'modern-version-mismatch',
    proves: '[R2, R3]',
    says: 'The server "modern-version-mismatch" supports 2027-01-01. MCP Deck supports only 2026-07-28 with this handshake. Update the server or MCP Deck.',
    tree: '(error) modern-version-mismatch  no common protocol revision',
    journal: { 'server/discover': 1 },
  },
  harmless('modern-requests', '[R10]', {
    journal: modern,
    check: async (bench) => {
      await bench.until('the dropped request', () =>
        bench.log().some((line) => line.includes('may not send requests')),
      );
      assert.deepEqual(answers(bench), {});
      assert.deepEqual(
        bench.headless.asked.filter(({ server }) => server === bench.id),
        [],
      );
    },
  }),
  harmless('endless-input', '[R15]', {
    says: 'The server "endless-input" asked for input 10 times without finishing tools/call. The log of the server might show what the server is waiting for.',
    journal: { ...modern, 'tools/call': 11 },
    check: ({ journal }) =>
      assert.deepEqual(
        countBy(
          journal().filter(({ event }) => event === 'echo'),
          ({ isExact, isNewId }) => `${String(isExact)} ${String(isNewId)}`,
        ),
        { 'true true': 10 },
      ),
  }),
  harmless('unknown-result-type', '[R15]', {
    says: 'The server "unknown-result-type" answered tools/call with a result of the unknown type "hologram". The server might need an extension that MCP Deck does not support.',
    journal: modern,
  }),
  harmless('odd-ttl', '[R13]', { journal: modern }),
];

async function startAndTry(bench: Bench, tool: string): Promise<string> {
  const started = await bench.start();
  return started === 'started' ? bench.call(tool) : started;
}

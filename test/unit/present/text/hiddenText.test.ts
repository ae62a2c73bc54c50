import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../../src/core/base/clock.js';
import { countHiddenInJson, countWritten, visibleText } from '../../../../src/core/base/hostileText.js';
import { serverOverview } from '../../../../src/core/details/serverOverview.js';
import { serverDetails } from '../../../../src/core/details/serverDetails.js';
import { callMarkdown, outcomeMarkdown } from '../../../../src/core/present/chat/chatText.js';
import { modelTools } from '../../../../src/core/present/chat/modelTools.js';
import { toolsMarkdown } from '../../../../src/core/present/chat/toolsList.js';
import { failureText } from '../../../../src/core/present/failure/failureText.js';
import { hiddenInResult } from '../../../../src/core/present/text/hiddenText.js';
import { openPageQuestion, requestNodes, requestSentence } from '../../../../src/core/present/tree/requestNodes.js';
import { samplingAnswerParts, samplingWarnings } from '../../../../src/core/present/form/samplingView.js';
import { serverTooltip } from '../../../../src/core/present/tree/serverTooltip.js';
import { presentToolResult } from '../../../../src/core/present/result/toolResult.js';
import { traceDetails, traceRow } from '../../../../src/core/present/documents/traceRows.js';
import { ProtocolError } from '../../../../src/core/protocol/jsonRpc.js';
import type { UserRequest } from '../../../../src/core/requests/requestQueue.js';
import { ServerLogWriter } from '../../../../src/core/host/serverLogWriter.js';
import { ServerStats } from '../../../../src/core/stats/serverStats.js';
import { TraceLog } from '../../../../src/core/trace/traceLog.js';
import { TraceRecorder } from '../../../../src/core/trace/traceRecorder.js';
import { OutputLog } from '../../../../src/core/transport/stdio/outputLog.js';
import { serverIdentity, serverView, tool } from '../../../support/serverViews.js';

/** Two invisible characters: a zero-width space and a tag letter. */
const hidden = '\u200b\u{e0041}';
const two = /2 hidden characters/;

describe('[L2] hidden characters are counted and flagged', () => {
  const asks: [what: string, ask: UserRequest][] = [
    ['the message of a form', { kind: 'form', message: `a${hidden}`, schema: {} }],
    [
      'the title of a field',
      { kind: 'form', message: 'a', schema: { properties: { f: { type: 'string', title: `t${hidden}` } } } },
    ],
    [
      'the name of a field',
      { kind: 'form', message: 'a', schema: { properties: { [`f${hidden}`]: { type: 'string' } } } },
    ],
    [
      'the description of a field',
      { kind: 'form', message: 'a', schema: { properties: { f: { type: 'string', description: `d${hidden}` } } } },
    ],
    [
      'the default of a field',
      { kind: 'form', message: 'a', schema: { properties: { f: { type: 'string', default: `d${hidden}` } } } },
    ],
    [
      'the choices of a field',
      { kind: 'form', message: 'a', schema: { properties: { f: { type: 'string', enum: [`c${hidden}`] } } } },
    ],
    [
      'why a page is opened',
      { kind: 'url', message: `a${hidden}`, url: { href: 'https://a.example/', host: 'a.example' } },
    ],
    [
      'why one waits for a page',
      { kind: 'visit', message: `a${hidden}`, url: { href: 'https://a.example/', host: 'a.example' } },
    ],
    [
      'a system prompt',
      { kind: 'sampling', isAllowed: false, request: { systemPrompt: `s${hidden}`, messages: [], maxTokens: 1 } },
    ],
    [
      'an early message for a model',
      {
        kind: 'sampling',
        isAllowed: false,
        request: {
          messages: [
            { role: 'user', content: [{ type: 'text', text: `m${hidden}` }] },
            { role: 'user', content: { type: 'text', text: 'last' } },
          ],
          maxTokens: 1,
        },
      },
    ],
  ];
  for (const [what, ask] of asks) {
    test(`in ${what}`, () => {
      const [node] = requestNodes([
        { id: '1', server: 's', serverName: 's', receivedAt: 0, ask, signal: new AbortController().signal },
      ]);
      assert.match(node?.description ?? '', two);
      assert.match(node?.tooltip?.(0) ?? '', /\$\(warning\) \*\*2 hidden characters in the request of the server\*\*/);
      assert.deepEqual([node?.icon?.name, two.test(requestSentence('s', ask))], ['warning', true]);
      if (ask.kind === 'sampling')
        assert.match(
          samplingWarnings(ask.request).join(' '),
          /^Check carefully: the request contains 2 hidden characters/,
        );
      if (ask.kind === 'url') assert.match(openPageQuestion('s', ask.message, ask.url).detail, two);
    });
  }

  test('in an answer to a server', () => {
    const [part] = samplingAnswerParts({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: `a${hidden}` },
    });
    assert.match(part?.warning ?? '', two);
  });

  test('in the self-description of a server, in its tooltip and its details', () => {
    for (const info of [
      { name: `n${hidden}`, version: '1' },
      { name: 'n', version: '1', title: `t${hidden}` },
      { name: 'n', version: '1', description: `d${hidden}` },
    ]) {
      const identity = serverIdentity({ info });
      const view = serverView('s', { features: { identity } });
      assert.match(serverTooltip(view, 0), /\$\(warning\) \*\*2 hidden characters in the server's description\*\*/);
      assert.match(serverOverview(identity, []).title, two);
    }
    assert.doesNotMatch(serverTooltip(serverView('s', { features: {} }), 0), /hidden/);
  });

  test('in warnings about a server, which are already escaped', () => {
    const view = serverView('s', { features: { warnings: [`It lists "${visibleText(`x${hidden}`)}" twice.`] } });
    assert.match(serverTooltip(view, 0), two);
    assert.deepEqual(
      detailsOf(view).notes.map((note) => two.test(note)),
      [true],
    );
  });

  test('in failures', () => {
    assert.match(failureText(new ProtocolError(-32000, `no${hidden}`), 's').what, two);
    assert.match(failureText(new Error(visibleText(`no${hidden}`)), 's').what, two);
    assert.doesNotMatch(failureText(new ProtocolError(-32000, 'no'), 's').what, /hidden/);
  });

  test('in the output of a server, and in its log messages', () => {
    const lines: string[] = [];
    const output = new OutputLog(
      {
        onMessage: () => undefined,
        onClose: () => undefined,
        onWarning: (line) => lines.push(line),
        onStderr: (line) => lines.push(line),
      },
      [],
      systemClock,
    );
    output.stderr(Buffer.from(`\u001b[31mred${hidden}\nplain\n`));
    assert.deepEqual([lines[0], lines[1]], ['\\u{1b}[31mred\\u{200b}\\u{e0041} [3 hidden characters]', 'plain']);
    const written: string[] = [];
    const writer = new ServerLogWriter(
      {
        write: (_level, line) => written.push(line),
        level: () => 'debug',
        onDidChangeLevel: () => ({ dispose: () => undefined }),
      },
      systemClock,
    );
    writer.addMessage({ level: 'info', data: { a: `x${hidden}` } });
    assert.match(written[0] ?? '', two);
    // Warnings about stray output, odd events and answers are already escaped.
    output.stray(`x${hidden}`);
    writer.addWarning(lines.at(-1) ?? '');
    assert.equal(written[1], '[stdout] x\\u{200b}\\u{e0041} [2 hidden characters]');
  });

  test('in rows and details of a trace, also where JSON escapes them', () => {
    const log = new TraceLog();
    const recorder = new TraceRecorder(log);
    for (const text of [
      `{"jsonrpc":"2.0","id":1,"result":{"a":"x${hidden}"}}`,
      '{"jsonrpc":"2.0","id":2,"result":{"a":"x\\u200b\\udb40\\udc41"}}',
    ])
      recorder.received(JSON.parse(text), text);
    const redactor = log.redactor([]);
    for (const seq of [0, 1]) {
      const entry = log.get(seq);
      assert.ok(entry);
      const row = traceRow({ position: seq, entry }, redactor);
      assert.match(row.summary, /^2 hidden characters · /);
      assert.deepEqual(
        traceDetails(log, row, redactor, false)?.message.facts.find(({ name }) => name === 'Check carefully')?.value,
        '2 hidden characters',
      );
    }
  });

  test('in the chat: arguments, tool description, and result', () => {
    const bad = tool('bad', { description: `d${hidden}` });
    const [called] = modelTools([serverView('s', { features: { tools: [bad] } })]);
    assert.ok(called);
    assert.match(callMarkdown(called, {}), /The server\\'s description of the tool contains 2 hidden characters/);
    assert.match(
      callMarkdown({ ...called, tool: tool('t') }, { a: hidden }),
      /The arguments contain 2 hidden characters/,
    );
    assert.match(toolsMarkdown([serverView('s', { features: { tools: [bad] } })]), two);
    const result = {
      content: [
        { type: 'text' as const, text: `a${hidden}` },
        { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
      ],
    };
    assert.equal(hiddenInResult(result), 2);
    assert.match(
      outcomeMarkdown(presentToolResult(result, { server: 's', tool: 't' }), 1, {
        hidden: hiddenInResult(result),
        secrets: [],
      }),
      two,
    );
  });
});

test('the count for escaped text and for JSON equals that of the original', () => {
  for (const text of ['', 'plain', `a${hidden}b`, 'é 👩‍👩‍👧 ok', '\\u{41}'])
    assert.equal(countWritten(visibleText(text)), countWritten(text), text);
  assert.deepEqual(
    ['"\\u0041"', '"\\ud83d\\ude00"', '"\\u200b"', `"${hidden}"`, '"\\ud800"'].map(countHiddenInJson),
    [0, 0, 1, 2, 1],
  );
});

function detailsOf(view: ReturnType<typeof serverView>) {
  const settings = {
    autoStart: 'never',
    maxMessageBytes: 1,
    requestTimeoutMs: 1,
    startTimeoutMs: 1,
    stopGraceMs: 1,
    builtInServer: true,
    trace: 'off',
    restartOnCrash: true,
  } as const;
  return serverDetails(
    { view, figures: new ServerStats().figures, settings, isSet: () => false, usage: [], secrets: [] },
    0,
  );
}

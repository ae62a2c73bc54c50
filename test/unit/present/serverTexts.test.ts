/**
 * Every place that shows server text: no text forges a line of a log, and no text pushes the rest out of sight without
 * a mark.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { logEntry, logLine, shownText, visibleLine } from '../../../src/core/base/hostileText.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { auditText } from '../../../src/core/present/documents/auditText.js';
import { appMessageQuestion } from '../../../src/core/present/questions/appQuestions.js';
import { CallLog } from '../../../src/core/present/result/makeResultModel.js';
import { callQuestion } from '../../../src/core/present/questions/callQuestion.js';
import { drawNodes } from '../../../src/core/present/tree/treeNode.js';
import { failureLine, failureMessage } from '../../../src/core/present/failure/failureText.js';
import { promptTooltip, resourceTooltip, toolTooltip } from '../../../src/core/present/tree/itemTooltips.js';
import { escapeParagraphs } from '../../../src/core/present/text/markdown.js';
import { openPageQuestion, requestLine } from '../../../src/core/present/tree/requestNodes.js';
import { serverNode } from '../../../src/core/present/tree/serverNodes.js';
import { serverTooltip } from '../../../src/core/present/tree/serverTooltip.js';
import { signInQuestion } from '../../../src/core/present/questions/signInQuestion.js';
import { toolPickRows } from '../../../src/core/present/chat/toolPick.js';
import { toolView } from '../../../src/core/present/form/toolView.js';
import { ServerLogWriter } from '../../../src/core/host/serverLogWriter.js';
import { readInstructions } from '../../../src/core/session/serverIdentity.js';
import { OutputLog } from '../../../src/core/transport/stdio/outputLog.js';
import { StrayLines } from '../../../src/core/transport/strayLines.js';
import { ManualClock } from '../../support/manualClock.js';
import { serverIdentity, serverView, tool } from '../../support/serverViews.js';

const breaks = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f'];
const forged = '2026-01-01 00:00:00.000 [error] forged';
const hostile = `said${breaks.map((lineBreak) => `${lineBreak}${forged}`).join('')}`;
const pushed = `near${' '.repeat(60)}${'\t'.repeat(30)}FAR${'\u3000'.repeat(40)}${'\n'.repeat(60)}BELOW`;

/** The lines that a server log receives when `write` is applied to its writer. */
function logged(write: (writer: ServerLogWriter) => void): string[] {
  const lines: string[] = [];
  write(
    new ServerLogWriter(
      {
        write: (_level, line) => lines.push(line),
        level: () => 'debug',
        onDidChangeLevel: () => ({ dispose: () => undefined }),
      },
      new ManualClock(),
    ),
  );
  return lines;
}

const sink = (onLine: (line: string) => void) => ({
  onMessage: () => undefined,
  onClose: () => undefined,
  onWarning: onLine,
  onStderr: onLine,
});
const failure = (text: string) => new HostError('invalid-message', `The server answered: ${visibleLine(text, 1_000)}.`);
const offering = (text: string) =>
  serverView('s', {
    features: {
      identity: serverIdentity({ info: { name: text, version: text, title: text } }),
      tools: [tool('t', { title: text, description: text })],
    },
  });

const lines: [string, (text: string) => string[]][] = [
  [
    'a log message of a server',
    (text) => logged((writer) => writer.addMessage({ level: 'info', data: text, logger: text })),
  ],
  ['a log message with data', (text) => logged((writer) => writer.addMessage({ level: 'info', data: { text } }))],
  ['a warning about a server', (text) => logged((writer) => writer.addWarning(`Skipped: ${text}`))],
  ['a failure in a log', (text) => logged((writer) => writer.addFailure('s', failure(text)))],
  [
    'standard error',
    (text) =>
      logged((writer) =>
        new OutputLog(
          sink((line) => writer.addStderr(line)),
          [],
          new ManualClock(),
        ).stderr(Buffer.from(`${text}\n`)),
      ).filter((line) => line.includes('[stderr]')),
  ],
  [
    'a line of a socket that is no message',
    (text) =>
      logged((writer) =>
        new StrayLines(
          sink((line) => writer.addWarning(line)),
          new ManualClock(),
          'socket',
        ).add(text),
      ),
  ],
  ['a line of the terminal of a task', (text) => [logLine(text)]],
  ['a failure as one line', (text) => [failureLine(failure(text), 's')]],
  ['a notification', (text) => [failureMessage(failure(text), { isWorkspaceTrusted: true, server: 's' })?.text ?? '']],
  [
    'a line of the audit log',
    (text) =>
      auditText(
        `${JSON.stringify({ event: 'call', server: text, tool: text, caller: 'model', arguments: text, servers: [text] })}\n`,
        'file',
      )
        .trimEnd()
        .split('\n')
        .slice(2)
        .map((line) => line.trim()),
  ],
  [
    'the line of a server in the tree',
    (text) => [
      drawNodes([serverNode(serverView('s', { state: { kind: 'failed', error: failure(text), at: 0 } }), 0)], 1),
    ],
  ],
  [
    'the row of a tool to pick',
    (text) =>
      toolPickRows([offering(text)], [], 0).flatMap((row) =>
        Object.values(row).filter((value): value is string => typeof value === 'string'),
      ),
  ],
  ['the title of a tool page', (text) => [toolView(tool('t', { title: text })).title]],
  [
    'the line of a request',
    (text) => [
      requestLine({ kind: 'form', message: text, schema: { type: 'object', properties: {} } } as unknown as Parameters<
        typeof requestLine
      >[0]),
    ],
  ],
  [
    'the message of a sign-in',
    (text) => [signInQuestion({ serverName: text, host: text, issuer: text, scopes: [text], isStepUp: false }).message],
  ],
];

const texts: [string, (text: string) => string][] = [
  ['text of several lines', (text) => shownText(text)],
  ['an entry of the log of MCP Deck', (text) => logEntry(text)],
  ['the tooltip of a server', (text) => serverTooltip(offering(text), 0)],
  ['the tooltip of a tool', (text) => toolTooltip(tool('t', { title: text, description: text }))],
  [
    'the tooltip of a prompt',
    (text) => promptTooltip({ name: 'p', description: text, arguments: [{ name: text, description: text }] }),
  ],
  ['the tooltip of a resource', (text) => resourceTooltip({ uri: 'x://y', name: text, description: text })],
  ['paragraphs in Markdown', (text) => escapeParagraphs(text)],
  ['the page of a tool', (text) => toolView(tool('t', { description: text })).description ?? ''],
  [
    'the question before a call',
    (text) =>
      callQuestion({
        server: 's',
        tool: tool('t', { title: text, description: text }),
        arguments: { text },
        caller: 'model',
        isAfterLoss: false,
        hasSecrets: false,
      }).detail,
  ],
  [
    'the question before a page is opened',
    (text) => openPageQuestion('s', text, { href: 'https://a.example/', host: 'a.example' }).detail,
  ],
  ['the question before words of an app', (text) => appMessageQuestion({ server: 's', app: text }, text).detail],
  [
    'the question before a sign-in',
    (text) => signInQuestion({ serverName: text, host: text, issuer: text, scopes: [text], isStepUp: false }).detail,
  ],
  [
    'the log of a call',
    (text) => {
      const log = new CallLog();
      log.add({ text });
      return log.model.log.map((line) => line.text).join('\n');
    },
  ],
];

/** White space whose end is not visible: within a line, or as empty lines. */
const longRun = /[^\S\n]{25,}|(?:\n[^\S\n]*){6,}/;

describe('[L2] a text of a server cannot forge a line of', () => {
  for (const [place, render] of lines) {
    test(place, () => {
      const shown = render(hostile);
      assert.ok(shown.length > 0 && shown.some((line) => line.includes('said')), shown.join('\n'));
      for (const line of shown) assert.doesNotMatch(line, /[\n\r\u2028\u2029\u0085\v\f]/);
    });
  }

  test('the log of MCP Deck, whose entries may have several lines', () => {
    for (const line of logEntry(hostile).split('\n').slice(1)) assert.match(line, /^ {4}\| /);
    assert.doesNotMatch(logEntry(hostile), /[\r\u2028\u2029\u0085\v\f]/);
  });
});

describe('[L2] white space of a server cannot push text out of sight in', () => {
  for (const [place, render] of [
    ...lines.map(([place, render]) => [place, (text: string) => render(text).join('\n')] as const),
    ...texts,
  ]) {
    test(place, () => {
      const shown = render(pushed);
      assert.ok(shown.includes('near'), shown);
      assert.doesNotMatch(shown, longRun);
      // A mark shows that there was more.
      assert.match(shown, /⟨\d+ (?:blanks|empty lines)⟩|more characters/);
    });
  }
});

test('ordinary white space is kept', () => {
  const text = 'a:\n\n  b\n        deep\n\n\nend';
  assert.deepEqual([shownText(text), logLine('a  b\tc'), visibleLine('a  b\n c')], [text, 'a  b\tc', 'a b c']);
});

test('[L2] the instructions of a server are limited, and the cut characters are counted', () => {
  assert.deepEqual(readInstructions('short'), { instructions: 'short' });
  assert.deepEqual([readInstructions(''), readInstructions(7)], [{}, {}]);
  const { instructions = '' } = readInstructions('x'.repeat(5_000_000));
  assert.ok(
    instructions.length < 21_000 && instructions.endsWith('… (4980000 more characters)'),
    instructions.slice(-60),
  );
});

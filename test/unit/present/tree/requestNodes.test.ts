import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawNodes } from '../../../../src/core/present/tree/treeNode.js';
import { openPageQuestion, requestNodes, requestSentence } from '../../../../src/core/present/tree/requestNodes.js';
import type { UserRequest, WaitingRequest } from '../../../../src/core/requests/requestQueue.js';

const waiting = (serverName: string, ask: UserRequest): WaitingRequest => ({
  id: serverName,
  server: serverName,
  serverName,
  receivedAt: 0,
  ask,
  signal: new AbortController().signal,
});
const sampling = (text: string): UserRequest => ({
  kind: 'sampling',
  isAllowed: false,
  request: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 1 },
});

test('each request is one line with the server and its request', () => {
  const nodes = requestNodes([
    waiting('release', { kind: 'form', message: 'How shall it\nbe announced?', schema: {} }),
    waiting('quiet', { kind: 'form', message: '', schema: {} }),
    waiting('pay', { kind: 'url', message: 'Confirm.', url: { href: 'https://pay.example/x', host: 'pay.example' } }),
    waiting('sign', {
      kind: 'visit',
      message: 'Sign.',
      url: { href: 'https://sign.example/x', host: 'sign.example' },
    }),
    waiting('namer', sampling('Name this')),
  ]);
  assert.equal(
    drawNodes(nodes),
    [
      '(edit) release  How shall it be announced?',
      '(edit) quiet  asks for information',
      '(link-external) pay  open a page on pay.example: Confirm.',
      '(globe) sign  waiting for you to finish on sign.example',
      '(sparkle) namer  requests a model response: Name this',
    ].join('\n'),
  );
});

test('[L2] server text cannot pretend to be text of MCP Deck', () => {
  const [node] = requestNodes([
    waiting('evil', {
      kind: 'form',
      message: '[Click](command:x) \u202e<b>',
      schema: { properties: { a: { type: 'string', title: '![x](http://x)' } } },
    }),
  ]);
  assert.equal(node?.description, '1 hidden character · [Click](command:x) \\u{202e}<b>');
  assert.equal(
    node?.tooltip?.(60_000),
    '**evil**\n\n$(warning) **1 hidden character in the request of the server**\n\n\\[Click\\]\\(command\\:x\\) \\\\u\\{202e\\}\\<b\\>\n\nFields: \\!\\[x\\]\\(http\\:\\/\\/x\\)\n\nWaiting for 1 min',
  );
});

test('[C10] the question before a page shows the host in both spellings if its letters look like others', () => {
  const { message, detail } = openPageQuestion('pay', 'Confirm.', {
    href: 'https://xn--pple-43d.com/a',
    host: 'xn--pple-43d.com',
    readableHost: 'аpple.com',
  });
  assert.equal(message, '"pay" asks you to open a page on xn--pple-43d.com.');
  assert.equal(
    detail,
    'The server says: Confirm.\n\nAddress: https://xn--pple-43d.com/a\n\nThe host looks like "аpple.com" but is "xn--pple-43d.com". Such names can imitate other hosts.\n\nMCP Deck does not receive what you enter on that page.\n\n"Decline" tells the server that you declined. "Not Now" leaves the request in the Requests view.',
  );
});

test('a message is a sentence', () => {
  const sentence = (ask: UserRequest) => requestSentence('s', ask);
  assert.deepEqual(
    [
      sentence({ kind: 'form', message: ' ', schema: {} }),
      sentence({ kind: 'form', message: 'Why?', schema: {} }),
      sentence({ kind: 'url', message: 'Pay.', url: { href: 'https://pay.example/x', host: 'pay.example' } }),
      sentence(sampling('Name this')),
    ],
    [
      '"s" asks you for information.',
      '"s" asks: Why?',
      '"s" asks you to open a page on pay.example: Pay.',
      '"s" requests a model response (sampling): Name this',
    ],
  );
});

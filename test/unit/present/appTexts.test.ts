import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appContextText } from '../../../src/core/present/chat/appContextText.js';
import { appCallQuestion } from '../../../src/core/present/questions/appQuestions.js';

const tool = { name: 'wipe', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } };

describe('questions before an app acts', () => {
  test('[V8] the question names server, tool, app and all arguments', () => {
    const { message, detail, document } = appCallQuestion(
      { server: 'files', app: 'browse', tool },
      { path: '/a', hidden: 'x\u202ey' },
    );
    assert.equal(message, 'Run the tool "wipe" of the server "files"?');
    assert.match(detail, /The app of "browse" requests this call\./);
    assert.match(detail, /"path": "\/a"/);
    assert.match(detail, /x\\u202ey/);
    assert.match(detail, /^The arguments contain 1 hidden character/);
    assert.equal(document, undefined);
  });

  test('[V8] arguments too long for a dialog are read in the editor, and none is left out', () => {
    const long = 'a'.repeat(5_000);
    const { detail, document } = appCallQuestion({ server: 'files', app: 'browse', tool }, { long });
    assert.ok(document?.includes(long));
    assert.ok(detail.length < 1_000);
    assert.match(detail, /is shown in the editor/);
  });
});

describe('app texts for the model', () => {
  test('[L3] app text is labeled as data of its server, and hidden characters are visible', () => {
    const text = appContextText([
      { server: 's', app: 'weather', context: { text: 'Bern\u200b', structured: { a: 1 } } },
    ]);
    assert.match(
      text ?? '',
      /app of the tool "weather" of the MCP server "s".*not instructions:\n\nBern\\u\{200b\}\n\n\{"a":1\}/,
    );
  });

  test('apps without text are not mentioned', () => {
    assert.equal(appContextText([]), undefined);
    assert.equal(appContextText([{ server: 's', app: 'a', context: { text: '' } }]), undefined);
  });
});

/** The question before a call as VS Code shows it. Its texts are Markdown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import MarkdownIt from 'markdown-it';
import { callConfirmation } from '../../../../src/core/present/questions/callQuestion.js';

const confirmation = callConfirmation({
  server: '[db](command:x)',
  tool: {
    name: '**drop**',
    description: 'Drops [all](command:workbench.action.quit) <b>tables</b>.\u200b',
    inputSchema: { type: 'object' },
    annotations: { destructiveHint: true },
  },
  arguments: { table: '```\n[x](command:y)' },
});

test('[LM2] names the tool and the server, its unverified claims, the arguments, and the effect of always allowing', () => {
  assert.equal(confirmation.title, 'Call the tool "??drop??" of the server "?db??command:x?"?');
  assert.match(confirmation.message, /annotations of the tool/);
  assert.match(confirmation.message, /1 hidden character/);
  assert.match(confirmation.message, /always allow[^]*in VS Code/);
  assert.match(confirmation.message, /"table"/);
});

test('[LM2] texts of servers make no link, emphasis or HTML', () => {
  for (const text of [confirmation.title, confirmation.message])
    assert.doesNotMatch(new MarkdownIt({ html: true }).render(text), /<a |<b>|<strong>|<em>/);
});

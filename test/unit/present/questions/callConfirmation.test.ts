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

test('[LM2] texts of servers make no link, emphasis, image, icon or HTML', () => {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  for (const hostile of [
    '[db](command:x)',
    '![x](https://evil.example/x.png)',
    '<img src=x onerror=alert(1)>',
    '<https://evil.example>',
    'https://evil.example/login',
    'www.evil.example',
    'WWW.evil.example',
    'mail@evil.example',
    '_a_ __b__',
    '**a** `b` ~~c~~',
    '$(error) # a',
    '&lt;b&gt; &#91;x&#93;(command:y)',
    '\\[x\\](command:y)',
    'a\n# b\n[c]: command:d',
    '```\n[x](command:y)\n```',
    '| a |\n| - |\n| [x](command:y) |',
  ]) {
    const { title, message, progress } = callConfirmation({
      server: hostile,
      tool: { name: hostile, description: hostile, inputSchema: { type: 'object' }, annotations: { title: hostile } },
      arguments: { [hostile]: hostile },
    });
    for (const text of [title, message, progress])
      assert.doesNotMatch(markdown.render(text), /<(?:a|b|i|s|strong|em|img|table|h\d)\b|<code>(?!{)/, text);
    // VS Code turns these into links and icons.
    for (const text of [title, progress, ...proseOf(message)])
      assert.doesNotMatch(text, /https?:\/\/|\bwww\.|(?<!\\)@|(?<!\\)\$\(/i, text);
    assert.ok(!/[\n\r]/.test(title + progress));
  }
});

test('[LM2] usual names are shown unchanged', () => {
  const names = { server: 'my-server.v2', name: 'repo/read_file:all' };
  const tool = { name: names.name, inputSchema: { type: 'object' as const } };
  const { title, progress } = callConfirmation({ server: names.server, tool, arguments: {} });
  assert.equal(title, `Call the tool "${names.name}" of the server "${names.server}"?`);
  assert.equal(progress, `Calling a tool of the server "${names.server}"`);
});

/** The parts of Markdown outside of its code block. */
function proseOf(message: string): string[] {
  return message.split(/^(`{3,})json\n[^]*?^\1$/m).filter((part) => !/^`+$/.test(part));
}

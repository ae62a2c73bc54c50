import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fromPageGuards, maxMessageLength } from '../../../src/shared/app/appPage.js';
import type { PageContext } from '../../../src/shared/app/pageContext.js';
import { styleVariables } from '../../../src/shared/app/pageContext.js';

const { notices } = fromPageGuards;
const context: PageContext = {
  theme: 'dark',
  variables: { '--color-text-primary': '#ccc' },
  width: 100,
  height: 50,
  timeZone: 'Europe/Zurich',
  touch: false,
  hover: true,
};

describe('messages of the page that contains an app', () => {
  test('[V5] bodies that match their contract are accepted', () => {
    assert.deepEqual(
      [
        notices.ready({ context }),
        notices.context({ context }),
        notices.fromApp({ frame: 1, text: '{}' }),
        notices.stopped({ frame: 1, reason: 'left' }),
        notices.act({ action: 'reload' }),
      ],
      new Array(5).fill(true),
    );
  });

  test('[V5] [V8] other bodies are rejected', () => {
    assert.deepEqual(
      [
        notices.ready({}),
        notices.context({ context: { ...context, theme: 'red' } }),
        notices.context({ context: { ...context, variables: { a: 5 } } }),
        notices.context({ context: { ...context, variables: { a: 'x'.repeat(2_000) } } }),
        notices.context({ context: { ...context, width: NaN } }),
        notices.fromApp({ frame: 1, text: {} }),
        notices.fromApp({ frame: '1', text: '{}' }),
        notices.fromApp({ frame: 1, text: 'x'.repeat(maxMessageLength + 1) }),
        notices.stopped({ frame: 1, reason: 'other' }),
        notices.act({ action: 'mcpDeck.stopAllServers' }),
        notices.act({ action: 'constructor' }),
      ],
      new Array(11).fill(false),
    );
  });
});

describe('the style that an app receives', () => {
  test('colors are those of the theme, the first available one', () => {
    const variables = styleVariables(
      (name) =>
        ({ 'editor-background': '#111', foreground: ' #eee', 'font-size': '14px', 'panel-border': '#333' })[name] ?? '',
    );
    assert.equal(variables['--color-background-primary'], '#111');
    assert.equal(variables['--color-text-primary'], '#eee');
    assert.equal(variables['--color-border-primary'], '#333');
    assert.equal(variables['--font-text-md-size'], '14px');
    assert.equal(variables['--color-text-danger'], undefined);
  });

  test('an empty theme gives sizes, and no empty color', () => {
    const variables = styleVariables(() => '');
    assert.equal(variables['--font-text-md-size'], '13px');
    assert.ok(!Object.values(variables).includes(''));
  });
});

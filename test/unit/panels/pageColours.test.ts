import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const styles = readdirSync('src/webview', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.css'))
  .map((file) => path.join('src/webview', file));
const pictures = readdirSync('media/walkthrough').map((file) => path.join('media/walkthrough', file));
const ownColour =
  /#[\da-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color|color-mix)a?\(|\b(?:black|white|red|green|blue|yellow|orange|purple|teal|navy|silver|gr[ae]y)\b(?!-)/gi;

test('pages and pictures use only colors of the theme', () => {
  assert.ok(styles.length > 5 && pictures.length === 5);
  for (const file of [...styles, ...pictures]) {
    // Names of theme colors and character references may contain a color name or look like one.
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|--[\w-]+|&#\d+;|>[^<]*</g, ' ');
    assert.deepEqual(text.match(ownColour) ?? [], [], file);
  }
});

test('hover styles do not remove the focus outline', () => {
  // These elements cannot have the focus.
  const unfocusable = /^(?:tbody tr|\.rows \.row|\.result-table tbody tr|\.result-line|\.suggestion|\.splitter):hover$/;
  for (const file of styles) {
    const rules = readFileSync(file, 'utf8')
      .replaceAll(/\/\*[^]*?\*\//g, '')
      .matchAll(/([^{}]+)\{([^{}]*)\}/g);
    for (const [, selectors = '', body = ''] of rules) {
      if (!/outline:/.test(body) || !selectors.includes(':hover')) continue;
      const hovered = selectors
        .split(/,(?![^(]*\))/)
        .map((one) => one.trim())
        .filter((one) => one.includes(':hover'));
      const hasFocusToo = selectors.includes(':focus-visible');
      assert.deepEqual(
        hovered.filter((one) => !unfocusable.test(one) && !hasFocusToo),
        [],
        file,
      );
    }
  }
});

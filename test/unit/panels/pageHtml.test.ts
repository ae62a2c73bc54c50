import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageHtml } from '../../../src/vscode/ui/pageHtml.js';

const frame = {
  cspSource: 'https://*.example',
  script: 'https://x.example/page.js',
  styles: ['https://x.example/page.css'],
  nonce: 'abc123',
  language: 'en',
  title: 'Tool',
};

test('[V1] [V4] a page may run our script, use our styles, and load nothing else', () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/
    .exec(pageHtml(frame))?.[1]
    ?.replaceAll('&#39;', "'")
    .split('; ');
  assert.deepEqual(policy, [
    "default-src 'none'",
    "script-src 'nonce-abc123'",
    'style-src https://*.example',
    'font-src https://*.example',
    'img-src blob: data:',
    'media-src blob: data:',
    "connect-src 'none'",
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ]);
});

test('[V1] the document has one script, by nonce, and no inline style or handler', () => {
  const html = pageHtml(frame);
  assert.deepEqual(html.match(/<script[^>]*>/g), [
    '<script type="module" nonce="abc123" src="https://x.example/page.js">',
  ]);
  assert.doesNotMatch(html, /<style|style=| on\w+=|unsafe-/);
});

test('attribute values cannot break out of their attribute', () => {
  const html = pageHtml({ ...frame, title: '"><img src=x onerror=alert(1)>', language: 'x"y' });
  assert.doesNotMatch(html, /<img|lang="x"y"/);
});

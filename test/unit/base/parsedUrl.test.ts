import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedUrl } from '../../../src/core/base/parsedUrl.js';

test('a host with more than 1,000 characters is refused, whatever the parser ignores before and in it', () => {
  const long = 'a'.repeat(1_001);
  for (const text of [
    `https://${long}/`,
    `https:${long}`,
    `${' '.repeat(200)}https://${long}/`,
    `\u0000\thttps:/\t/\\${long}/`,
    `h${'\t'.repeat(200)}ttps://${long}`,
    `https://user:${long}@h/`,
    `other://${long}/`,
    `other.scheme+1://user\\${long}@h/`,
  ])
    assert.equal(parsedUrl(text), undefined, JSON.stringify(text.slice(0, 30)));
  assert.equal(parsedUrl(`https://h/${long}?${long}#${long}`)?.host, 'h');
  for (const other of [`unix:///${long}`, `data:text,${long}`]) assert.equal(parsedUrl(other)?.href, other);
  assert.equal(parsedUrl('not a URL'), undefined);
});

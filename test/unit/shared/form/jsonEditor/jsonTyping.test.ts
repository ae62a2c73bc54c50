import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { typed } from '../../../../../src/shared/form/jsonEditor/jsonTyping.js';

/** The text after a key press. `|` is the cursor, and two of them are a selection. */
function press(marked: string, key: string): string | undefined {
  const start = marked.indexOf('|');
  const rest = marked.indexOf('|', start + 1);
  const end = rest < 0 ? start : rest - 1;
  const text = marked.replaceAll('|', '');
  const edit = typed(text, { start, end }, key);
  if (!edit) return undefined;
  const after = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
  return edit.start === edit.end
    ? `${after.slice(0, edit.start)}|${after.slice(edit.start)}`
    : `${after.slice(0, edit.start)}|${after.slice(edit.start, edit.end)}|${after.slice(edit.end)}`;
}

describe('typing in the JSON editor', () => {
  test('Enter keeps the indentation, and opens brackets', () => {
    assert.equal(press('{|}', 'Enter'), '{\n  |\n}');
    assert.equal(press('  "a": 1,|', 'Enter'), '  "a": 1,\n  |');
    assert.equal(press('  [|', 'Enter'), '  [\n    |');
    assert.equal(press('|', 'Enter'), '\n|');
  });

  test('brackets and quotes come in pairs, outside of strings', () => {
    assert.equal(press('|', '{'), '{|}');
    assert.equal(press('[|]', '['), '[[|]]');
    assert.equal(press('{ |}', '"'), '{ "|"}');
    assert.equal(press('"a|"', '{'), undefined);
    assert.equal(press('|1', '['), undefined);
    assert.equal(press('|1, 2|', '['), '[|1, 2|]');
  });

  test('the cursor moves over a closing bracket or quote that is typed again', () => {
    assert.equal(press('{|}', '}'), '{}|');
    assert.equal(press('"a|"', '"'), '"a"|');
    assert.equal(press('"a\\|"', '"'), undefined);
    assert.equal(press('{\n    |', '}'), '{\n  }|');
    assert.equal(press('"|}"', '}'), undefined);
  });

  test('Backspace deletes an empty pair', () => {
    assert.equal(press('{|}', 'Backspace'), '|');
    assert.equal(press('"|"', 'Backspace'), '|');
    assert.equal(press('{|x}', 'Backspace'), undefined);
  });

  test('Tab indents the selected lines, and Shift+Tab outdents them', () => {
    assert.equal(press('a|', 'Tab'), 'a  |');
    assert.equal(press('|a\nb|\nc', 'Tab'), '  |a\n  b|\nc');
    assert.equal(press('  a|', 'Shift+Tab'), 'a|');
    assert.equal(press('|  a\n  b|', 'Shift+Tab'), '|a\nb|');
    assert.equal(press('a|', 'Shift+Tab'), undefined);
  });

  test('no key loses text, and the cursor stays inside', () => {
    const part = fc.constantFrom('{', '}', '[', ']', '"', '\\', 'a', '\n', '  ', '\t', ',');
    const keys = fc.constantFrom('Enter', 'Backspace', 'Tab', 'Shift+Tab', '{', '}', '[', ']', '"');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 15 }), fc.nat(20), fc.nat(20), keys, (parts, a, b, key) => {
        const text = parts.join('');
        const [start = 0, end = 0] = [a, b].map((at) => Math.min(at, text.length)).sort((x, y) => x - y);
        const edit = typed(text, { start, end }, key);
        if (!edit) return;
        const after = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
        assert.ok(edit.start >= 0 && edit.start <= edit.end && edit.end <= after.length);
        if (key === 'Tab' || key === 'Shift+Tab') assert.equal(after.replace(/[ \t]/g, ''), text.replace(/[ \t]/g, ''));
      }),
      { numRuns: 2_000 },
    );
  });
});

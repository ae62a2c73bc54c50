import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoStartOf } from '../../../src/core/config/autoStart.js';

test('[C3] a workspace can start fewer servers than the user setting, never more', () => {
  const cases: [unknown, unknown, string][] = [
    [undefined, undefined, 'lastRunning'],
    [undefined, 'always', 'lastRunning'],
    [undefined, 'never', 'never'],
    ['never', 'always', 'never'],
    ['always', undefined, 'always'],
    ['always', 'lastRunning', 'lastRunning'],
    ['often', 'always', 'lastRunning'],
    ['always', 7, 'always'],
  ];
  for (const [own, workspace, outcome] of cases)
    assert.equal(autoStartOf(own, workspace), outcome, `${String(own)}, ${String(workspace)}`);
});

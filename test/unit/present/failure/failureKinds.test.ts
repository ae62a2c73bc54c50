/** Every kind of failure with its data: the whole text is translatable. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostErrorCode } from '../../../../src/core/base/hostError.js';
import { HostError } from '../../../../src/core/base/hostError.js';
import { closedKinds, sendFailedKinds, timeoutKinds } from '../../../../src/core/present/failure/closedTexts.js';
import { configurationKinds } from '../../../../src/core/present/failure/configurationTexts.js';
import { spawnKinds, statusKinds, unreachableKinds } from '../../../../src/core/present/failure/connectionTexts.js';
import { failureLine, failureLogLine, failureReason } from '../../../../src/core/present/failure/failureText.js';
import { messageKinds } from '../../../../src/core/present/failure/messageTexts.js';
import { skillFileKinds, unsupportedKinds } from '../../../../src/core/present/failure/unavailableTexts.js';
import {
  blockedKinds,
  callRefusedKinds,
  toolChangedKinds,
} from '../../../../src/core/present/failure/permissionTexts.js';
import { signInKinds } from '../../../../src/core/present/failure/signInTexts.js';
import { notRunningKinds } from '../../../../src/core/present/failure/startTexts.js';
import { markTexts } from '../../../support/languages.js';

/** All data that a sentence may need. */
const data = {
  place: 'https://mcp.example/mcp',
  request: 'tools/call',
  method: 'tools/list',
  detail: 'the words of another',
  reason: 'the words of another',
  subject: 'thing',
  waitedMs: 5_000,
  code: 4_000,
  status: 502,
  bodyText: 'body',
  contentType: 'text/plain',
  target: 'https://other.example',
  command: 'uvx',
  cwd: '/work',
  interpreter: 'python9',
  errno: 'EOTHER',
  folders: ['/bin'],
  issuer: 'https://id.example',
  url: 'https://id.example/token',
  limit: 32,
  count: 40,
  expected: 1_048_576,
  redirects: 5,
  problems: ['text is missing'],
  resultType: 'odd',
  uri: 'skill://x/SKILL.md',
  tool: 'drop',
  rule: 'deny all',
  setting: 'chat.mcp.deniedServers',
  entry: '{"serverName":"db"}',
  variable: 'env:TOKEN',
  source: '.mcp.json',
  variables: ['${env:TOKEN}'],
};

const tables: [code: HostErrorCode, field: 'why' | 'problem' | 'by', kinds: object][] = [
  ['not-running', 'why', notRunningKinds],
  ['call-refused', 'by', callRefusedKinds],
  ['tool-changed', 'why', toolChangedKinds],
  ['blocked', 'why', blockedKinds],
  ['closed', 'why', closedKinds],
  ['timeout', 'why', timeoutKinds],
  ['send-failed', 'why', sendFailedKinds],
  ['connection-refused', 'why', unreachableKinds],
  ['http-status', 'why', statusKinds],
  ['spawn-failed', 'why', spawnKinds],
  ['invalid-message', 'problem', messageKinds],
  ['bad-configuration', 'problem', configurationKinds],
  ['auth-required', 'problem', signInKinds],
  ['auth-failed', 'problem', signInKinds],
  ['unsupported', 'why', unsupportedKinds],
  ['verification-failed', 'why', skillFileKinds],
];

/** An error whose message and hint must not appear in the text. */
const failure = (code: HostErrorCode, more: object) =>
  new HostError(code, 'UNTRANSLATED', { data: { ...data, ...more } as never, hint: 'UNTRANSLATED' });

for (const [code, field, kinds] of tables)
  for (const kind of Object.keys(kinds))
    test(`${code}, ${kind}: the text is in the user's language, and in English in the log`, (context) => {
      const error = failure(code, { [field]: kind });
      const english = failureLine(error, 'db');
      assert.match(english, /\bdb\b/);
      // No part is missing, and no part is taken from the message of the error.
      for (const text of [english, failureReason(error)])
        assert.doesNotMatch(text, /UNTRANSLATED|undefined|(?:^|[\s"(])\?|\{\d|\.\.|: \./);
      markTexts(context);
      const marked = failureLine(error, 'db');
      assert.match(marked, /^‹.+› ‹.+›$/);
      assert.match(failureReason(error), /^‹.+(?:›|…)$/);
      assert.equal(failureLogLine(error, 'db'), english);
    });

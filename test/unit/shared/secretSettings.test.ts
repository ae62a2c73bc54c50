import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finderOf } from '../../../src/core/base/secretFinder.js';
import { ManualClock } from '../../support/manualClock.js';
import { maskPieces, maskText, maskValue } from '../../../src/core/base/masking.js';
import { displayArguments } from '../../../src/core/present/tree/serverTooltip.js';
import { ServerLogWriter } from '../../../src/core/host/serverLogWriter.js';
import { OutputLog } from '../../../src/core/transport/stdio/outputLog.js';
import { isSecretName, isSecretSetting } from '../../../src/shared/secretNames.js';

const secretNames = [
  'pass',
  'user_pass',
  'dbPass',
  'DB_PASS',
  'PGPASSWD',
  'MY_PAT',
  'X-PAT',
  'X-Auth',
  'AUTH',
  'JWT',
  'PASSPHRASE',
  'X-Password',
  'account_key',
  'accountKey',
  'connection_string',
  'DATABASE_URL',
  'dsn',
  'SENTRY_DSN',
  'privkey',
  'sas',
  'AZURE_SAS',
  '--pw',
  'GITHUB_TOKEN',
  'recovery_code',
  'backupCodes',
  'private_pem',
  'wifiPsk',
  'mnemonic',
  'ssn',
];
const otherNames = [
  'bypass',
  'compat',
  'format',
  'author',
  'spin',
  'canvas',
  'path',
  'passenger',
  'progressToken',
  'nextPageToken',
  'primaryKey',
  'publicKey',
  'primary_key',
  'option',
];

describe('[secrets.forms] one list of names', () => {
  for (const name of secretNames)
    test(`${name} is the name of a secret`, () => assert.ok(isSecretName(name) && isSecretSetting(name)));
  for (const name of otherNames) test(`${name} is not the name of a secret`, () => assert.ok(!isSecretName(name)));
  test('AUTHOR_NAME is not a secret setting', () => assert.ok(!isSecretSetting('AUTHOR_NAME')));
});

const secret = 'p"ss wörd+1';
const forms = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(`user:${secret}`).toString('base64'),
  Buffer.from(secret).toString('base64url'),
];

describe('[secrets.forms] one search', () => {
  const secrets = [secret, 'abcdef', 'abcdefGHIJKL', 'hunter2'];

  test('finds every form in history, audit log and tooltips, and the longest secret where one begins with another', () => {
    for (const form of forms) assert.ok(!maskText(`<${form}>`, secrets).includes(form.slice(3, -3)), form);
    assert.equal(maskText('<abcdefGHIJKL>', secrets), '<•••>');
    assert.deepEqual(maskValue({ [secret]: [forms[2]] }, secrets), { '•••': ['•••'] });
    assert.equal([...maskPieces(['<abcdefG', 'HIJKL><abc', 'def>'], secrets)].join(''), '<•••><•••>');
  });

  test('[values.deep] shortens endlessly nested values', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 200_000; i++) deep = { a: deep };
    assert.match(JSON.stringify(maskValue(deep, [])), /nested too deeply/);
  });

  test('finds every form in the log of a server', () => {
    const lines: string[] = [];
    const writer = new ServerLogWriter(
      { write: (_level: string, line: string) => void lines.push(line) } as never,
      new ManualClock(),
    );
    writer.hide(secrets);
    for (const form of [...forms, 'abcdefGHIJKL']) writer.write('info', `<${form}>`);
    for (const line of lines) assert.match(line, /^<[^>]{0,8}•••[^>]{0,3}>$/, line);
  });

  test('finds a secret in an endless line that is longer than a part of the line', () => {
    const lines: string[] = [];
    const log = new OutputLog(
      { onStderr: (line: string) => void lines.push(line), onWarning: () => undefined } as never,
      [`0${'123456789'.repeat(2_000)}`],
      new ManualClock(),
    );
    log.stderr(Buffer.from(`${'x'.repeat(5_000)}0${'123456789'.repeat(1_000)}`));
    log.stderr(Buffer.from(`${'123456789'.repeat(1_000)} rest\n`));
    assert.match(lines.join(''), /^x+••• rest$/);
  });

  test('finds a secret at the cut of an endless line', () => {
    const lines: string[] = [];
    const log = new OutputLog(
      { onStderr: (line: string) => void lines.push(line), onWarning: () => undefined } as never,
      ['0123456789ABCDEFGHIJ'],
      new ManualClock(),
    );
    const cutAt = 8_192;
    for (const before of [cutAt - 1, cutAt - 10, cutAt - 19, cutAt]) {
      log.stderr(Buffer.from(`${'x'.repeat(before)}0123456789`));
      log.stderr(Buffer.from('ABCDEFGHIJ rest\n'));
    }
    assert.equal(lines.join('').match(/•••/g)?.length, 4);
    assert.doesNotMatch(lines.join(''), /[0-9A-J]/);
  });

  test('[S2] knows all values of a start, even with a large env file', () => {
    const lines: string[] = [];
    const writer = new ServerLogWriter(
      { write: (_level: string, line: string) => void lines.push(line) } as never,
      new ManualClock(),
    );
    writer.hide([...[...Array(300).keys()].map((index) => `padding-${index}`), 'the-typed-secret']);
    writer.write('info', 'it is the-typed-secret');
    writer.hide(['of-the-next-start']);
    writer.write('info', 'of-the-next-start');
    assert.deepEqual(lines, ['it is •••', '•••']);
  });

  test('[S2] masks the received part of a secret on an unfinished line', () => {
    const log = new OutputLog(
      { onStderr: () => undefined, onWarning: () => undefined } as never,
      ['0123456789ABCDEFGHIJ'],
      new ManualClock(),
    );
    log.stderr(Buffer.from('Token: 0123456789'));
    assert.equal(log.unfinished, 'Token: •••');
  });

  test('is created once for each list', () => assert.equal(finderOf(secrets), finderOf(secrets)));
});

describe('[secrets.forms] displayed and copied texts', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  test('hide arguments by their option or form, and show ports', () => {
    assert.deepEqual(
      displayArguments([
        '-p',
        'hunter2',
        '--pw=hunter2',
        token,
        `--x=${token}`,
        '-p',
        '8080:80',
        '--dsn',
        'x',
        '--port',
        '80',
      ]),
      ['-p', '…', '--pw=…', '…', '--x=…', '-p', '8080:80', '--dsn', '…', '--port', '80'],
    );
  });
});

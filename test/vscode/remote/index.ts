import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SettingKey } from '../../../src/vscode/manifest.js';
import { settingDefaults } from '../../../src/vscode/manifest.js';
import { ownValue, settingPolicies, settingValue } from '../../../src/vscode/adapters/settingPolicy.js';
import { writtenSetting } from '../../../src/vscode/adapters/writtenSetting.js';
import { settingValues } from '../../support/settingValues.js';
import { afterAll, afterEach, beforeAll, makeRun, suite, test } from '../runner.js';
import { answerModals, answerPicks, pressing } from '../support/dialogs.js';
import { command, deckExtension, drawn, failureOf, folder, textOf, until, untilState } from '../support/host.js';
import type { Place } from './settingFiles.js';
import { changeOwn, fieldOf, restoreSettings, textIn, writeFileOf } from './settingFiles.js';

const keys = Object.keys(settingPolicies) as SettingKey[];
const places: readonly Place[] = ['local', 'remote', 'workspace', 'folder'];
const configuration = [
  (deckExtension().packageJSON as { contributes: { configuration: unknown } }).contributes.configuration,
].flat() as { properties: Record<string, { scope: string }> }[];
const scopeOf = (key: SettingKey) =>
  configuration.map(({ properties }) => properties[key]?.scope).find((scope) => scope !== undefined) ?? '';
/** The files from which VS Code reads a setting of each scope; it ignores the setting in other files. */
const readFrom: Readonly<Record<string, readonly Place[]>> = {
  application: ['local'],
  // In a remote window, VS Code does not read them from the user settings.
  machine: ['remote'],
  window: ['local', 'remote', 'workspace'],
  resource: places,
};

/** The value that the user has written, as VS Code reads it. */
const ownOf = (key: SettingKey, own: 'wide' | 'narrow' | undefined) =>
  own && readFrom[scopeOf(key)]?.includes('local') === true ? settingValues[key][own] : undefined;
const valuesOf = (kind: 'wide' | 'narrow' | undefined) =>
  Object.fromEntries(keys.map((key) => [key, kind && settingValues[key][kind]]));
const written = (key: SettingKey) => writtenSetting(key, folder().uri);
/** A setting of VS Code with a text value, used in the definition of the server `leaning`. */
const textSetting = 'editor.wordSeparators';
const allow = { effect: 'allow' };
const call = (tool: string) => ({ server: 'changing', tool, arguments: tool === 'lookup' ? { word: 'deck' } : {} });

/** The effective value of a setting when the user and one other location have set these values. */
function expected(key: SettingKey, own: unknown, kind: 'wide' | 'narrow'): unknown {
  const { narrow, mayNarrow } = settingValues[key];
  if (!mayNarrow || kind === 'wide') return own ?? settingDefaults[key];
  // The default may be narrower than the value of the other location.
  return own === undefined ? settingValue(key, { workspaceValue: narrow }) : narrow;
}

suite('settings in a remote window', () => {
  beforeAll(() => assert.ok(vscode.env.remoteName !== undefined, 'the window of the harness is a remote window'));
  afterEach(restoreSettings);
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('[C27] a value of the remote machine hides the user value from VS Code, but not from MCP Deck', () => {
    // The state after opening the window: the file of a dev container was applied before.
    const { globalValue, globalLocalValue, globalRemoteValue } = written('mcpDeck.rules');
    assert.deepEqual(
      [globalValue, globalRemoteValue, globalLocalValue],
      [[allow], [allow], [{ effect: 'deny', tool: 'remove' }]],
    );
    assert.equal(settingValue('mcpDeck.autoStart', written('mcpDeck.autoStart')), 'never');
  });

  for (const own of [undefined, 'wide', 'narrow'] as const) {
    test(`[C27] every setting, where the user has written ${own === undefined ? 'nothing' : `a ${own} value`}: other locations can only narrow it`, async () => {
      await restoreSettings();
      await changeOwn(valuesOf(own));
      for (const key of keys) {
        const value = ownOf(key, own);
        assert.deepEqual(
          [written(key).globalLocalValue, ownValue(written(key)), settingValue(key, written(key))],
          [value, value, value ?? settingDefaults[key]],
          key,
        );
      }
      for (const place of ['remote', 'workspace', 'folder'] as const) {
        for (const kind of ['wide', 'narrow'] as const) {
          await writeFileOf(place, valuesOf(kind));
          for (const key of keys) {
            const what = `${key}: ${kind} in the settings of ${place}`;
            const isRead = readFrom[scopeOf(key)]?.includes(place) === true;
            const value = ownOf(key, own);
            assert.deepEqual(
              written(key)[fieldOf[place]],
              isRead ? settingValues[key][kind] : undefined,
              `VS Code, ${what}`,
            );
            assert.deepEqual(ownValue(written(key)), value, `of the user, ${what}`);
            assert.deepEqual(
              settingValue(key, written(key)),
              isRead ? expected(key, value, kind) : (value ?? settingDefaults[key]),
              what,
            );
          }
        }
        await writeFileOf(place, {});
      }
    });
  }

  test('[C27, N3] a rule of the remote machine can deny but not allow, and the rules of the user apply', async () => {
    await command('mcpDeck.startServer', { server: 'changing' });
    await untilState('changing', 'running');
    await writeFileOf('remote', { 'mcpDeck.rules': [allow], 'mcpDeck.trustedAnnotations': ['changing'] });
    // The user denies it: no question and no call.
    const denied = await failureOf(command('mcpDeck.runTool', call('remove')));
    assert.deepEqual([denied.code, denied.data?.['by']], ['call-refused', 'rule']);
    // The user has no rule for it: it waits, and is not allowed.
    const asked = failureOf(command('mcpDeck.runTool', call('lookup')));
    const dialogs = answerModals(() => 'Deny');
    try {
      await until('a question about the call waits', async () => {
        await vscode.commands.executeCommand('mcpDeck.answerRequest');
        return dialogs.asked.length > 0;
      });
    } finally {
      dialogs.restore();
    }
    assert.equal((await asked).code, 'call-refused');

    await writeFileOf('remote', {});
    await changeOwn({ 'mcpDeck.rules': [{ effect: 'allow', callers: ['script'] }] });
    assert.equal(textOf(await command('mcpDeck.runTool', call('lookup'))), 'lookup {"word":"deck"}');
    await writeFileOf('remote', { 'mcpDeck.rules': [{ effect: 'deny', tool: 'lookup' }] });
    assert.equal((await failureOf(command('mcpDeck.runTool', call('lookup')))).code, 'call-refused');
  });

  for (const place of ['remote', 'workspace'] as const) {
    test(`[C27] a setting of the ${place} file that a server of the user uses is shown and asked about before the server starts`, async () => {
      await command('mcpDeck.resetTrust');
      await changeOwn({ [textSetting]: 'mine' });
      await command('mcpDeck.startServer', { server: 'leaning' });
      await untilState('leaning', 'running');
      await command('mcpDeck.stopServer', { server: 'leaning' });
      await writeFileOf(place, { [textSetting]: '--evil' });
      assert.equal((await failureOf(command('mcpDeck.startServer', { server: 'leaning' }))).code, 'not-trusted');
      const { asked } = await pressing('Not Now', () =>
        command('mcpDeck.reviewTrust', { server: 'leaning' }).then(undefined, () => undefined),
      );
      assert.match(asked[0]?.detail ?? '', /--evil/);
    });
  }
});

suite('settings that MCP Deck writes in a remote window', () => {
  const rules = [{ effect: 'ask', tool: 'lookup' }];
  const unchanged = async (work: () => Promise<void>) => {
    const before = await Promise.all(places.map(textIn));
    await work();
    assert.deepEqual(await Promise.all(places.map(textIn)), before);
  };
  afterEach(restoreSettings);

  test("[C27] where the remote machine has a value, VS Code would overwrite that one instead of the user's", async () => {
    await writeFileOf('remote', { 'mcpDeck.rules': [allow] });
    const before = await textIn('local');
    await vscode.workspace.getConfiguration('mcpDeck').update('rules', rules, vscode.ConfigurationTarget.Global);
    await until('it is written', async () => (await textIn('remote')).includes('lookup'));
    assert.equal(await textIn('local'), before);
  });

  test('[C27] so a rule or a switch is not written: the error names the setting and what to remove', async () => {
    await writeFileOf('remote', { 'mcpDeck.rules': [allow], 'mcpDeck.builtInServer.enabled': false });
    await unchanged(async () => {
      const error = await failureOf(
        command('mcpDeck.addRule', { rule: { effect: 'deny', tool: 'whisper' }, lifetime: 'always' }),
      );
      assert.equal(error.code, 'storage-failed');
      assert.match(
        error.message,
        /The setting mcpDeck\.rules could not be written: this setting also has a value in the remote settings.*Remove the remote value.*Preferences: Open Remote Settings/s,
      );
      const { value } = await pressing('Turn On', () => failureOf(command('mcpDeck.enableBuiltInServer')));
      assert.match(value.message, /The setting mcpDeck\.builtInServer\.enabled could not be written/);
    });
  });

  test('[C27] "Always…" in a remote machine that has rules changes no file and does not count as an allowance', async () => {
    await writeFileOf('remote', { 'mcpDeck.rules': [{ effect: 'ask' }] });
    await command('mcpDeck.startServer', { server: 'changing' });
    await untilState('changing', 'running');
    const picks = answerPicks((items) => items.find(({ label }) => label === 'Allow this tool everywhere'));
    const dialogs = answerModals(() => 'Always…');
    try {
      await unchanged(async () => {
        const outcome = command('mcpDeck.runTool', call('lookup')).then(
          () => 'ran',
          (error: unknown) => String(error),
        );
        await until('a question about the call waits', async () => {
          await vscode.commands.executeCommand('mcpDeck.answerRequest');
          return dialogs.asked.length > 0;
        });
        assert.match(await outcome, /mcpDeck\.rules could not be written/);
      });
    } finally {
      dialogs.restore();
      picks.restore();
    }
    assert.doesNotMatch(await drawn('changing'), /allowed/);
  });

  test('[C27] servers and rules of the user are written where the remote machine has no value of that setting', async () => {
    await writeFileOf('remote', { 'mcpDeck.autoStart': 'never', 'mcpDeck.servers': { evil: { command: 'evil' } } });
    const remote = await textIn('remote');
    await command('mcpDeck.addRule', { rule: { effect: 'deny', tool: 'whisper' }, lifetime: 'always' });
    await pressing('Duplicate', () =>
      command('mcpDeck.duplicateServer', { server: 'changing', name: 'twin' }).then(undefined, () => undefined),
    );
    const local = JSON.parse(await textIn('local')) as Record<string, unknown>;
    assert.match(JSON.stringify(local['mcpDeck.rules']), /whisper/);
    assert.equal(await textIn('remote'), remote);
  });
});

export const run = makeRun();

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { SettingKey } from '../../src/vscode/manifest.js';
import { settingDefaults } from '../../src/vscode/manifest.js';
import type { WrittenSetting } from '../../src/vscode/adapters/settingPolicy.js';
import {
  excludeRules,
  othersValues,
  ownValue,
  settingPolicies,
  settingValue,
} from '../../src/vscode/adapters/settingPolicy.js';
import { settingValues as values } from '../support/settingValues.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: { configuration: { properties: Record<string, unknown> } | { properties: Record<string, unknown> }[] };
};

test('[C27] every setting of package.json defines the effect of remote and workspace values', () => {
  const sections = [manifest.contributes.configuration].flat();
  assert.deepEqual(
    Object.keys(settingPolicies).sort(),
    sections.flatMap(({ properties }) => Object.keys(properties)).sort(),
  );
});

/** As VS Code reports it: the remote machine's value replaces the user's. */
function written({
  local,
  remote,
  workspace,
  folder,
}: {
  local?: unknown;
  remote?: unknown;
  workspace?: unknown;
  folder?: unknown;
}): WrittenSetting {
  return {
    globalValue: remote ?? local,
    globalLocalValue: local,
    globalRemoteValue: remote,
    workspaceValue: workspace,
    workspaceFolderValue: folder,
  };
}

describe("[C27] widening values are read only from the user's own local settings:", () => {
  for (const key of Object.keys(settingPolicies) as SettingKey[]) {
    const { wide, narrow, mayNarrow } = values[key];
    test(key, () => {
      const read = (places: Parameters<typeof written>[0]) => settingValue(key, written(places));
      const others = ['remote', 'workspace', 'folder'] as const;
      assert.deepEqual(
        [read({}), read({ local: wide }), read({ local: narrow })],
        [settingDefaults[key], wide, narrow],
        'without others',
      );
      for (const place of others) {
        assert.deepEqual(read({ local: narrow, [place]: wide }), narrow, `${place} widens`);
        assert.deepEqual(read({ local: wide, [place]: narrow }), mayNarrow ? narrow : wide, `${place} narrows`);
        assert.deepEqual(read({ [place]: wide }), settingDefaults[key], `${place} widens the default`);
        assert.deepEqual(read({ local: wide, [place]: { not: 'understood' } }), wide, `${place} is of a wrong type`);
      }
      assert.deepEqual(
        read({ local: wide, remote: wide, workspace: narrow, folder: wide }),
        mayNarrow ? narrow : wide,
        'the narrowest of several values',
      );
    });
  }

  test('a value of the user that VS Code hides counts as the narrowest value, if the setting has one', () => {
    const hidden = (key: SettingKey, remote: unknown) => settingValue(key, { ...written({ remote }), isHidden: true });
    assert.deepEqual(
      [
        hidden('mcpDeck.autoStart', 'always'),
        hidden('mcpDeck.builtInServer.enabled', true),
        hidden('mcpDeck.restartOnCrash', true),
        hidden('mcpDeck.trace', 'on'),
        hidden('mcpDeck.requestTimeout', 5_000),
      ],
      ['never', false, false, 'off', settingDefaults['mcpDeck.requestTimeout']],
    );
  });

  test("values of the remote machine, the workspace or a folder are not the user's", () => {
    for (const place of ['remote', 'workspace', 'folder'] as const)
      assert.deepEqual(
        [ownValue(written({ [place]: 1 })), othersValues(written({ local: 2, [place]: 1 }))],
        [undefined, [1]],
        place,
      );
    assert.equal(ownValue({ globalValue: 1 }), 1, 'where VS Code does not distinguish local and remote');
  });
});

test('[C36] a workspace can hide more files with files.exclude, and shows none that the user or the default hides', () => {
  const written = {
    defaultValue: { '**/.git': true, '**/Thumbs.db': true },
    globalLocalValue: { '**/private.txt': true, '**/Thumbs.db': false, '**/*.js': { when: '$(basename).ts' } },
    workspaceValue: { '**/private.txt': false, '**/.git': false, '**/*.js': false, out: true },
  };
  const merged = { ...written.defaultValue, ...written.globalLocalValue, ...written.workspaceValue };
  assert.deepEqual(excludeRules(written, merged), {
    '**/.git': true,
    '**/Thumbs.db': false,
    '**/private.txt': true,
    '**/*.js': { when: '$(basename).ts' },
    out: true,
  });
  assert.deepEqual(excludeRules(undefined, 'no rules'), {});
});

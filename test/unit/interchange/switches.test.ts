/**
 * Disabled servers and tools stay disabled on import, and switches that an app does not support are reported on export.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../../src/core/interchange/appFormats.js';
import { appFormats } from '../../../src/core/interchange/appFormats.js';
import { exportToFile } from '../../../src/core/interchange/exportFile.js';
import { importServers } from '../../../src/core/interchange/importFile.js';

const apps = Object.keys(appFormats) as AppId[];
const known = { workspaceFolder: '/w', userHome: '/home/me', pathSeparator: '/' };
const read = (app: AppId, raw: object) => {
  const { servers, losses } = importServers(appFormats[app], {
    path: [],
    inputs: undefined,
    servers: [{ name: 'a', raw: { command: 'x', ...raw } }],
  });
  return { fields: servers[0]?.fields, losses: losses.map(({ field, message }) => `${field}: ${message}`) };
};

for (const app of apps) {
  test(`a list of disabled tools that is invalid disables all of them, from ${appFormats[app].title} too`, () => {
    for (const odd of ['delete_file', 5, true, { delete_file: true }, ['delete_file', 5]]) {
      const { fields, losses } = read(app, { disabledTools: odd });
      assert.deepEqual(
        [fields?.['disabledTools'], losses],
        [['*'], ['disabledTools: The value must be a list of names. All tools of the server are disabled.']],
        JSON.stringify(odd),
      );
    }
    assert.deepEqual(read(app, { disabledTools: ['delete_*'] }), {
      fields: { command: 'x', disabledTools: ['delete_*'] },
      losses: [],
    });
  });

  test(`a server that is disabled in a file of ${appFormats[app].title} is disabled here`, () => {
    for (const off of [
      { disabled: true },
      { enabled: false },
      { disabled: false, enabled: false },
      { disabled: true, enabled: true },
      { disabled: 'no' },
    ]) {
      assert.equal(read(app, off).fields?.['disabled'], true, JSON.stringify(off));
    }
    assert.equal(read(app, { disabled: false }).fields?.['disabled'], false);
  });

  test(`switches that ${appFormats[app].title} does not support are reported before writing`, () => {
    const { losses } = exportToFile(
      appFormats[app],
      '',
      [{ name: 'a', fields: { command: 'x', disabled: true, disabledTools: ['t'] } }],
      known,
    );
    const { rules, title } = appFormats[app];
    const has = (field: string) => rules.some(({ ours }) => ours[0] === field);
    assert.deepEqual(
      losses.map(({ message }) => message),
      [
        ...(has('disabled')
          ? []
          : [`The server is disabled here, but the file of ${title} cannot disable a server: it will run there.`]),
        ...(has('disabledTools')
          ? []
          : [
              `The file of ${title} has no such list: the tools that are disabled in MCP Deck will be enabled in ${title}.`,
            ]),
      ],
    );
  });
}

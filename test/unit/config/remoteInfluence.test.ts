import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { ConfigSource, RemoteDefinition } from '../../../src/core/config/serverDefinition.js';
import { inspectStart } from '../../../src/core/config/startFacts.js';
import { inspectionContext } from '../../support/inspectionContext.js';
import { onlyPosix } from '../../support/platform.js';

const source: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };
const posix = onlyPosix('paths and links of POSIX');

test(
  '[C28] a remote server of the user needs a question if the workspace decides its URL or a file that it reads',
  posix,
  async () => {
    const top = await realpath(await mkdtemp(path.join(os.tmpdir(), 'influence-')));
    const [home, folder] = [path.join(top, 'home'), path.join(top, 'repo')];
    try {
      for (const made of [home, folder]) await mkdir(made);
      await writeFile(path.join(folder, 'vars.env'), 'A=1');
      const findRemote = (parts: Partial<RemoteDefinition>, inputs = new Map<string, string>()) =>
        inspectStart(
          {
            id: 'mine',
            definition: { type: 'http', url: 'https://example.com/mcp', headers: {}, ...parts },
            source,
            values: new Map(),
            inputs,
          },
          inspectionContext(home, [folder], {}),
        );
      await symlink(path.join(folder, 'vars.env'), path.join(home, 'linked.pem'));
      const cases: [Partial<RemoteDefinition>, boolean][] = [
        [{}, false],
        [{ caFile: path.join(home, 'ca.pem') }, false],
        [{ caFile: '${workspaceFolder}/ca.pem' }, true],
        [{ caFile: path.join(folder, 'ca.pem') }, true],
        [{ caFile: path.join(home, 'linked.pem') }, true],
        [{ caFile: '/etc/${workspaceFolderBasename}.pem' }, true],
        [{ oauth: { privateKeyFile: '${workspaceFolder}/key.pem' } }, true],
        [{ oauth: { tokenFile: path.join(folder, 'token') } }, true],
        [{ oauth: { idTokenFile: path.join(home, 'token') } }, false],
        [{ url: 'https://${workspaceFolderBasename}/mcp' }, true],
        [{ headers: { 'X-Folder': '${workspaceFolderBasename}' } }, false],
      ];
      for (const [parts, isInfluenced] of cases) {
        const found = await findRemote(parts);
        const { leadingFolder } = found.facts;
        assert.deepEqual(
          [found.isInfluencedByWorkspace, leadingFolder],
          [isInfluenced, isInfluenced ? folder : undefined],
          JSON.stringify(parts),
        );
      }
      for (const [value, isInfluenced] of [
        [path.join(folder, 'ca.pem'), true],
        [path.join(home, 'linked.pem'), true],
        [path.relative(home, path.join(folder, 'ca.pem')), true],
        [path.join(home, 'ca.pem'), false],
        ['${workspaceFolder}/ca.pem', false],
      ] as const)
        for (const parts of [
          { caFile: '${input:file}' },
          { oauth: { privateKeyFile: '${input:file}' } },
          { oauth: { tokenFile: '${input:file}' } },
          { oauth: { idTokenFile: '${input:file}' } },
        ]) {
          const found = await findRemote(parts, new Map([['file', value]]));
          assert.equal(found.isInfluencedByWorkspace, isInfluenced, `${JSON.stringify(parts)} ${value}`);
        }
    } finally {
      await rm(top, { recursive: true, force: true });
    }
  },
);

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { childEnvironment } from '../../../src/core/config/childEnvironment.js';

describe('[P10] a server inherits', () => {
  const parent = {
    PATH: '/bin',
    HOME: '/home/me',
    VSCODE_PID: '1',
    ELECTRON_RUN_AS_NODE: '1',
    GITHUB_TOKEN: 'x',
    LC_ALL: 'C',
    EVIL: '() { :;}',
    LANG: '() { :;}',
    Path: 'other',
  };
  const resolved = {
    type: 'stdio' as const,
    command: 'x',
    args: [],
    cwd: '/',
    env: { OWN: '1' },
    removedEnv: ['HOME'],
    secretValues: [],
  };

  const noSearch = { NoDefaultCurrentDirectoryInExePath: '1' };

  test('few variables on POSIX, and never removed ones', () => {
    assert.deepEqual(childEnvironment(parent, resolved, 'linux'), { PATH: '/bin', LC_ALL: 'C', OWN: '1' });
  });

  test('by case-insensitive name on Windows', () => {
    assert.deepEqual(
      childEnvironment(
        { Path: 'C:\\', windir: 'W', home: 'h', VSCODE_X: '1' },
        { ...resolved, env: { path: 'mine' }, removedEnv: [] },
        'win32',
      ),
      { ...noSearch, windir: 'W', path: 'mine' },
    );
  });

  test('on Windows that cmd.exe does not search its working directory, unless the definition says otherwise', () => {
    const own = { nodefaultcurrentdirectoryinexepath: '' };
    assert.deepEqual(
      [
        childEnvironment({}, { ...resolved, env: {} }, 'win32'),
        childEnvironment({}, { ...resolved, env: own }, 'win32'),
        childEnvironment({}, { ...resolved, env: {}, removedEnv: Object.keys(noSearch) }, 'win32'),
      ],
      [noSearch, own, {}],
    );
  });

  test('the last of two spellings of a configured name on Windows', () => {
    assert.deepEqual(
      childEnvironment({}, { ...resolved, env: { Path: 'file', PATH: 'own' }, removedEnv: [] }, 'win32'),
      { ...noSearch, PATH: 'own' },
    );
  });

  test('no variables that give access to keys of the user', () => {
    assert.deepEqual(childEnvironment({ SSH_AUTH_SOCK: '/tmp/agent' }, { ...resolved, env: {} }, 'linux'), {});
  });

  test('everything after opting in, except variables of the editor, shell functions and removed variables', () => {
    assert.deepEqual(childEnvironment(parent, resolved, 'linux', { inheritAll: true }), {
      PATH: '/bin',
      GITHUB_TOKEN: 'x',
      LC_ALL: 'C',
      Path: 'other',
      OWN: '1',
    });
  });

  test('no variables of the editor on Windows in any spelling', () => {
    assert.deepEqual(
      childEnvironment(
        { vscode_pid: '1', Electron_Run_As_Node: '1', OTHER: '2' },
        { ...resolved, env: {}, removedEnv: [] },
        'win32',
        { inheritAll: true },
      ),
      { ...noSearch, OTHER: '2' },
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { programEndings } from '../../../../src/core/transport/stdio/findCommand.js';
import { windowsCommand } from '../../../../src/core/transport/stdio/windowsCommand.js';

test('[P1] a program is started directly, with unchanged arguments', () => {
  assert.deepEqual(windowsCommand('C:\\node.exe', ['a b', '%PATH%', '&']), {
    command: 'C:\\node.exe',
    args: ['a b', '%PATH%', '&'],
    windowsVerbatimArguments: false,
  });
});

/** By its full path, regardless of COMSPEC and the working folder. */
const cmd = 'C:\\Windows\\System32\\cmd.exe';

describe('[P1] a batch file goes through cmd.exe with every special character escaped', () => {
  /** The text after the file name on the command line. */
  const argumentOf = (arg: string) => {
    const { command, args, windowsVerbatimArguments } = windowsCommand('npx.cmd', [arg]);
    assert.deepEqual([command, args.slice(0, 3), windowsVerbatimArguments], [cmd, ['/d', '/s', '/c'], true]);
    return args[3]?.replace(/^"\^"npx\.cmd\^" |"$/g, '');
  };
  const cases: [string, string][] = [
    ['plain', '^^^"plain^^^"'],
    ['a b', '^^^"a^^^ b^^^"'],
    ['a&b', '^^^"a^^^&b^^^"'],
    ['%PATH%', '^^^"^^^%PATH^^^%^^^"'],
    ['say "hi"', '^^^"say^^^ \\^^^"hi\\^^^"^^^"'],
    ['C:\\x\\', '^^^"C:\\x\\\\^^^"'],
    ['', '^^^"^^^"'],
  ];
  for (const [arg, expected] of cases) test(JSON.stringify(arg), () => assert.equal(argumentOf(arg), expected));
});

test('[P1] cmd.exe is the one of the system, not that of COMSPEC', () => {
  const before = process.env['COMSPEC'];
  process.env['COMSPEC'] = 'C:\\evil.exe';
  try {
    assert.equal(windowsCommand('npx.cmd', []).command, cmd);
  } finally {
    if (before === undefined) delete process.env['COMSPEC'];
    else process.env['COMSPEC'] = before;
  }
});

test('[P1] a line break cannot be given to a batch file, and its value is not repeated', () => {
  assert.throws(
    () => windowsCommand('npx.cmd', ['secret\ncalc']),
    (error: Error & { code?: string }) => error.code === 'bad-configuration' && !error.message.includes('secret'),
  );
});

test('[P2] a bare name on Windows is never the shell script next to the batch file', () => {
  assert.deepEqual(
    [programEndings('npx', '.EXE;.CMD'), programEndings('npx.cmd', '.EXE;.CMD')],
    [
      ['.EXE', '.CMD'],
      ['', '.EXE', '.CMD'],
    ],
  );
});

/**
 * Runs the suite that debugs Python servers with the real debugpy:
 *
 *   npm run test:python [-- --grep=part of a name]
 *
 * Python and debugpy are not in the npm registry and must be installed: `MCP_DECK_PYTHON` is the path of a Python with
 * debugpy (for example in a virtual environment); without it, `python3` or `python` on PATH is used.
 */
import { spawnSync } from 'node:child_process';
import { runVsCodeTests } from './runVsCodeTests.mjs';

/** Prints as JSON: the path of this Python, the folder of its debugpy, and the `debugpy` program beside it. */
const question = `
import json, os, shutil, sys, sysconfig, debugpy
print(json.dumps({
    "MCP_DECK_PYTHON": sys.executable,
    "MCP_DECK_DEBUGPY": os.path.dirname(debugpy.__file__),
    "MCP_DECK_DEBUGPY_PROGRAM": shutil.which("debugpy", path=sysconfig.get_path("scripts")),
    "version": f"Python {sys.version.split()[0]}, debugpy {debugpy.__version__}",
}))`;

function findPython() {
  const named = process.env.MCP_DECK_PYTHON;
  const seen = [];
  for (const program of named ? [named] : ['python3', 'python']) {
    const { status, stdout, stderr, error } = spawnSync(program, ['-c', question], { encoding: 'utf8' });
    if (status === 0) return JSON.parse(stdout);
    seen.push(`  ${program}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  }
  throw new Error(
    `These tests need Python with debugpy, which was not found:\n${seen.join('\n')}\nInstall debugpy into a virtual environment (pip install debugpy) and set MCP_DECK_PYTHON to its Python.`,
  );
}

try {
  const { version, ...env } = findPython();
  if (env.MCP_DECK_DEBUGPY_PROGRAM === null)
    throw new Error(`The program "debugpy" is not beside ${env.MCP_DECK_PYTHON}: install debugpy 1.8.9 or later.`);
  console.log(version);
  const grep = process.argv.find((one) => one.startsWith('--grep='))?.slice('--grep='.length);
  process.exitCode = (await runVsCodeTests(['python'], { grep, env })) > 0 ? 1 : 0;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

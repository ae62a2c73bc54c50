/**
 * Environments for child processes, without what a parent left behind.
 *
 * `npm test` hands its own configuration to every child as `npm_config_*`: an inner `npm install` would take
 * `prefix`, `workspace` or `ignore-scripts` from it and install somewhere else. A terminal inside VS Code sets
 * `VSCODE_*` and `ELECTRON_*`, with which an inner VS Code talks to the outer one.
 */
const keptNpmSettings =
  /^npm_config_(registry|cache|(http_|https_|no)?-?proxy|cafile|ca|cert|key|strict_ssl|userconfig|globalconfig|.*:registry|\/\/.*)$/i;

/** The environment of this process for an inner `npm`: where packages come from stays, how they are installed goes. */
export function envForNpm() {
  return filterEnv((name) => keptNpmSettings.test(name) || !isFromNpm(name));
}

/** The environment of this process for an inner VS Code or browser. */
export function envForVsCode() {
  return filterEnv((name) => !isFromNpm(name) && !/^(VSCODE|ELECTRON)_/i.test(name));
}

/** The name under which PATH stands in `env` (`Path` on Windows). */
export function pathKey(env) {
  return Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
}

function isFromNpm(name) {
  return /^npm_/i.test(name) || name === 'INIT_CWD';
}

function filterEnv(isKept) {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)));
}

/**
 * Environments for child processes, without variables inherited from parent tools.
 *
 * `npm test` passes its own configuration to every child as `npm_config_*`: an inner `npm install` would read `prefix`,
 * `workspace` or `ignore-scripts` from it and install into another folder. A terminal inside VS Code sets `VSCODE_*`
 * and `ELECTRON_*`, which connect an inner VS Code to the outer one.
 */
const keptNpmSettings =
  /^npm_config_(registry|cache|(http_|https_|no)?-?proxy|cafile|ca|cert|key|strict_ssl|userconfig|globalconfig|.*:registry|\/\/.*)$/i;

/** The environment of this process for an inner `npm`: keeps the registry settings, removes the install settings. */
export function envForNpm() {
  return filterEnv((name) => keptNpmSettings.test(name) || !isFromNpm(name));
}

/** The environment of this process for an inner VS Code or browser. */
export function envForVsCode() {
  return filterEnv((name) => !isFromNpm(name) && !/^(VSCODE|ELECTRON)_/i.test(name));
}

/** The name of the PATH variable in `env` (`Path` on Windows). */
export function pathKey(env) {
  return Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
}

function isFromNpm(name) {
  return /^npm_/i.test(name) || name === 'INIT_CWD';
}

function filterEnv(isKept) {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name)));
}

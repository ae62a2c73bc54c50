/**
 * Environment variables that make a harmless program load, or fetch from, something else, or send what it does through
 * somebody else: preloaded code, folders of code and of settings, package sources, proxies, certificate authorities.
 */
const loaders: readonly RegExp[] = [
  // The dynamic linker, shells, and where programs and settings are looked for.
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|BASH_ENV|ENV|ZDOTDIR|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|COMSPEC|PATHEXT|PATH|HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|XDG_\w+_(?:HOME|DIRS)|IFS|TMPDIR)$/,
  // Proxies and certificates.
  /^(?:(?:HTTPS?|ALL|FTP|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|OPENSSL_CONF|OPENSSL_MODULES|CURL_HOME|WGETRC)$/,
  // JavaScript.
  /^(?:NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_REPL_EXTERNAL_MODULE|NPM_CONFIG_\w+|YARN_\w+|PNPM_\w+|COREPACK_\w+|BUN_\w+|DENO_\w+|TS_NODE_\w+|TSX_\w+)$/,
  // Python.
  /^(?:PYTHON(?:STARTUP|PATH|HOME|USERBASE|PLATLIBDIR|EXECUTABLE|BREAKPOINT|WARNINGS|INSPECT|PYCACHEPREFIX)|PIP_\w+|PIPX_\w+|UV_\w+|VIRTUAL_ENV|CONDA_\w+|POETRY_\w+)$/,
  // Java, .NET, Ruby, Perl, PHP, Go, Rust, Lua.
  /^(?:_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|JAVA_HOME|CLASSPATH|MAVEN_\w+|GRADLE_\w+|DOTNET_\w+|CORECLR_\w+|COR_\w+|NUGET_\w+|RUBYOPT|RUBYLIB|GEM_\w+|BUNDLE_\w+|PERL5OPT|PERL5LIB|PERL5DB|PERLLIB|PHPRC|PHP_INI_SCAN_DIR|GOPROXY|GOFLAGS|GOENV|GOSUMDB|GONOSUMDB|GOINSECURE|CARGO_\w+|RUSTC\w*|RUSTFLAGS|LUA_(?:INIT|PATH|CPATH)\w*)$/,
  // Programs that others run.
  /^(?:GIT_\w+|SSH_ASKPASS|EDITOR|VISUAL|PAGER|BROWSER|DOCKER_\w+|KUBECONFIG|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE|ELECTRON_RUN_AS_NODE)$/,
];
/** Names longer than this are none of these. */
const maxNameLength = 100;

/**
 * Whether a variable of this name can change what a program loads, fetches or trusts; upper and lower case are the
 * same.
 */
export function isLoaderVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return name.length <= maxNameLength && loaders.some((pattern) => pattern.test(upper));
}

/**
 * The warning about such variables; none where there is no such name. @param where the file that sets them, absent
 * for the definition itself.
 */
export function loaderWarning(names: readonly string[], where?: string): string[] {
  const found = names.filter(isLoaderVariable);
  if (found.length === 0) return [];
  return [
    where === undefined
      ? `It changes what programs load, fetch or trust (${found.join(', ')}).`
      : `${where} changes what programs load, fetch or trust (${found.join(', ')}).`,
  ];
}

import { t } from '@vscode/l10n';

/**
 * Environment variables that make a harmless program load or download other code, or that redirect its connections:
 * preloaded code, folders of code and settings, package sources, proxies, certificate authorities.
 */
const exact: readonly RegExp[] = [
  // Shells, and the search paths of programs and settings.
  /^(?:BASH_ENV|ENV|ZDOTDIR|FPATH|CDPATH|INPUTRC|SHELL|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|COMSPEC|SYSTEMROOT|WINDIR|PROGRAMDATA|BASH_LOADABLES_PATH|PATHEXT|PATH|PSMODULEPATH|HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|IFS|TMPDIR|TEMP|TMP)$/,
  // Variables of the C library and of desktop libraries.
  /^(?:GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|GLIBC_TUNABLES|TERMINFO|GTK_MODULES|GTK_PATH|GI_TYPELIB_PATH|LIBPATH|SHLIB_PATH|SASL_PATH|VK_ICD_FILENAMES|GIO_EXTRA_MODULES|GST_PLUGIN_PATH|QT_PLUGIN_PATH|QML2_IMPORT_PATH)$/,
  // Proxies and certificates.
  /^(?:(?:HTTPS?|ALL|FTP|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|SSLKEYLOGFILE|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|OPENSSL_(?:CONF|MODULES|ENGINES)|CURL_HOME|WGETRC|KRB5_CONFIG|ODBCSYSINI|ODBCINI|GRPC_DEFAULT_SSL_ROOTS_FILE_PATH|HTTPLIB2_CA_CERTS)$/,
  // JavaScript.
  /^NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|REPL_EXTERNAL_MODULE|COMPILE_CACHE|ICU_DATA|USE_ENV_PROXY)$/,
  // Python.
  /^(?:PYTHON(?:STARTUP|PATH|HOME|USERBASE|PLATLIBDIR|EXECUTABLE|BREAKPOINT|WARNINGS|INSPECT|PYCACHEPREFIX|SAFEPATH|CASEOK)|__PYVENV_LAUNCHER__|VIRTUAL_ENV|WORKON_HOME)$/,
  // Java, Ruby, Perl, PHP, Go, Rust, Lua, Guile, Tcl.
  /^(?:_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|JAVA_(?:HOME|OPTS)|JRE_HOME|JRUBY_OPTS|MONO_PATH|CLASSPATH|RUBYOPT|RUBYLIB|RUBYSHELL|RUBYPATH|IRBRC|PERL5OPT|PERL5LIB|PERL5DB|PERLLIB|PHPRC|PHP_INI_SCAN_DIR|RUSTC\w*|RUSTFLAGS|TCLLIBPATH|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS)$/,
  /^GO(?:PROXY|FLAGS|ENV|SUMDB|NOSUMDB|INSECURE|PATH|ROOT|BIN|TOOLCHAIN|WORK|VCS|PRIVATE|NOPROXY)$/,
  // Variables that contain programs that other programs start, or files that refer to such programs.
  /^(?:(?:SSH|SUDO)_ASKPASS|EDITOR|VISUAL|(?:MAN)?PAGER|LESSOPEN|LESSCLOSE|BROWSER|KUBECONFIG|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE|GOOGLE_APPLICATION_CREDENTIALS|PUPPETEER_EXECUTABLE_PATH|CHROME_PATH|SE_MANAGER_PATH|ANSIBLE_CONFIG)$/,
];
/** Endings of names that mean a program, code that a program loads, or authorities that it trusts. */
const endings = /_(?:BINARY|LIBRARY|PLUGIN|ENGINE|PRELOAD)(?:_(?:PATH|FILE))?$|_CA_(?:BUNDLE|CERTS?|FILE|PATH)$/;
/** Prefixes of variable families. */
const families =
  /^(?:LD_|DYLD_|BASH_FUNC_|COMPLUS_|XDG_\w+_(?:HOME|DIRS)$|NPM_CONFIG_|YARN_|PNPM_|COREPACK_|BUN_|DENO_|TS_NODE_|TSX_|NVM_|FNM_|VOLTA_|PIP_|PIPX_|PIPENV_|UV_|CONDA_|MAMBA_|POETRY_|PDM_|HATCH_|PYENV_|MAVEN_|GRADLE_|DOTNET_|CORECLR_|COR_|NUGET_|MSBUILD|GEM_|BUNDLE_|RBENV_|COMPOSER_|CARGO_|RUSTUP_|R_(?:PROFILE|ENVIRON|LIBS|HOME)|JULIA_|ERL_|ELIXIR_|MIX_|LUA_|GUILE_|NIX_|ASDF_|MISE_|GIT_|DOCKER_|ELECTRON_|PLAYWRIGHT_)/;
/** Maximum number of characters of a name that are checked. */
const maxNameLength = 100;

/** Whether a variable with this name can change what a program loads, downloads or trusts. Ignores case. */
export function isLoaderVariable(name: string): boolean {
  const upper = name.slice(0, maxNameLength).toUpperCase();
  return families.test(upper) || endings.test(upper) || exact.some((pattern) => pattern.test(upper));
}

/** A use of an environment variable by a shell or by code, with its name. */
const shellVariable =
  /(?:\$\{|\$env:|[$%!]|\benv\.|\benv(?:iron)?\[["']|\b(?:getenv|environ\.get)\(["']|\bprintenv\s)([a-z_]\w*)/gi;

/** The environment variables that a command line uses, in lower case. Their values can be code, also those of secrets. */
export function variablesOfShell(words: readonly string[]): Set<string> {
  return new Set(words.flatMap((word) => [...word.matchAll(shellVariable)].map(([, name = '']) => name.toLowerCase())));
}

/**
 * The warning about variables that can change what programs load; empty if there are none.
 * @param file the file that sets them; absent if the definition itself sets them.
 */
export function loaderWarning(names: readonly string[], file?: string): string[] {
  const found = names.filter(isLoaderVariable);
  if (found.length === 0) return [];
  return [
    file === undefined
      ? t('It sets variables that change what programs load, download, or trust: {0}.', found.join(', '))
      : t(
          'The file {0} sets variables that change what programs load, download, or trust: {1}.',
          file,
          found.join(', '),
        ),
  ];
}

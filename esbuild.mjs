// Builds everything for each runtime:
//   node esbuild.mjs                production: the minified package files and the bundles for tests and benchmarks
//   node esbuild.mjs --dev          the same with source maps, not minified
//   node esbuild.mjs --dev --watch  rebuilds on change (for F5)
//   node esbuild.mjs --only=ship    only the files of the VSIX
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, context } from 'esbuild';
import { besideYaml, clientHalf, inParts, libraryFiles, ownFiles, tokensApart } from './esbuild.libraries.mjs';
import { writeDocs } from './esbuild.docs.mjs';
import { writeNotices } from './esbuild.notices.mjs';

const flags = new Set(process.argv.slice(2));
const isDev = flags.has('--dev');
const isWatch = flags.has('--watch');
const shipOnly = flags.has('--only=ship');

/** All files in `folder` and its subfolders whose name ends with `suffix`. */
function filesBelow(folder, suffix) {
  let found = [];
  try {
    found = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return []; // this folder has no tests yet
  }
  return found.filter((file) => file.endsWith(suffix)).map((file) => path.join(folder, file));
}

/** The browser build of `@vscode/l10n`, because it is an ES module that works in every runtime and reads no files. */
const texts = { '@vscode/l10n': path.resolve('node_modules/@vscode/l10n/dist/browser.js') };
const common = {
  bundle: true,
  target: 'node20',
  platform: 'node',
  logLevel: 'warning',
  legalComments: 'none',
  mainFields: ['module', 'main'],
  alias: texts,
  minify: !isDev,
  sourcemap: isDev ? 'linked' : false,
};
/**
 * Makes all files share one `vscode` object. Otherwise esbuild copies the API, with some 500 members, for each file
 * with `import * as vscode`.
 */
const oneVsCode = {
  name: 'one vscode',
  setup({ initialOptions: { outdir, entryPoints }, onEnd }) {
    const files = Object.keys(entryPoints).map((name) => path.join(outdir, `${name}.js`));
    onEnd(() => {
      for (const file of files)
        writeFileSync(file, readFileSync(file, 'utf8').replace(/[\w$]+\(require\("vscode"\)\)/g, 'require("vscode")'));
    });
  },
};
// Bundled CommonJS packages call require() for modules of Node.
const requireBanner = {
  js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
};

/** The version in package.json, for programs outside of VS Code. */
const define = { deckVersion: JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).version) };

/** The pages that share the files `dist/webview/shared1.js`, `shared2.js` and so on. */
const sharing = new Set(['toolPanel', 'server', 'formRequest', 'sampling', 'gallery']);

/** Numbers the shared files by their size, because names with a hash would change with each build. */
const numberedShares = {
  name: 'numbered shared files',
  setup({ initialOptions: { outdir }, onEnd }) {
    onEnd(() => {
      const files = readdirSync(outdir).filter((name) => name.endsWith('.js'));
      const sizeOf = (name) => statSync(path.join(outdir, name)).size;
      const hashed = files.filter((name) => /^shared-\w{8}\.js$/.test(name)).sort((a, b) => sizeOf(b) - sizeOf(a));
      const numberOf = new Map(hashed.map((name, index) => [name, `shared${index + 1}.js`]));
      for (const name of files) {
        const file = path.join(outdir, name);
        const text = readFileSync(file, 'utf8');
        const named = text.replace(/shared-\w{8}\.js/g, (found) => numberOf.get(found) ?? found);
        if (named !== text) writeFileSync(file, named);
      }
      for (const [name, number] of numberOf) renameSync(path.join(outdir, name), path.join(outdir, number));
    });
  },
};

/** The styles of the icons are one file, which the styles of each page import, because they are 6 kB in the package. */
const iconStyles = '@vscode/codicons/dist/codicon.css';
const oneIconStyle = {
  name: 'one file of icon styles',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /codicon\.css$/ }, ({ kind, path: name }) => {
      if (kind === 'import-statement') return { path: name, namespace: 'icons' };
      return kind === 'import-rule' ? { path: './codicon.css', external: true } : undefined;
    });
    // The page *Find a Server* has the styles of the page with a form, which are one file for both.
    onResolve({ filter: /^\.\/formRequest\.css$/ }, ({ path: name }) => ({ path: name, external: true }));
    onLoad({ filter: /./, namespace: 'icons' }, () => ({ contents: `@import '${iconStyles}';`, loader: 'css' }));
  },
};

/** Builds the pages that fit. */
function pages(fits) {
  const folders = filesBelow('src/webview', 'main.ts').map((file) => ({
    file,
    name: path.basename(path.dirname(file)),
  }));
  return {
    ...common,
    entryPoints: [
      ...folders.filter(fits).map(({ file, name }) => ({ in: file, out: name })),
      { in: iconStyles, out: 'codicon' },
    ],
    outdir: 'dist/webview',
    format: 'esm',
    platform: 'browser',
    target: 'chrome128',
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    plugins: [oneIconStyle],
  };
}

// VS Code loads CommonJS. The composition root is a separate bundle, so that activation loads nothing else.
const shipped = [
  {
    ...common,
    entryPoints: { extension: 'src/extension.ts' },
    outdir: 'dist',
    format: 'cjs',
    external: ['vscode'],
    plugins: [oneVsCode],
  },
  {
    ...common,
    entryPoints: { deck: 'src/vscode/deck.ts' },
    outdir: 'dist',
    format: 'cjs',
    external: ['vscode'],
    ...inParts,
    plugins: [...inParts.plugins, oneVsCode],
  },
  { ...common, ...libraryFiles, outdir: 'dist/lib', format: 'cjs' },
  { ...common, ...ownFiles, outdir: 'dist/lib', format: 'cjs' },
  // Run in worker threads.
  {
    ...common,
    entryPoints: {
      tokens: 'src/core/present/text/tokenWorker.ts',
      fuzzArguments: 'src/core/testing/checks/fuzz/fuzzWorker.ts',
    },
    outdir: 'dist/lib',
    format: 'cjs',
    // The table of tokens has 200,000 characters that would be escaped.
    charset: 'utf8',
  },
  {
    ...common,
    entryPoints: { testReader: 'src/core/testing/readWorker.ts' },
    outdir: 'dist/lib',
    format: 'cjs',
    ...besideYaml,
  },
  // The door runs outside of VS Code, so it contains all that it needs.
  {
    ...common,
    entryPoints: { door: 'src/cli/door.ts' },
    outdir: 'dist',
    format: 'cjs',
    define,
    outExtension: { '.js': '.cjs' },
    sourcemap: false,
  },
  // Webview pages: one folder for each page, with the styles that its main.ts imports. The pages with forms, results or
  // Markdown share files, which are most of their size.
  {
    ...pages(({ name }) => sharing.has(name)),
    splitting: true,
    chunkNames: 'shared-[hash]',
    plugins: [oneIconStyle, numberedShares],
  },
  pages(({ name }) => !sharing.has(name)),
  // The styles of the icons are 30 kB, so they are one file for all pages.
  {
    ...pages(() => false),
    entryPoints: [{ in: '@vscode/codicons/dist/codicon.css', out: 'codicon' }],
  },
];

// `vscode` is not external here, so the build fails if core imports it.
const headless = {
  ...common,
  format: 'esm',
  alias: { ...texts, ...clientHalf },
  banner: requireBanner,
  minify: true,
  sourcemap: false,
};
const measured = [
  {
    ...headless,
    define,
    entryPoints: {
      headless: 'src/core/index.ts',
      'form-model': 'src/core/formModel.ts',
      tokens: 'src/core/present/text/o200k.ts',
      'tool-search': 'src/core/search/createIndex.ts',
      'server-json': 'src/core/gallery/define.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    plugins: [tokensApart],
  },
  // The command line serves WebSockets, so it has both halves of `ws`.
  {
    ...headless,
    alias: texts,
    define,
    entryPoints: { cli: 'src/cli/cli.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    plugins: [tokensApart],
  },
  // A client on standard streams waits for the start of this program, so what is loaded on first use is in other files.
  {
    ...headless,
    define,
    entryPoints: { gateway: 'src/cli/gateway.ts' },
    outdir: 'dist',
    splitting: true,
    chunkNames: 'gateway/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
  },
  // The benchmark adapter in two builds: split into the same files as the package, and as one file for benchmarks that
  // load adapters with import().
  {
    ...common,
    entryPoints: { 'bench-adapter': 'test/bench/adapter.ts' },
    outdir: 'dist',
    format: 'cjs',
    minify: true,
    sourcemap: false,
    ...inParts,
  },
  {
    ...headless,
    entryPoints: { 'bench-adapter': 'test/bench/adapter.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
  },
  {
    ...headless,
    entryPoints: {
      'conformance-client': 'test/conformance/client.ts',
      'bench-rules': 'test/bench/rules.ts',
      'bench-test-files': 'test/bench/testFiles.ts',
      'bench-trace': 'test/bench/trace.ts',
      'bench-registry': 'test/bench/registry.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
  },
];

const testCommon = { ...common, minify: false, sourcemap: 'inline' };
const unitTests = filesBelow('test/unit', '.test.ts');
const tests = [
  {
    ...testCommon,
    entryPoints: unitTests,
    outdir: 'dist/test/unit',
    outbase: 'test/unit',
    format: 'esm',
    splitting: true,
    outExtension: { '.js': '.mjs' },
    banner: requireBanner,
  },
  {
    ...testCommon,
    entryPoints: {
      fixtureServer: 'test/conformance/fixtureServer.ts',
      soak: 'test/bench/soak.ts',
      lists: 'test/bench/lists.ts',
      codeCacheStart: 'test/unit/codeCacheStart.ts',
      codeCache: 'src/vscode/codeCache.ts',
      memoryChild: 'test/support/memoryChild.ts',
      doorWindowChild: 'test/support/doorWindowChild.ts',
      frontMemoryChild: 'test/support/frontMemoryChild.ts',
    },
    outdir: 'dist/test',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    banner: requireBanner,
  },
  {
    ...testCommon,
    entryPoints: filesBelow('test/vscode', 'index.ts').map((file) => ({
      in: file,
      out: path.basename(path.dirname(file)),
    })),
    outdir: 'dist/test/vscode',
    format: 'cjs',
    external: ['vscode'],
    outExtension: { '.js': '.cjs' },
  },
  {
    ...testCommon,
    entryPoints: { window: 'test/bench/window/index.ts', 'window-trace': 'test/bench/window/trace.ts' },
    outdir: 'dist/test/bench',
    format: 'cjs',
    external: ['vscode'],
    outExtension: { '.js': '.cjs' },
  },
];

if (!isWatch) rmSync('dist', { recursive: true, force: true });
writeDocs();
const others = shipOnly ? [] : [...measured, ...tests];
if (isWatch) {
  for (const options of [...shipped, ...others]) await (await context(options)).watch();
} else {
  const metafiles = [];
  for (const options of shipped) metafiles.push((await build({ ...options, metafile: true })).metafile);
  writeNotices(metafiles);
  for (const options of others) await build(options);
}

// Bundles the libraries that are loaded on first use into separate files, `dist/lib/*.js`, because V8 parses a whole
// file before it runs any of it.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Bundles only the client of `ws`, because only the command line and tests use its server. */
export const clientHalf = { ws: path.resolve('node_modules/ws/lib/websocket.js') };

/** Maps each imported module to the bundle that contains it. */
const fileOf = {
  './ajvParts.js': 'ajv',
  'ajv/dist/2020.js': 'ajv',
  eventsource: 'eventsource',
  ws: 'ws',
  yaml: 'yaml',
  yauzl: 'yauzl',
  './createIndex.js': 'search',
  '../../../core/gateway/onDemand.js': 'gateway',
  '../../../core/testing/onDemand.js': 'testing',
};

/** Names of the bundles. */
export const libraryNames = [...new Set(Object.values(fileOf))];

/** The parts of our own code that are loaded on first use. */
const ownNames = ['gateway', 'testing'];

/**
 * Excludes the libraries from a bundle. The bundle loads them from the folder `lib/` beside it. Each import() becomes a
 * require(), which loads synchronously.
 */
export const inParts = {
  supported: { 'dynamic-import': false },
  plugins: [
    {
      name: 'libraries apart',
      setup: ({ onResolve }) =>
        onResolve({ filter: /./ }, ({ path: name }) =>
          Object.hasOwn(fileOf, name) ? { path: `./lib/${fileOf[name]}.js`, external: true } : undefined,
        ),
    },
  ],
};

/**
 * The text of the bundle with ajv. Loading the bundle runs no ajv code. `ajvParts` runs the parts one by one, so that
 * the caller can yield between them.
 */
const ajv = `exports.ajvParts = require('./src/core/schema/ajvParts.ts').ajvParts;
Object.defineProperty(exports, 'Ajv2020', { enumerable: true, get: () => require('ajv/dist/2020.js').Ajv2020 });`;

const contentsOf = { ajv, search: "module.exports = require('./src/core/search/createIndex.ts');" };

/** The bundles: their entry points and sources. */
export const libraryFiles = {
  entryPoints: Object.fromEntries(
    libraryNames.filter((name) => !ownNames.includes(name)).map((name) => [name, `library:${name}`]),
  ),
  supported: { 'dynamic-import': false },
  plugins: [
    {
      name: 'library files',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^library:/ }, ({ path: name }) => ({
          path: name.slice('library:'.length),
          namespace: 'library',
        }));
        onLoad({ filter: /./, namespace: 'library' }, ({ path: name }) => ({
          contents: contentsOf[name] ?? `module.exports = require(${JSON.stringify(clientHalf[name] ?? name)});`,
          resolveDir: path.resolve('.'),
        }));
      },
    },
  ],
};

/** Loads `yaml` from its own file, for bundles in `dist/lib`. */
export const besideYaml = {
  plugins: [
    {
      name: 'yaml beside',
      setup: ({ onResolve }) => onResolve({ filter: /^yaml$/ }, () => ({ path: './yaml.js', external: true })),
    },
  ],
};

/** The encoding of tokens is 2 MB, so the command line loads it from its own file, `tokens.mjs` beside the bundle. */
export const tokensApart = {
  name: 'tokens apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/o200k\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './tokens.mjs', external: true } : undefined,
    ),
};

/** The modules that `src/vscode/sharedModules.ts` passes on from `dist/deck.js`, as paths below `src/core`. */
const sharedPaths = [...readFileSync('src/vscode/sharedModules.ts', 'utf8').matchAll(/^ {2}'(.+)': \w+,$/gm)].map(
  ([, name]) => name,
);

/**
 * The bundles of our own parts. Their shared modules come from `dist/deck.js`, which is loaded whenever these bundles
 * are.
 */
export const ownFiles = {
  entryPoints: Object.fromEntries(ownNames.map((name) => [name, `src/core/${name}/onDemand.ts`])),
  supported: { 'dynamic-import': false },
  external: ['../deck.js', './search.js', './yaml.js'],
  plugins: [
    {
      name: 'shared modules',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^yaml$/ }, () => ({ path: './yaml.js', external: true }));
        onResolve({ filter: /^@vscode\/l10n$/ }, ({ path: name }) => ({ path: name, namespace: 'shared' }));
        onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir, namespace }) => {
          if (namespace !== 'file') return undefined;
          if (fileOf[name] === 'search') return { path: './search.js', external: true };
          const file = path.relative(path.resolve('src/core'), path.resolve(resolveDir, name)).replace(/\.js$/, '');
          const shared = file.replaceAll(path.sep, '/');
          return sharedPaths.includes(shared) ? { path: shared, namespace: 'shared' } : undefined;
        });
        onLoad({ filter: /./, namespace: 'shared' }, ({ path: name }) => ({
          contents: `module.exports = require('../deck.js').sharedModules[${JSON.stringify(name)}];`,
          resolveDir: path.resolve('.'),
        }));
      },
    },
  ],
};

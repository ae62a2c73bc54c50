// Bundles the libraries that are loaded on first use into separate files, `dist/lib/*.js`, because V8 parses a whole
// file before it runs any of it.
import path from 'node:path';

/** Bundles only the client of `ws`, because only tests use its server. */
export const clientHalf = { ws: path.resolve('node_modules/ws/lib/websocket.js') };

/** Maps each imported module to the bundle that contains it. */
const fileOf = {
  './ajvParts.js': 'ajv',
  'ajv/dist/2020.js': 'ajv',
  eventsource: 'eventsource',
  ws: 'ws',
  yaml: 'yaml',
};

/** Names of the bundles. */
export const libraryNames = [...new Set(Object.values(fileOf))];

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

/** The bundles: their entry points and sources. */
export const libraryFiles = {
  entryPoints: Object.fromEntries(libraryNames.map((name) => [name, `library:${name}`])),
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
          contents: name === 'ajv' ? ajv : `module.exports = require(${JSON.stringify(clientHalf[name] ?? name)});`,
          resolveDir: path.resolve('.'),
        }));
      },
    },
  ],
};

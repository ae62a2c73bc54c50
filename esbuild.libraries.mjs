// How libraries ship: those that are loaded when they are first used are files of their own, `dist/lib/*.js`, since V8 reads
// a whole file before it runs any of it.
import path from 'node:path';

/** The client half of `ws` alone: its servers are for tests. */
export const clientHalf = { ws: path.resolve('node_modules/ws/lib/websocket.js') };

/** What a bundle imports, and the file that has it. */
const fileOf = {
  './ajvParts.js': 'ajv',
  'ajv/dist/2020.js': 'ajv',
  eventsource: 'eventsource',
  ws: 'ws',
  yaml: 'yaml',
};

/** Names of the files. */
export const libraryNames = [...new Set(Object.values(fileOf))];

/** Leaves the libraries out of a bundle, which finds them in `lib/` beside it; import() becomes require(), which does so at once. */
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

/** Opening the file runs nothing of ajv: its parts do that, one by one. */
const ajv = `exports.ajvParts = require('./src/core/schema/ajvParts.ts').ajvParts;
Object.defineProperty(exports, 'Ajv2020', { enumerable: true, get: () => require('ajv/dist/2020.js').Ajv2020 });`;

/** The files: entry points, and where they come from. */
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

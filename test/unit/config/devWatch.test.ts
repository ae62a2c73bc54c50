import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { devWatchOf, readDevWatch, withoutWatch } from '../../../src/core/config/dev.js';
import { parseConfigText } from '../../../src/core/config/parseConfig.js';
import { portableDefinition } from '../../../src/core/interchange/portableDefinition.js';
import { fileSource } from '../../support/serverViews.js';

function parsed(dev: unknown) {
  const { servers, problems } = parseConfigText(
    JSON.stringify({ servers: { s: { command: 'node', dev } } }),
    fileSource,
  );
  const [server] = servers;
  assert.ok(server);
  return { server, problems: problems.map(({ message }) => message) };
}

describe('"dev.watch" of a definition', () => {
  test('is one pattern or a list, as in VS Code', () => {
    for (const [written, read] of [
      ['src/**', ['src/**']],
      [
        ['./a', '!./b', '**/*.py'],
        ['a', '!b', '**/*.py'],
      ],
      [[], []],
      [null, []],
      [undefined, []],
    ] as const) {
      const { server, problems } = parsed({ watch: written, debug: { type: 'node' } });
      assert.deepEqual([devWatchOf(server.definition), problems], [read, []]);
    }
  });

  test('that is invalid watches nothing, and is a problem at its position', () => {
    for (const watch of [7, '', [''], ['a', 3], { a: 1 }, ['!a'], '!', '!!a', Array.from({ length: 101 }, () => 'a')]) {
      const { server, problems } = parsed({ watch });
      assert.deepEqual(devWatchOf(server.definition), []);
      assert.match(problems.join(), /^"dev\.watch"/, JSON.stringify(watch));
    }
  });

  test('is kept unchanged on export, with its sibling fields', () => {
    const dev = { watch: ['./src/**'], debug: { type: 'debugpy' }, other: 1 };
    const { server } = parsed(dev);
    assert.deepEqual(
      portableDefinition({ name: 's', definition: server.definition, source: fileSource, isEnabled: true }).fields[
        'dev'
      ],
      dev,
    );
  });

  test('does not affect the started command', () => {
    const text = (dev: unknown) => JSON.stringify(withoutWatch(parsed(dev).server.definition));
    assert.equal(text({ watch: 'a' }), text({ watch: ['b', '!c'] }));
    assert.notEqual(text({ debug: 1 }), text({ debug: 2 }));
  });

  test('never throws for any value', () => {
    fc.assert(fc.property(fc.jsonValue(), (dev) => void readDevWatch(dev)));
    fc.assert(fc.property(fc.jsonValue(), (watch) => void readDevWatch({ watch })));
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  askedInputs,
  defaultValues,
  filledServer,
  hasForeignVariable,
  inputsSchema,
  suggestedName,
} from '../../../../src/core/present/gallery/installForm.js';
import { define } from '../../../../src/core/gallery/define.js';
import { isRead, previewOf } from '../../../../src/core/present/gallery/preview.js';
import { digestWarning } from '../../../../src/core/present/gallery/installOptions.js';

const from = { name: 'io.example/weather', version: '1.4.0' };
const weather = {
  name: from.name,
  packages: [
    {
      registryType: 'npm',
      identifier: '@example/weather',
      version: '1.4.0',
      transport: { type: 'stdio' },
      packageArguments: [
        { type: 'named', name: '--units', choices: ['metric', 'imperial'], default: 'metric' },
        { type: 'positional', valueHint: 'cache', format: 'filepath' },
        { type: 'named', name: '--place', valueHint: 'name', isRepeated: true },
      ],
      environmentVariables: [
        { name: 'WEATHER_KEY', description: 'The key\u202e', isRequired: true, isSecret: true },
        { name: 'WEATHER_LIMIT', format: 'number', default: '100' },
        { name: 'WEATHER_DEBUG', format: 'boolean' },
      ],
    },
  ],
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{region}.example.com/mcp',
      variables: { region: { isRequired: true, choices: ['eu', 'us'] } },
      headers: [{ name: 'Authorization', value: 'Bearer {token}' }],
    },
  ],
};
const fill = (option: string, values: Record<string, unknown>) =>
  filledServer(weather, option, values, { name: 'weather', place: 'https://r.example', from });
const filled = (option: string, values: Record<string, unknown>) => {
  const result = fill(option, values);
  assert.ok('server' in result);
  return result.server;
};

describe('the form of a package or remote', () => {
  test('each input has a field of its type, which names its place in the definition', () => {
    const { required, properties } = inputsSchema(askedInputs(weather, 'packages/0')) as {
      required: string[];
      properties: Record<string, Record<string, unknown>>;
    };
    assert.deepEqual(required, ['env/WEATHER_KEY']);
    const kinds = Object.fromEntries(
      Object.entries(properties).map(([key, { title, type, format, enum: choices }]) => [
        key,
        [title, type, format ?? choices],
      ]),
    );
    assert.deepEqual(kinds, {
      'env/WEATHER_KEY': ['WEATHER_KEY', 'string', 'password'],
      'env/WEATHER_LIMIT': ['WEATHER_LIMIT', 'number', undefined],
      'env/WEATHER_DEBUG': ['WEATHER_DEBUG', 'boolean', undefined],
      'packageArguments/0': ['units', 'string', ['metric', 'imperial']],
      'packageArguments/1': ['cache', 'string', 'path'],
      'packageArguments/2': ['place', 'array', undefined],
    });
    assert.equal(properties['env/WEATHER_KEY']?.['description'], 'The key\\u{202e}\nEnvironment variable.');
  });

  test('it starts with the defaults', () => {
    assert.deepEqual(defaultValues(askedInputs(weather, 'packages/0')), {
      'env/WEATHER_LIMIT': 100,
      'packageArguments/0': 'metric',
    });
  });

  test('an address asks for its variables, and a header for the name in its value', () => {
    assert.deepEqual(
      askedInputs(weather, 'remotes/0').map(({ name, isRequired, isSecret }) => [name, isRequired, isSecret]),
      [
        ['region', true, false],
        ['token', false, true],
      ],
    );
  });
});

describe('the server with the values of the form', () => {
  test('repeated and named arguments, numbers and switches are filled in', () => {
    const { server } = filled('packages/0', {
      'env/WEATHER_KEY': 'k',
      'env/WEATHER_LIMIT': 5,
      'env/WEATHER_DEBUG': true,
      'packageArguments/0': 'imperial',
      'packageArguments/1': '/srv/a b',
      'packageArguments/2': ['Rome', 'Oslo'],
    });
    assert.deepEqual(server.fields, {
      type: 'stdio',
      command: 'npx',
      args: [
        ...['-y', '@example/weather@1.4.0', '--units', 'imperial', '/srv/a b'],
        ...['--place', 'Rome', '--place', 'Oslo'],
      ],
      env: { WEATHER_KEY: '${input:weather-weather-key}', WEATHER_LIMIT: '5', WEATHER_DEBUG: 'true' },
      gallery: 'https://r.example/servers/io.example%2Fweather',
      version: '1.4.0',
    });
  });

  test('[paste.secrets] the value of a secret is not in the definition', () => {
    const open = filled('remotes/0', { 'url/variables/region': 'eu', 'headers/Authorization/variables/token': 't0p' });
    assert.deepEqual(open.server.fields['headers'], { Authorization: 'Bearer ${input:weather-token}' });
    assert.deepEqual(open.inputs, [
      { type: 'promptString', id: 'weather-token', description: 'token', password: true },
    ]);
    assert.deepEqual(
      open.secrets.map(({ id, value }) => [id, value]),
      [['weather-token', 't0p']],
    );
    assert.ok(!JSON.stringify([open.server, open.inputs]).includes('t0p'));
  });

  test('a bundle and an unsupported package are no servers', () => {
    assert.ok('definition' in fill('packages/7', {}));
  });

  test('a variable in a value of the author is detected, the variable of a secret is not', () => {
    const open = filled('packages/0', { 'env/WEATHER_KEY': 'k' });
    assert.equal(hasForeignVariable(open), false);
    assert.equal(hasForeignVariable(filled('packages/0', { 'packageArguments/1': '${HOME}' })), true);
  });

  test('the suggested name is the last part of the name, as a plain word', () => {
    assert.deepEqual(['io.example/My Weather', '\u202e/…', '__proto__/constructor'].map(suggestedName), [
      'my-weather',
      'server',
      'constructor',
    ]);
  });
});

describe('the preview', () => {
  test('it shows every word and value, and words with blanks cannot look like several', () => {
    const open = filled('packages/0', { 'env/WEATHER_KEY': 'k', 'packageArguments/1': 'a b' });
    const { line, sections } = previewOf(open.server, open.inputs);
    assert.equal(line, 'npx -y @example/weather@1.4.0 --units metric "a b"');
    assert.deepEqual(sections, [
      {
        title: 'Environment variables',
        lines: ['WEATHER_KEY=${input:weather-weather-key}', 'WEATHER_LIMIT=100'],
      },
    ]);
  });

  test('[approval.shown] a preview counts as read only if it is short and the page showed it', () => {
    const short = filled('packages/0', { 'env/WEATHER_KEY': 'k' });
    const preview = previewOf(short.server, short.inputs);
    assert.deepEqual([isRead(preview, preview.id), isRead(preview, 'other')], [true, false]);
    const long = filled('packages/0', { 'packageArguments/1': 'x'.repeat(3_000) });
    const other = previewOf(long.server, long.inputs);
    assert.equal(isRead(other, other.id), false);
  });

  test('it says that the digest of a package is not checked if another program downloads the package', () => {
    const [npm] = weather.packages;
    const digest = { fileSha256: 'ab'.repeat(32) };
    const warningOf = (item: object) => {
      const server = { ...weather, packages: [item] };
      return digestWarning(
        server,
        'packages/0',
        define(server, 'packages/0', () => undefined),
      );
    };
    const warning = warningOf({ ...npm, ...digest });
    assert.match(warning ?? '', /MCP Deck does not check it, because "npx" downloads the package/);
    assert.equal(warningOf({ ...npm }), undefined);
    const bundle = { registryType: 'mcpb', identifier: 'https://example.com/a.mcpb', ...digest };
    assert.equal(warningOf({ ...bundle, transport: { type: 'stdio' } }), undefined);
    const { server, inputs } = filled('packages/0', {});
    assert.deepEqual(previewOf(server, inputs, warning).warnings, [warning]);
  });
});

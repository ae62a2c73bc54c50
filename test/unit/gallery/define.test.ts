import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { define } from '../../../src/core/gallery/define.js';
import type { Answers, GalleryInput } from '../../../src/core/gallery/serverJson.js';

const none: Answers = () => undefined;
const stdio = { type: 'stdio' };

const definedPackage = (fields: object, answers: Answers = none) =>
  define({ packages: [{ transport: stdio, ...fields }] }, 'packages/0', answers);
const definedRemote = (fields: object, answers: Answers = none) =>
  define({ remotes: [{ type: 'streamable-http', ...fields }] }, 'remotes/0', answers);
/** Answers with these texts, by key. */
const from =
  (texts: Record<string, string | string[]>): Answers =>
  (key) =>
    texts[key];

const composed: [string, object][] = [
  ['two variables', { name: 'A', value: '{a}env:SECRET}', variables: { a: { value: '${' } } }],
  ['a default', { name: 'A', value: '${a}', variables: { a: { default: '{env:SECRET}' } } }],
  ['a choice', { name: 'A', value: '${a}', variables: { a: { choices: ['{input:x}'] } } }],
];
for (const [what, variable] of composed) {
  test(`[RG1] a variable of MCP Deck that ${what} compose gives no definition`, () => {
    const fields = { registryType: 'npm', identifier: 'a', version: '1.0.0', environmentVariables: [variable] };
    const pick: Answers = (_key, { choices }) => choices?.[0];
    assert.deepEqual(definedPackage(fields, pick), { unsupported: true });
    assert.deepEqual(definedRemote({ url: 'https://a.example', headers: [variable] }, pick), { unsupported: true });
  });
}

test('[RG1] a registry whose host is too long gives no definition', () => {
  const fields = { registryType: 'oci', identifier: 'a/files', version: '3.1' };
  const registryBaseUrl = `https://${'\u4e00'.repeat(1_001)}/`;
  assert.deepEqual(definedPackage({ ...fields, registryBaseUrl }), { unsupported: true });
});

test('[RG1] what the user enters can be a variable of MCP Deck', () => {
  const fields = { registryType: 'npm', identifier: 'a', version: '1.0.0', environmentVariables: [{ name: 'A' }] };
  const { env } = definedPackage(fields, from({ 'env/A': '${input:a}' })) as { env: object };
  assert.deepEqual(env, { A: '${input:a}' });
});

test('[RG1] a variable in a URL does not lead to another host than the URL shows', () => {
  const urlOf = (url: string, value: string) =>
    (definedRemote({ url, variables: { v: { value } } }) as { url?: string }).url;
  assert.equal(urlOf('https://a.example{v}', '.evil.example/'), undefined);
  assert.equal(urlOf('https://a.example{v}', '@evil.example/'), undefined);
  assert.equal(urlOf('https://a.example{v}', ':8080/mcp'), 'https://a.example:8080/mcp');
  assert.equal(urlOf('https://{v}.a.example/mcp', 'evil.example/x?'), undefined);
  assert.equal(urlOf('https://{v}.a.example/mcp', 'x@evil.example#'), undefined);
  assert.equal(urlOf('https://{v}.a.example/mcp', 'tenant'), 'https://tenant.a.example/mcp');
  assert.equal(urlOf('https://{v}/mcp', 'b.example:8080'), 'https://b.example:8080/mcp');
  assert.equal(urlOf('https://a.example/{v}', 'x/y?z=1'), 'https://a.example/x/y?z=1');
  assert.equal(urlOf('{v}/mcp', 'http://b.example'), 'http://b.example/mcp');
});

test('a package becomes the command of its launcher with the exact version', () => {
  const npm = { registryType: 'npm', identifier: '@a/files', version: '1.2.3' };
  const commands = [
    npm,
    { ...npm, runtimeHint: 'bun' },
    { ...npm, registryBaseUrl: 'https://npm.example.com' },
    { registryType: 'pypi', identifier: 'files-mcp', version: '2.0' },
    {
      registryType: 'pypi',
      identifier: 'files-mcp',
      version: '2.0',
      registryBaseUrl: 'https://pypi.example.com/simple',
    },
    { registryType: 'oci', identifier: 'ghcr.io/a/files:3.1' },
    { registryType: 'oci', identifier: 'a/files', version: '3.1', registryBaseUrl: 'https://ghcr.io' },
    { registryType: 'oci', identifier: 'a/files', version: '3.1', registryBaseUrl: 'https://hub.docker.com' },
    { registryType: 'nuget', identifier: 'A.Files', version: '0.4.0-beta' },
    // The names of schema 2025-07-09.
    { registry_type: 'npm', identifier: 'files', version: '1.0.0', registry_base_url: 'https://npmjs.com' },
  ].map((fields) => {
    const { command, args } = definedPackage(fields) as { command: string; args: string[] };
    return [command, ...args].join(' ');
  });
  assert.deepEqual(commands, [
    'npx -y @a/files@1.2.3',
    'bunx @a/files@1.2.3',
    'npx -y --registry=https://npm.example.com @a/files@1.2.3',
    'uvx files-mcp@2.0',
    'uvx --default-index=https://pypi.example.com/simple files-mcp@2.0',
    'docker run -i --rm ghcr.io/a/files:3.1',
    'docker run -i --rm ghcr.io/a/files:3.1',
    'docker run -i --rm a/files:3.1',
    'dnx A.Files@0.4.0-beta --yes',
    'npx -y files@1.0.0',
  ]);
});

test('arguments keep their order, and each gets its fixed value, its answer or its default', () => {
  const definition = definedPackage(
    {
      registryType: 'oci',
      identifier: 'ghcr.io/a/files:3.1',
      runtimeArguments: [
        { type: 'positional', value: 'run' },
        { type: 'named', name: '-i' },
        {
          type: 'named',
          name: '--mount',
          value: 'type=bind,src={source},dst={target}',
          isRequired: true,
          isRepeated: true,
          variables: { source: { format: 'filepath' }, target: { default: '/project' } },
        },
        { type: 'positional', value: 'ghcr.io/a/files' },
      ],
      packageArguments: [
        { type: 'positional', value: 'serve' },
        { type: 'named', name: '--mode', default: 'local', choices: ['local', 'cached'] },
        { type: 'named', name: 'port', format: 'number' },
        { type: 'named', name: '--limit', default: '-1' },
        { type: 'named', name: '--verbose', format: 'boolean' },
        { type: 'named', name: '--unanswered', format: 'string' },
        { type: 'positional', valueHint: 'dir', isRepeated: true },
      ],
      environmentVariables: [{ name: 'TOKEN', isSecret: true }, { name: 'LEVEL', default: 'info' }, { name: 'NONE' }],
    },
    from({
      'runtimeArguments/0/variables/source': [],
      'runtimeArguments/2/variables/source': ['/a b', '/c'],
      'packageArguments/2': '7',
      'packageArguments/4': 'true',
      'packageArguments/6': ['/x', '/y'],
      'env/TOKEN': 't',
    }),
  );
  assert.deepEqual(definition, {
    command: 'docker',
    args: [
      ...['run', '-i', '--rm', '-e', 'TOKEN', '-e', 'LEVEL'],
      ...['--mount', 'type=bind,src=/a b,dst=/project', '--mount', 'type=bind,src=/c,dst=/project'],
      ...['ghcr.io/a/files:3.1', 'serve', '--mode', 'local', '--port', '7', '--limit=-1', '--verbose', '/x', '/y'],
    ],
    env: { TOKEN: 't', LEVEL: 'info' },
  });
});

test('the user is asked for each input once, with its key, and not for fixed values', () => {
  const asked = new Map<string, GalleryInput>();
  definedRemote(
    {
      url: 'https://{tenant}.example.com/mcp',
      variables: { tenant: { default: 'main' }, unused: {} },
      headers: [
        { name: 'X-Fixed', value: '1', isSecret: true },
        { name: 'X-Key', isSecret: true, isRequired: true, placeholder: '${env:KEY}' },
        { name: 'Authorization', value: 'Bearer {token}' },
      ],
    },
    (key, input) => {
      assert.equal(asked.has(key), false);
      asked.set(key, input);
      return undefined;
    },
  );
  assert.deepEqual(Object.fromEntries(asked), {
    'url/variables/tenant': { default: 'main', isRequired: true, isSecret: false, isRepeated: false },
    'headers/X-Key': { placeholder: '${env:KEY}', isRequired: true, isSecret: true, isRepeated: false },
    'headers/Authorization/variables/token': { isRequired: false, isSecret: true, isRepeated: false },
  });
});

test('a remote has its real transport, and a template without an answer stays as the schema requires', () => {
  const remote = (answers: Answers) =>
    definedRemote(
      {
        type: 'sse',
        url: 'https://{tenant}.example.com/sse',
        variables: { tenant: { isRequired: true } },
        headers: [
          { name: 'Authorization', value: 'Bearer {token}' },
          { name: 'X-Key', value: 'Key {key}', variables: { key: { isSecret: true } } },
        ],
      },
      answers,
    );
  assert.deepEqual(remote(none), {
    url: 'https://{tenant}.example.com/sse',
    headers: { Authorization: 'Bearer {token}' },
    transport: 'sse',
  });
  const answers = {
    'url/variables/tenant': 'a',
    'headers/Authorization/variables/token': '{tenant}',
    'headers/X-Key/variables/key': 'k',
  };
  assert.deepEqual(remote(from(answers)), {
    url: 'https://a.example.com/sse',
    headers: { Authorization: 'Bearer {tenant}', 'X-Key': 'Key k' },
    transport: 'sse',
  });
});

test('the URL of a package refers to its arguments and environment variables by name', () => {
  const definition = definedPackage(
    {
      registryType: 'pypi',
      identifier: 'files',
      version: '1.0',
      transport: { type: 'streamable-http', url: 'http://{host}:{port}/{BASE}', headers: [{ name: 'X-Key' }] },
      packageArguments: [
        { type: 'named', name: '--port', default: '8088' },
        { type: 'named', name: '--address', valueHint: 'host', value: '127.0.0.1' },
      ],
      environmentVariables: [{ name: 'BASE', default: 'mcp' }],
    },
    from({ 'headers/X-Key': 'k' }),
  );
  assert.deepEqual(definition, {
    command: 'uvx',
    args: ['files@1.0', '--port', '8088', '--address', '127.0.0.1'],
    env: { BASE: 'mcp' },
    url: 'http://127.0.0.1:8088/mcp',
    headers: { 'X-Key': 'k' },
    transport: 'streamable-http',
  });
});

test('a bundle has its file and its SHA-256', () => {
  const bundle = { registryType: 'mcpb', identifier: 'https://example.com/a.mcpb' };
  assert.deepEqual(definedPackage({ ...bundle, fileSha256: 'AB'.repeat(32) }), {
    file: 'https://example.com/a.mcpb',
    sha256: 'ab'.repeat(32),
    env: {},
  });
  assert.deepEqual(definedPackage({ ...bundle, fileSha256: 'none' }), { file: bundle.identifier, env: {} });
});

test('[RG1] text that is not valid for its field makes a definition unsupported', () => {
  const npm = { registryType: 'npm', identifier: 'files', version: '1.0.0' };
  const packages: object[] = [
    { ...npm, registryType: 'cargo' },
    { ...npm, registryType: 'constructor' },
    { ...npm, identifier: '-y;touch x' },
    { ...npm, identifier: '--eval' },
    { ...npm, identifier: '../files' },
    { ...npm, identifier: 'left-pad --eval' },
    { ...npm, version: '1.0.0 && touch x' },
    { ...npm, version: '1.0.0\n--registry=http://evil' },
    { ...npm, registryBaseUrl: 'http://evil x' },
    { ...npm, registryBaseUrl: 'file:///etc' },
    { ...npm, transport: { type: 'carrier-pigeon' } },
    { ...npm, transport: 7 },
    { ...npm, runtimeHint: 'bash', runtimeArguments: [{ type: 'named', name: '-c', value: 'touch x' }] },
    { ...npm, environmentVariables: [{ name: 'A=B', value: 'x' }] },
    { ...npm, environmentVariables: [{ name: 'A', value: '${env:AWS_SECRET_ACCESS_KEY}' }] },
    { ...npm, packageArguments: [{ type: 'positional', value: 'a\0b' }] },
    { ...npm, packageArguments: [{ type: 'positional', value: 'x'.repeat(10_001) }] },
    { ...npm, packageArguments: Array.from({ length: 301 }, () => ({ type: 'positional', value: 'x' })) },
    { registryType: 'mcpb', identifier: 'https://example.com/a\n.mcpb' },
  ];
  const remotes: object[] = [
    { url: 'javascript:alert(1)' },
    { url: 'file:///etc/passwd' },
    { type: 'stdio', url: 'https://example.com' },
    { url: 'https://example.com', headers: [{ name: 'A: B\r\nC', value: 'x' }] },
  ];
  for (const fields of packages)
    assert.deepEqual(definedPackage(fields), { unsupported: true }, JSON.stringify(fields));
  for (const fields of remotes) assert.deepEqual(definedRemote(fields), { unsupported: true }, JSON.stringify(fields));
  for (const id of ['packages/1', 'packages/-1', 'remotes/0', 'constructor/0', 'packages/0/0', ''])
    assert.deepEqual(define({ packages: [npm] }, id, none), { unsupported: true }, id);
});

test('[RG1] a text that is too long after its variables are filled in makes a definition unsupported', () => {
  const npm = { registryType: 'npm', identifier: 'files', version: '1.0.0' };
  const long = (count: number, length: number) => ({
    name: 'E',
    value: '{v}'.repeat(count),
    variables: { v: { value: 'x'.repeat(length) } },
  });
  // The URL would have 1,000 times 1,000 times 600 characters, more than a string can have.
  const chained = {
    ...npm,
    environmentVariables: [long(1_000, 1_000)],
    transport: { type: 'streamable-http', url: `http://127.0.0.1/${'{E}'.repeat(600)}` },
  };
  const packages: object[] = [
    chained,
    { ...npm, environmentVariables: [long(33, 1_000)] },
    { ...npm, packageArguments: [{ ...long(33, 1_000), type: 'positional' }] },
    { ...npm, packageArguments: [{ ...long(33, 1_000), name: '--a', type: 'named' }] },
  ];
  for (const fields of packages) assert.deepEqual(definedPackage(fields), { unsupported: true });
  const [{ value, variables }] = [long(33, 1_000)];
  assert.deepEqual(definedRemote({ url: `https://a.example/${value}`, variables }), { unsupported: true });
  for (const header of [
    { name: 'A', value, variables },
    { name: 'A', value },
  ])
    assert.deepEqual(definedRemote({ url: 'https://a.example', variables, headers: [header] }), { unsupported: true });
  const allowed = definedPackage({ ...npm, environmentVariables: [long(31, 1_000)] }) as {
    env: Record<string, string>;
  };
  assert.equal(allowed.env['E']?.length, 31_000);
});

test('[RG1] texts that are too long together make a definition unsupported', () => {
  const withVariables = (count: number) =>
    definedPackage({
      registryType: 'npm',
      identifier: 'files',
      version: '1.0.0',
      environmentVariables: Array.from({ length: count }, (_, at) => ({
        name: `E${at}`,
        value: '{v}'.repeat(30),
        variables: { v: { value: 'x'.repeat(1_000) } },
      })),
    });
  assert.equal('env' in withVariables(6), true);
  assert.deepEqual(withVariables(7), { unsupported: true });
});

test('[RG1] a variable is read once for each text, regardless of how often the text contains it', () => {
  let reads = 0;
  const variable = {
    get choices() {
      reads++;
      return ['x'];
    },
  };
  const counted = { v: variable };
  definedRemote({ url: `https://a.example/${'{v}'.repeat(1_000)}`, variables: counted });
  assert.ok(reads < 10, String(reads));
});

const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '-x',
    '--a b',
    '{a}',
    '{b} {a}',
    '$(touch x)',
    '`id`',
    'a\nb',
    '__proto__',
    'npm',
    'oci',
    'mcpb',
    'sse',
  ),
);
const fieldNames = [
  ...['registryType', 'identifier', 'version', 'transport', 'type', 'url', 'headers', 'name', 'value', 'default'],
  ...['variables', 'a', 'b', 'isRequired', 'isRepeated', 'format', 'choices', 'environmentVariables'],
  ...['packageArguments', 'runtimeArguments', 'runtimeHint', 'registryBaseUrl', '__proto__', 'is_required'],
];
const anyFields = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  object: fc
    .array(fc.tuple(fc.constantFrom(...fieldNames), tie('value')), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries) as unknown),
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.constantFrom(null, true, 7),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
})).object;

test('[RG1] no JSON makes it throw', () => {
  fc.assert(
    fc.property(anyFields, anyFields, fc.option(anyText, { nil: undefined }), (one, other, answer) => {
      const server = { packages: [one], remotes: [other] };
      for (const id of ['packages/0', 'remotes/0']) assert.equal(typeof define(server, id, () => answer), 'object');
      define(one, 'packages/0', () => answer);
    }),
    { numRuns: 2_000 },
  );
});

test('[RG1] a value is one word, or the end of one, regardless of its content', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('npm', 'pypi', 'nuget', 'oci'),
      anyText.filter((text) => text !== '' && !text.includes('\0')),
      (registryType, answer) => {
        const fields = {
          registryType,
          identifier: 'files',
          version: '1.0.0',
          packageArguments: [
            { type: 'named', name: '--one', isRequired: true, format: 'string' },
            { type: 'named', name: '--two', value: 'x={v}', variables: { v: {} } },
            { type: 'positional', isRequired: true },
            { type: 'positional', value: 'end' },
          ],
        };
        const { args } = definedPackage(fields, () => answer) as { args: string[] };
        const one = answer.startsWith('-') ? [`--one=${answer}`] : ['--one', answer];
        assert.deepEqual(args.slice(-(one.length + 4)), [...one, '--two', `x=${answer}`, answer, 'end']);
      },
    ),
  );
});

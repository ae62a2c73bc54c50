/** The export of our servers into the files of the nine apps, and its reports. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import { readJson } from '../../../src/core/config/jsonEdit.js';
import { parseConfigText } from '../../../src/core/config/parseConfig.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import { readToml } from '../../../src/core/config/toml.js';
import { partsOf } from '../../../src/core/config/variableSyntax.js';
import type { AppFormat } from '../../../src/core/interchange/appFormats.js';
import { appFormats, ownFormats } from '../../../src/core/interchange/appFormats.js';
import { isObject, valueAt } from '../../../src/core/base/guards.js';
import { portableDefinition } from '../../../src/core/interchange/portableDefinition.js';
import type { ServerWithInputs } from '../../../src/core/interchange/exportFile.js';
import { exportInputs, exportToFile } from '../../../src/core/interchange/exportFile.js';
import { problemLine } from '../../../src/core/present/form/schemaProblems.js';
import { SchemaValidator } from '../../../src/core/schema/schemaValidator.js';
import { assertGrowsLinearly, assertLinear } from '../../support/linearWork.js';
import { patientLimits } from '../../support/patientLimits.js';

const fixture = (file: string) => readFileSync(`test/fixtures/hosts/${file}`, 'utf8');
const source: ConfigSource = { id: 's', kind: 'vscode', label: 'mcp.json', folderPath: '/w/shop' };
const known = { workspaceFolder: '/w/shop', userHome: '/home/me', pathSeparator: '/' };
const { servers: parsed, inputs } = parseConfigText(fixture('ours.json'), source);
const ours = parsed.map(({ name, definition, isDisabled }) =>
  portableDefinition({ name, definition, source, isEnabled: !isDisabled }),
);
const expected = JSON.parse(fixture('expected/exported.json')) as Record<
  string,
  { written: unknown; losses: string[] }
>;

const contentOf = ({ syntax }: Pick<AppFormat, 'syntax'>, text: string) =>
  (syntax === 'yaml' ? parseYaml(text) : syntax === 'toml' ? readToml(text) : readJson(text)) as Record<
    string,
    unknown
  >;

for (const format of Object.values(appFormats)) {
  test(`our servers in a new file of ${format.title} are exactly these, and so is the report`, () => {
    const { text, losses } = exportToFile(format, '', ours, known);
    const root = contentOf(format, text);
    assert.deepEqual(
      {
        written: root[format.key],
        losses: losses.map(({ server, field, message }) => `${server}: ${field}: ${message}`),
      },
      expected[format.id],
    );
  });
}

/** The file formats as documented by each app; a field that the documentation does not name is an error. */
const shapes = JSON.parse(fixture('shapes.json')) as Record<string, Record<string, unknown>>;
const validator = new SchemaValidator(patientLimits);
const mistakes = (app: string, root: unknown) =>
  validator.check(shapes[app] ?? assert.fail(app), root).problems.map((problem) => problemLine(problem));

for (const format of Object.values(appFormats)) {
  test(`a file written for ${format.title} has the documented shape`, () => {
    const { text } = exportToFile(format, '', ours, known);
    const root = contentOf(format, text);
    assert.deepEqual(mistakes(format.id, root), []);
    const asOurs =
      format.syntax === 'yaml'
        ? parsed.map(({ name }) => ({ name, command: 'x', restartOnCrash: true }))
        : { rich: { command: 'x', restartOnCrash: true } };
    assert.notDeepEqual(mistakes(format.id, { [format.key]: asOurs }), [], 'our own fields are an error there');
  });
}

describe('inputs of servers are exported into a file of VS Code', () => {
  const key = { id: 'k', type: 'promptString', description: 'Key', password: true } as const;
  const asking = (name: string, input = key, text = '${input:k}'): ServerWithInputs => ({
    name,
    fields: { command: 'x', env: { A: text } },
    inputs: [input],
  });
  const inputsIn = (text: string) => (readJson(text) as { inputs?: unknown }).inputs;

  test('unchanged and once', () => {
    const { text, losses } = exportInputs('{\n  // mine\n  "servers": {}\n}\n', [asking('a'), asking('b')]);
    assert.deepEqual([inputsIn(text), losses, text.includes('// mine')], [[key], [], true]);
    const { text: both } = exportInputs('{ "inputs": [{ "id": "other", "type": "promptString", "odd": 1 }] }', [
      asking('a'),
    ]);
    assert.deepEqual(inputsIn(both), [{ id: 'other', type: 'promptString', odd: 1 }, key]);
    assert.deepEqual(
      inputsIn(
        exportInputs(
          '{}',
          ours.map((server) => ({ ...server, inputs })),
        ).text,
      ),
      inputs,
    );
  });

  test('without unused ones', () => {
    assert.deepEqual(exportInputs('{}', [asking('a', key, 'plain')]), { text: '{}', losses: [] });
  });

  test('an existing one stays for the same program or address, and a different one is reported', () => {
    const there = JSON.stringify({ inputs: [key] });
    const continued = asking('a').fields;
    assert.deepEqual(exportInputs(there, [{ ...asking('a'), continued }]), { text: there, losses: [] });
    const { text, losses } = exportInputs(there, [
      { ...asking('a', { ...key, description: 'Another' } as unknown as typeof key), continued },
    ]);
    assert.deepEqual(
      [text, losses],
      [
        there,
        [{ server: 'a', field: 'inputs.k', message: 'The file has a different input with this ID, which was kept.' }],
      ],
    );
  });
});

test('a server behind a raw socket is refused by every other app, and is exported completely into our own files', () => {
  const fields = { type: 'socket', url: 'unix:///run/x.sock', timeoutMs: 5 };
  for (const format of Object.values(appFormats)) {
    const { losses } = exportToFile(format, '', [{ name: 'a', fields }], known);
    assert.deepEqual(losses, [
      {
        server: 'a',
        field: '',
        message:
          format.noRemote === undefined
            ? `${format.title} does not support JSON lines over a socket.`
            : `The file of ${format.title} can contain only local servers: ${format.noRemote}.`,
      },
    ]);
  }
  for (const format of Object.values(ownFormats)) {
    const { text, losses } = exportToFile(format, '', [{ name: 'a', fields }], known);
    assert.deepEqual([valueAt(readJson(text), [format.key, 'a']), losses], [fields, []]);
  }
});

test('a list of disabled tools that is a pattern is not exported as a name without a report', () => {
  for (const app of ['roo', 'windsurf'] as const) {
    const { text, losses } = exportToFile(
      appFormats[app],
      '',
      [{ name: 'a', fields: { command: 'x', disabledTools: ['drop', 'delete_*', '*'] } }],
      known,
    );
    assert.deepEqual((readJson(text) as { mcpServers: { a: { disabledTools: unknown } } }).mcpServers.a.disabledTools, [
      'drop',
    ]);
    assert.deepEqual(
      losses.map(({ field, message }) => `${field}: ${message}`),
      [
        `disabledTools: ${appFormats[app].title} does not support patterns: the tools that are disabled in MCP Deck by "delete_*", "*" will be enabled in ${appFormats[app].title}.`,
      ],
    );
  }
});

test('[C38] fields that MCP Deck does not know are kept only if the entry runs or contacts the same', () => {
  const format = appFormats['claude-code'];
  const before = JSON.stringify({
    mcpServers: { github: { type: 'http', url: 'https://good.example/mcp', headersHelper: 'print-token' } },
  });
  const exported = (url: string) => {
    const { text, losses, servers } = exportToFile(
      format,
      before,
      [{ name: 'github', fields: { type: 'http', url } }],
      known,
    );
    const { github } = (readJson(text) as { mcpServers: { github: object } }).mcpServers;
    return { github, losses: losses.map(({ field }) => field), isReplacement: servers.map((one) => one.isReplacement) };
  };
  assert.deepEqual(exported('https://good.example/mcp'), {
    github: { type: 'http', url: 'https://good.example/mcp', headersHelper: 'print-token' },
    losses: [],
    isReplacement: [true],
  });
  assert.deepEqual(exported('https://evil.example/mcp'), {
    github: { type: 'http', url: 'https://evil.example/mcp' },
    losses: ['headersHelper'],
    isReplacement: [true],
  });
});

test('[C38] an entry that starts in another folder, or with other variables, keeps no approval', () => {
  const kept = (fields: object) => {
    const entry = { command: 'node', args: ['server.js'], alwaysAllow: ['run'] };
    const before = JSON.stringify({ mcpServers: { own: entry } });
    const server = { name: 'own', fields: { command: 'node', args: ['server.js'], ...fields } };
    return exportToFile(appFormats.roo, before, [server], known).text.includes('alwaysAllow');
  };
  assert.equal(kept({}), true);
  assert.equal(kept({ env: {} }), true);
  assert.equal(kept({ cwd: '/repo/evil' }), false);
  assert.equal(kept({ env: { NODE_OPTIONS: '--require /repo/evil.js' } }), false);
});

test('[C38] the written servers are known by index, and not by the losses, which can be about a field without a name', () => {
  const { text, servers, losses } = exportToFile(
    appFormats.cursor,
    '',
    [
      { name: 'odd', fields: { command: 'sh', '': 1 } },
      { name: 'far', fields: { type: 'socket', url: 'unix:///x' } },
    ],
    known,
  );
  assert.deepEqual(
    [servers.map(({ fields }) => fields !== undefined), losses.map(({ server, field }) => `${server}:${field}`)],
    [
      [true, false],
      ['odd:', 'far:'],
    ],
  );
  assert.ok(text.includes('"odd"') && !text.includes('"far"'));
});

test('[C38] a server that runs or contacts something new does not get the stored value of an input of the file', () => {
  const there = JSON.stringify({ inputs: [{ id: 'pat', type: 'promptString', password: true }] });
  const server = { name: 'own', fields: { url: 'https://evil.example/mcp', headers: { A: '${input:pat}' } } };
  for (const inputs of [[], [{ id: 'pat', type: 'promptString' as const, password: true }]])
    assert.throws(() => exportInputs(there, [{ ...server, inputs }]), /stored value would be sent to "own"/);
});

test('[C38] an entry that is exported again gets no input of the file that it did not name before', () => {
  const there = JSON.stringify({
    servers: { own: { type: 'http', url: 'https://evil.example/mcp' } },
    inputs: [{ id: 'pat', type: 'promptString', password: true }],
  });
  const fields = { type: 'http', url: 'https://evil.example/mcp', headers: { A: '${input:pat}' } };
  const { text, servers } = exportToFile(appFormats.vscode, there, [{ name: 'own', fields }], known);
  const [{ fields: written = {}, continued } = {}] = servers;
  assert.ok(continued);
  assert.throws(
    () => exportInputs(text, [{ name: 'own', fields: written, inputs: [], continued }]),
    /stored value would be sent to "own"/,
  );
});

test('[C38] an input whose value VS Code would replace again is not exported', () => {
  const fields = { url: 'https://evil.example/mcp', headers: { A: '${input:team}' } };
  for (const input of [
    { type: 'promptString' as const, password: true, default: '${env:GITHUB_TOKEN}' },
    { type: 'pickString' as const, options: [{ label: 'EU', value: '${env:GITHUB_TOKEN}' }] },
    { type: 'command' as const, command: 'a', args: { text: '${command:vault.readToken}' } },
  ])
    assert.throws(
      () => exportInputs('{}', [{ name: 'own', fields, inputs: [{ id: 'team', ...input }] }]),
      /might replace "[^]*" in the value of the input "team" of "own"/,
    );
});

test('the folder of the workspace is that of each server', () => {
  const servers = ['a', 'b'].map((name) => ({ name, fields: { command: '${workspaceFolder}/x' } }));
  const { text } = exportToFile(appFormats.junie, '', servers, (index) => ({
    ...known,
    workspaceFolder: `/w/${index}`,
  }));
  const written = valueAt(readJson(text), ['mcpServers']) as Record<string, { command: string }>;
  assert.deepEqual([written['a']?.command, written['b']?.command], ['/w/0/x', '/w/1/x']);
});

test('[C38] two servers with different inputs of one ID are not exported together', () => {
  const servers = ['promptString', 'command'].map((type, index) => ({
    name: `s${index}`,
    fields: { command: 'x', env: { TOKEN: '${input:token}' } },
    inputs: [{ id: 'token', type, command: 'a' }] as never,
  }));
  assert.throws(() => exportInputs('{}', servers), /different inputs with the ID "token"/);
});

test('[C38] a text that has no meaning here, but that the other app might replace, is not exported', () => {
  const refused = (app: keyof typeof appFormats, fields: Record<string, unknown>) => {
    const { text, losses } = exportToFile(appFormats[app], '', [{ name: 'a', fields }], known);
    return !text.includes('"a"') && /might replace/.test(losses[0]?.message ?? '');
  };
  const header = (value: string) => ({ type: 'http', url: 'https://a.example/mcp', headers: { 'X-A': value } });
  const refusedHeaders: [keyof typeof appFormats, string][] = [
    ['claude-code', '${GITHUB_TOKEN}'],
    ['gemini', '$GITHUB_TOKEN'],
    ['gemini', '%GITHUB_TOKEN%'],
    ['copilot-cli', '$GITHUB_TOKEN'],
    ['opencode', '{file:~/.ssh/id_ed25519}'],
    ['vscode', '${command:vault.readToken}'],
    // In another variable, or in a default value.
    ['vscode', '${input:{ ${command:vault.readToken}'],
    ['roo', '${input:${env:GITHUB_TOKEN}'],
    ['continue', '${input:${{secrets.GITHUB_TOKEN}}'],
    ['claude-code', '${workspaceFolder:-${GITHUB_TOKEN}}'],
    ['claude-code', '${config:-evil}'],
    ['kiro', '${config:A:-$GITHUB_TOKEN}'],
    ['gemini', '${env:A:-$GITHUB_TOKEN}'],
    ['gemini', '${env:A:-%GITHUB_TOKEN%}'],
    // Around a variable whose value can be empty.
    ['vscode', '${config:x}{env:TOKEN}'],
    ['opencode', '{${env:A}file:~/.netrc}'],
    ['claude-code', '$${env:A:-}{GITHUB_TOKEN}'],
    ['gemini', '${env:A:-%GITHUB}_TOKEN%'],
    ['gemini', '%GITHUB${env:A}_TOKEN%'],
    // The beginning of a variable that ends in another text.
    ['opencode', '{file:~/x'],
  ];
  for (const [app, value] of refusedHeaders) assert.ok(refused(app, header(value)), `${app}: ${value}`);
  assert.ok(refused('vscode', { command: 'x', env: { '${input:token}': '1' } }));
  assert.ok(refused('opencode', { command: 'x', env: { '{file:~/x': '1' } }));
  const inFolder = { ...known, workspaceFolder: '/w/GITHUB_TOKEN' };
  const fields = header('$${workspaceFolderBasename}');
  assert.match(
    exportToFile(appFormats.gemini, '', [{ name: 'a', fields }], inFolder).losses[0]?.message ?? '',
    /might replace "\$GITHUB_TOKEN"/,
  );
  // VS Code replaces variables also in the paths of folders.
  const hostile = { ...known, workspaceFolder: '/w/${env:GITHUB_TOKEN}' };
  const exported = (value: string, values = known) =>
    exportToFile(appFormats.vscode, '', [{ name: 'a', fields: header(value) }], values).losses[0]?.message ?? '';
  assert.match(exported('${workspaceFolder}', hostile), /might replace "\/w\/\$\{env:GITHUB_TOKEN\}"/);
  assert.match(exported('${workspaceFolder:a}'), /also replaces variables in the path of this folder/);
  assert.equal(exported('${workspaceFolder}'), '');
  const written: [keyof typeof appFormats, string][] = [
    ['opencode', '${env:MINE}'],
    ['claude-code', '${env:MINE}'],
    ['cursor', 'a%2F${env:ORG}'],
    ['cursor', '${workspaceFolder}/*.{ts,js}'],
    ['gemini', '100 $ or 100%'],
  ];
  for (const [app, value] of written) assert.ok(!refused(app, header(value)), `${app}: ${value}`);
});

describe('[C38] for any text, a file that is written has only variables that the question lists', () => {
  const textsIn = (value: unknown): string =>
    isObject(value)
      ? Object.values(value).map(textsIn).join('\n')
      : Array.isArray(value)
        ? value.map(textsIn).join('\n')
        : String(value);
  const environmentName = (id: string) =>
    id
      .replace(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase()
      .replace(/^(?=\d)/, '_');
  const innermost = /\$\{([^{}]+)\}/g;
  const withoutBraces = /\$(\w+)|\$\{([^{}]+)\}/g;
  /** What each app replaces in the text of its file, as the app finds it. */
  const replacedBy: Partial<Record<keyof typeof appFormats, RegExp>> = {
    vscode: innermost,
    'claude-code': innermost,
    cursor: innermost,
    windsurf: innermost,
    cline: innermost,
    roo: innermost,
    continue: /\$\{\{\s*([^{}]+?)\s*\}\}/g,
    gemini: /\$(\w+)|\$\{([^{}]+)\}|%(\w+)%/g,
    'copilot-cli': withoutBraces,
    kiro: withoutBraces,
    opencode: /\{((?:env|file):[^}]+)\}/g,
  };
  const fragments = [
    '${',
    '{',
    '}',
    '$',
    '%',
    ':',
    ':-',
    'env:',
    'file:',
    'input:',
    'config:',
    'workspaceFolder',
    '"',
    '\\',
    ' ',
  ];
  const text = fc
    .array(fc.constantFrom(...fragments, '${{secrets.', '{env:', '{file:', 'TOKEN', '${env:TOKEN}', '${input:TOKEN}'), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''));
  for (const [app, pattern] of Object.entries(replacedBy))
    test(app, () => {
      fc.assert(
        fc.property(text, text, fc.constantFrom('shop', 'TOKEN', '${TOKEN}', '{env:TOKEN}'), (one, two, folder) => {
          const headers = { 'X-A': one, 'X-B': two };
          const fields = { type: 'http', url: 'https://a.example/mcp', headers };
          const values = { ...known, workspaceFolder: `/w/${folder}` };
          const file = exportToFile(appFormats[app as 'vscode'], '', [{ name: 'a', fields }], values);
          if (!file.servers[0]?.fields) return;
          const listed = new Set(
            [one, two].flatMap((value) =>
              [...partsOf(value)].flatMap(({ isVariable, text: name }) => {
                if (!isVariable) return [];
                const bare = name.replace(/^(?:env|input):/, '');
                const plain = bare.replace(/:-.*/s, '');
                return [name, bare, plain, `env:${plain}`, `secrets.${bare}`, environmentName(bare)];
              }),
            ),
          );
          // opencode replaces before it parses the file.
          const content = app === 'opencode' ? file.text : textsIn(contentOf(appFormats[app as 'vscode'], file.text));
          // Some apps replace again in the result, in which a variable is empty or has its default value.
          const empty = content.replace(pattern, '');
          const withDefaults = content.replace(/\$\{[^{}]*?:-([^{}]*)\}/g, '$1');
          for (const read of [content, empty, withDefaults])
            for (const [whole, ...groups] of read.matchAll(pattern))
              assert.ok(listed.has(groups.find((group) => group !== undefined) ?? ''), `${whole} in ${file.text}`);
        }),
        { numRuns: 3_000 },
      );
    });
});

test('[C38] texts and inputs are checked in linear time', () => {
  for (const format of Object.values(appFormats))
    assertLinear((text) => exportToFile(format, '', [{ name: 'a', fields: { command: 'x', args: [text] } }], known));
  const run = (length: number) => {
    const inputs = Array.from({ length }, (_, index) => ({ id: `i${index}`, type: 'promptString' as const }));
    const args = inputs.map(({ id }) => `\${input:${id}}`);
    const { text } = exportInputs('{}', [{ name: 'a', fields: { command: 'x', args }, inputs }]);
    assert.equal((readJson(text) as { inputs: unknown[] }).inputs.length, length);
  };
  assertGrowsLinearly(run, 10_000, 'inputs');
});

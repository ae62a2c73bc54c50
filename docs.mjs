// Writes the documentation pages that are generated from package.json, package.nls.json, and src/vscode/manifest.ts:
//   node docs.mjs            writes docs/settings.md, docs/server-fields.md, docs/commands.md, and the schema of the
//                            fields that MCP Deck adds to .vscode/mcp.json
//   node docs.mjs --check    fails if a page is not up to date
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8'));
const texts = JSON.parse(readFileSync('package.nls.json', 'utf8'));
const manifest = 'src/vscode/manifest.ts';
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties));

/** The text of `%key%` for a table cell, with references to other settings formatted as code. */
function words(text = '') {
  return (texts[text.slice(1, -1)] ?? text)
    .replace(/`?#(mcpDeck\.[\w.]+)#`?/g, '`$1`')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;');
}

const onlyInDeck =
  'Only MCP Deck uses this field. VS Code marks it as not allowed, and MCP Deck reads it nevertheless.';

const scopes = {
  application: 'User settings only',
  machine: 'User or remote settings',
  window: 'User or workspace settings',
  resource: 'User, workspace, or folder settings',
};

function settingSection([key, setting]) {
  const values = (setting.enum ?? []).map(
    (value, index) => `- \`${value}\`: ${words(setting.enumDescriptions[index])}`,
  );
  const facts = [
    `Type: ${typeOf(setting)}.`,
    `Default: \`${JSON.stringify(setting.default)}\`.`,
    ...limits(setting),
    `Set in: ${scopes[setting.scope]}.`,
  ];
  const fields = hasFields(key) ? [`[Fields of \`${key}\`](server-fields.md#${slug(key)})`] : [];
  return [
    `### ${key}`,
    words(setting.markdownDescription),
    ...(values.length > 0 ? [values.join('\n')] : []),
    facts.join(' '),
    ...fields,
  ];
}

const hasFields = (key) => ['mcpDeck.servers', 'mcpDeck.inputs', 'mcpDeck.rules', 'mcpDeck.sampling'].includes(key);
const slug = (heading) => heading.toLowerCase().replaceAll('.', '');

function limits({ minimum, exclusiveMinimum }) {
  if (minimum !== undefined) return [`Minimum: ${minimum}.`];
  return exclusiveMinimum === undefined ? [] : [`Must be greater than ${exclusiveMinimum}.`];
}

function typeOf({ type, enum: values, items }) {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (type === undefined) return 'any';
  if (type === 'array' && items?.enum) return `array of ${typeOf(items)}`;
  return [type].flat().join(' or ');
}

/** A table of the properties of a schema. The properties of a nested object are rows with the name `object.name`. */
function fieldTable(properties) {
  return ['| Field | Type | Description |', '| --- | --- | --- |', ...rowsOf(properties)].join('\n');
}

function rowsOf(properties, prefix = '') {
  return Object.entries(properties).flatMap(([name, field]) => {
    const children = field.properties && Object.values(field.properties).some(({ description }) => description);
    const preset = field.default === undefined ? '' : ` Default: \`${JSON.stringify(field.default)}\`.`;
    const others =
      field.properties && !children
        ? ` Fields: ${Object.keys(field.properties)
            .map((one) => `\`${one}\``)
            .join(', ')}.`
        : '';
    const row = `| \`${prefix}${name}\` | ${typeOf(field)} | ${`${words(field.description)}${others}${preset}`.trim()} |`;
    return [row, ...(children ? rowsOf(field.properties, `${prefix}${name}.`) : [])];
  });
}

function settingsPage() {
  const groups = contributes.configuration.flatMap(({ title, properties }) => [
    `## ${words(title)}`,
    ...Object.entries(properties).flatMap(settingSection),
  ]);
  return page(
    'package.nls.json',
    '# Settings',
    'To change a setting, open the Settings editor and search for `mcpDeck`. Settings of a workspace or a remote machine can only restrict what your own settings allow.',
    ...groups,
  );
}

function fieldsPage() {
  const [local, remote] = settings['mcpDeck.servers'].additionalProperties.anyOf.map(({ properties }) => properties);
  const isSame = (name) => JSON.stringify(local[name]) === JSON.stringify(remote[name]);
  const only = (properties) => Object.fromEntries(Object.entries(properties).filter(([name]) => !isSame(name)));
  const common = Object.fromEntries(Object.entries(local).filter(([name]) => isSame(name)));
  return page(
    'package.nls.json',
    '# Server fields',
    'These fields apply to servers in `.vscode/mcp.json`, in `.mcp.json`, and in the setting `mcpDeck.servers`. [Configure servers](configuration.md) shows how to use them.',
    '## mcpDeck.servers',
    '### Local servers',
    fieldTable(only(local)),
    '### Remote servers',
    fieldTable(only(remote)),
    '[Sign in to servers](sign-in.md) explains `oauth`.',
    '### All servers',
    fieldTable(common),
    '[Debug your own server](debugging.md) explains `dev`.',
    '## mcpDeck.inputs',
    fieldTable(settings['mcpDeck.inputs'].items.properties),
    '## mcpDeck.rules',
    fieldTable(settings['mcpDeck.rules'].items.properties),
    '[Manage trust and rules](trust-and-rules.md) explains how rules work together.',
    '## mcpDeck.sampling',
    fieldTable({
      ...settings['mcpDeck.sampling'].properties,
      servers: { type: 'object', description: settings['mcpDeck.sampling'].properties.servers.description },
    }),
  );
}

/** The commands that accept an argument object, from the type `CommandArguments`. */
function commandsPage() {
  const source = ts.createSourceFile(manifest, readFileSync(manifest, 'utf8'), ts.ScriptTarget.Latest, true);
  const type = source.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === 'CommandArguments');
  const rows = type.members.map((member) => {
    const id = member.name.text;
    const comment = ts.getJSDocCommentsAndTags(member).map((one) => ts.getTextOfJSDocComment(one.comment));
    return `| \`${id}\` | ${argumentFields(member.type)} | ${words(comment.join(' ').replace(/\s+/g, ' '))} |`;
  });
  return page(
    manifest,
    '# Command arguments',
    'These commands accept an argument object from keyboard shortcuts, tasks, and other extensions. A field with a question mark is optional. Without an argument object, a command asks you for what it needs. [Commands and API](commands-and-api.md) shows how to use them.',
    ['| Command | Argument | Notes |', '| --- | --- | --- |', ...rows.sort()].join('\n'),
  );
}

/** The fields of an argument type as code, for example `server`, `uri`, `replace?`. */
function argumentFields(type) {
  if (ts.isUnionTypeNode(type)) return type.types.map(argumentFields).join(', or ');
  if (ts.isIntersectionTypeNode(type)) return type.types.map(argumentFields).join(', ');
  if (ts.isTypeReferenceNode(type)) {
    const [argument] = type.typeArguments ?? [];
    return { ServerArgument: '`server`', RequestArgument: '`request`', Partial: argument && '`server?`' }[
      type.typeName.text
    ];
  }
  return type.members
    .map((field) => `\`${field.name.getText()}${field.questionToken ? '?' : ''}\`${valuesOf(field.type)}`)
    .join(', ');
}

/** The allowed values of a type that consists of texts, for example ` (user or vscode)`. */
function valuesOf(type) {
  const values = ts.isUnionTypeNode(type) ? type.types.filter(ts.isLiteralTypeNode) : [];
  const texts = values.flatMap(({ literal }) => (ts.isStringLiteral(literal) ? [`\`${literal.text}\``] : []));
  return texts.length > 0 ? ` (${texts.join(', ')})` : '';
}

/** Fields of a server in `.vscode/mcp.json` that VS Code itself describes. */
const fieldsOfVsCode = new Set(['type', 'command', 'args', 'env', 'envFile', 'cwd', 'url', 'headers', 'dev']);

/** Fields that VS Code and MCP Deck both have. VS Code describes them, and MCP Deck adds its own properties. */
const sharedFields = new Set(['oauth']);

/** The schema of `.vscode/mcp.json` that VS Code merges with its own. It refers to the schema of the setting. */
function mcpSchema() {
  const place = 'vscode://schemas/settings/user#/properties/mcpDeck.servers/additionalProperties/anyOf';
  const [local, remote] = settings['mcpDeck.servers'].additionalProperties.anyOf.map(({ properties }, index) => ({
    properties: Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => !fieldsOfVsCode.has(name))
        .map(([name, { description }]) => [
          name,
          {
            $ref: `${place}/${index}/properties/${name}`,
            ...(sharedFields.has(name) ? {} : { markdownDescription: `${words(description)} ${onlyInDeck}` }),
          },
        ]),
    ),
  }));
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'MCP servers, with the fields of MCP Deck',
    description: 'The fields that MCP Deck reads in this file in addition to those of VS Code.',
    type: 'object',
    properties: { servers: { additionalProperties: { if: { required: ['url'] }, then: remote, else: local } } },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** A page with a note that names the file to edit. */
function page(source, ...blocks) {
  const [title, ...rest] = blocks;
  const note = `<!-- Generated by "npm run docs". Edit ${source} instead. -->`;
  return `${[title, note, ...rest].join('\n\n')}\n`;
}

for (const [file, text] of [
  ['docs/settings.md', settingsPage()],
  ['docs/server-fields.md', fieldsPage()],
  ['docs/commands.md', commandsPage()],
  ['media/vscode-mcp.schema.json', mcpSchema()],
]) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text) {
    console.error(`${file} is not up to date: run "npm run docs".`);
    process.exitCode = 1;
  }
}

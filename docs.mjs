// Writes the documentation pages that are generated from package.json and package.nls.json:
//   node docs.mjs            writes docs/settings.md and docs/server-fields.md
//   node docs.mjs --check    fails if a page is not up to date
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const note = '<!-- Generated from package.json by "npm run docs". Edit package.nls.json instead. -->';
const { contributes } = JSON.parse(readFileSync('package.json', 'utf8'));
const texts = JSON.parse(readFileSync('package.nls.json', 'utf8'));
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties));

/** The text of `%key%` for a table cell, with references to other settings formatted as code. */
function words(text = '') {
  return (texts[text.slice(1, -1)] ?? text)
    .replace(/`?#(mcpDeck\.[\w.]+)#`?/g, '`$1`')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;');
}

const scopes = {
  application: 'User settings only',
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

function page(...blocks) {
  const [title, ...rest] = blocks;
  return `${[title, note, ...rest].join('\n\n')}\n`;
}

for (const [file, text] of [
  ['docs/settings.md', settingsPage()],
  ['docs/server-fields.md', fieldsPage()],
]) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text) {
    console.error(`${file} is not up to date: run "npm run docs".`);
    process.exitCode = 1;
  }
}

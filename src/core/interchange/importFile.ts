/**
 * Converts the file of another app to our servers, and reports all differences after the conversion. Starts nothing.
 */
import type { Node } from 'jsonc-parser';
import { isObject, valueAt, without } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { findTooDeep, parseJsonTree, plainValue } from '../config/configNodes.js';
import { maxEntries } from '../config/configBytes.js';
import { parseConfigText } from '../config/parseConfig.js';
import { serverTypeOf } from '../config/fieldNames.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import { readToml } from '../config/toml.js';
import { variablesIn } from '../config/variableSyntax.js';
import { opencodePath } from './agentFormats.js';
import type { AppFormat, AppId } from './appFormats.js';
import { appFormats } from './appFormats.js';
import { maxAppTextLength, parseAppYaml, plainYaml } from './appYaml.js';
import type { FieldRule } from './fieldRules.js';
import { narrowingRules } from './fieldRules.js';
import type { PortableServer, ImportedServers, Path } from './portableServer.js';
import { leavesOf, withValueAt, mapServerTexts } from './portableServer.js';
import { LossList } from './lossList.js';
import { lostField } from './lossTexts.js';
import { readText } from './notation.js';

/**
 * One place in a file that contains servers. Most files have one such place; `~/.claude.json` also has one for each
 * project.
 */
export interface ServerGroup {
  /** The path of the object or list of servers. */
  path: Path;
  /** The folder that the servers belong to, if the file specifies it. */
  project?: string;
  /** The servers as written in the file, not converted. */
  servers: readonly { name: string; raw: unknown }[];
  /** The inputs as written in the file, not converted. Only VS Code has inputs. */
  inputs: unknown;
}

/** The format of a text of this app. Continue also reads files in the formats of other apps. */
export function formatOf(app: AppId, text: string): AppFormat {
  return app === 'continue' && text.trimStart().startsWith('{')
    ? {
        ...appFormats['claude-code'],
        id: 'continue',
        title: appFormats.continue.title,
        types: { stdio: 'stdio', http: 'http', sse: 'sse' },
      }
    : appFormats[app];
}

/** The servers of a file, not converted; a problem if the whole file cannot be read. Never throws. */
export function readAppFile(app: AppId, text: string): { groups: readonly ServerGroup[] } | { problem: string } {
  const format = formatOf(app, text);
  const root = readValue(format, text);
  if ('problem' in root) return root;
  if (root.value === undefined || root.value === null) return { groups: [] };
  if (!isObject(root.value))
    return { problem: `The file is not a configuration file of ${format.title}: it does not contain an object.` };
  const { value } = root;
  const groups = [groupAt(value, serversPath(format, value), valueAt(value, ['inputs']))];
  const projects = app === 'claude-code' ? valueAt(value, ['projects']) : undefined;
  for (const project of isObject(projects) ? Object.keys(projects) : []) {
    const group = groupAt(value, ['projects', project, format.key], undefined);
    groups.push(group && { ...group, project });
  }
  const filled = groups.filter((group) => group !== undefined && group.servers.length > 0) as ServerGroup[];
  const count = filled.reduce((sum, { servers }) => sum + servers.length, 0);
  return count > maxEntries
    ? { problem: `The file has more than ${maxEntries.toLocaleString('en')} servers and was not read.` }
    : { groups: filled };
}

/** The path of the servers in a file. */
export function serversPath(format: Pick<AppFormat, 'key'>, root: unknown): Path {
  return format.key === 'mcp' ? opencodePath(root) : [format.key];
}

function groupAt(root: Record<string, unknown>, path: Path, inputs: unknown): ServerGroup | undefined {
  const value = valueAt(root, path);
  if (isObject(value)) return { path, inputs, servers: Object.entries(value).map(([name, raw]) => ({ name, raw })) };
  if (!Array.isArray(value)) return undefined;
  // The servers are a list of objects with a name, as in YAML.
  return {
    path,
    inputs,
    servers: value.map((raw: unknown, index) => ({
      name: isObject(raw) && typeof raw['name'] === 'string' ? raw['name'] : `#${index + 1}`,
      raw: isObject(raw) ? without(raw, 'name') : raw,
    })),
  };
}

function readValue(format: AppFormat, text: string): { value: unknown } | { problem: string } {
  if (text.length > maxAppTextLength) return { problem: 'The file is larger than 5 MiB and was not read.' };
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    if (format.syntax === 'yaml') return { value: plainYaml(parseAppYaml(clean)) };
    if (format.syntax === 'toml') return { value: readToml(clean) };
    const errors: { error: number; offset: number; length: number }[] = [];
    const tree: Node | undefined = parseJsonTree(clean, errors, { allowTrailingComma: true, allowEmptyContent: true });
    if (errors.length > 0) return { problem: 'The file is not valid JSON.' };
    if (tree && findTooDeep(tree)) return { problem: 'The file is nested too deeply to be read.' };
    return { value: tree && plainValue(tree) };
  } catch (error) {
    if (format.syntax === 'yaml') return { problem: messageOf(error) };
    return {
      problem:
        format.syntax === 'toml'
          ? `The file is not valid TOML: ${visibleLine(messageOf(error))}`
          : 'The file has too many values, or is nested too deeply, and was not read.',
    };
  }
}

/**
 * Converts the servers of one group to ours. The report lists fields that cannot be converted, and the reason for each
 * server that cannot be used.
 */
export function importServers(format: AppFormat, group: ServerGroup): ImportedServers {
  const inputs = new Map<string, InputDefinition>();
  const servers: PortableServer[] = [];
  const losses = new LossList();
  const unusable: { name: string; reason: string }[] = [];
  for (const { name, raw } of group.servers) {
    if (!isObject(raw)) {
      unusable.push({ name, reason: 'The entry is not an object with the fields of a server.' });
      continue;
    }
    const converted = convert(format, name, raw, inputs);
    const problem = problemOf(converted.server);
    if (problem !== undefined) unusable.push({ name, reason: problem });
    else {
      servers.push(converted.server);
      losses.addAll(converted.losses);
    }
  }
  for (const input of ownInputs(group.inputs)) inputs.set(input.id, input);
  const used = variablesIn(
    servers.map(({ fields }) => fields),
    'input:',
  );
  return {
    servers,
    inputs: [...inputs.values()].filter(({ id }) => used.has(id)),
    losses: losses.all(),
    unusable,
  };
}

function convert(
  format: AppFormat,
  name: string,
  entry: Record<string, unknown>,
  inputs: Map<string, InputDefinition>,
): { server: PortableServer; losses: LossList } {
  const raw = format.split?.(entry) ?? entry;
  const losses = new LossList();
  const lose = (field: Path, message: string) => losses.add(name, field, message);
  const written = raw['type'];
  const type = serverTypeOf(written);
  const isLocal = type === undefined ? present(raw['command']) : type === 'stdio';
  let fields: Record<string, unknown> = {};
  // An unknown type is passed on, because our own reader reports it.
  if (type !== undefined ? type !== 'stdio' : present(written)) fields = { type: type ?? written };
  else if (!isLocal && format.untyped) fields = { type: format.untyped };
  const used: Path[] = [['type']];
  const read: FieldRule[] = [];
  for (const rule of [
    ...format.rules,
    ...narrowingRules.filter(({ theirs }) => !format.rules.some((own) => own.theirs[0] === theirs[0])),
  ]) {
    if (rule.on !== undefined && (rule.on === 'local') !== isLocal) continue;
    const value = valueAt(raw, rule.theirs);
    if (value === undefined || value === null) continue;
    const ours = rule.read ? rule.read(value) : value;
    // If two fields disagree about whether the server is enabled, the server is disabled.
    const isOff = rule.ours[0] === 'disabled' && ours === true;
    if (ours === undefined || !(isOff || hasRoom(fields, rule))) continue;
    used.push(rule.theirs);
    read.push(rule);
    if (rule.ours.length > 0) fields = withValueAt(fields, rule.ours, ours);
    if (rule.note !== undefined) lose(rule.theirs, rule.note);
    const odd = rule.oddNote?.(value);
    if (odd !== undefined) lose(rule.theirs, odd);
  }
  for (const leaf of leavesOf(raw)) {
    if (
      leaf.length === 0 ||
      !present(valueAt(raw, leaf)) ||
      used.some((path) => path.every((part, index) => leaf[index] === part))
    )
      continue;
    lose(leaf, lostField(leaf, format.title));
  }
  const converted = mapServerTexts(fields, (text, path) => {
    const field = theirPath(read, path);
    return readText(text, format, inputs, (note) => lose(field, note));
  });
  return { server: { name, fields: converted }, losses };
}

/**
 * The app's spelling of one of our fields, according to the rule that read it. If there are several rules, the most
 * specific one is used.
 */
function theirPath(read: readonly FieldRule[], path: Path): Path {
  const [rule] = read
    .filter(({ ours }) => ours.length > 0 && ours.every((part, index) => part === path[index]))
    .sort((one, other) => other.ours.length - one.ours.length);
  return rule ? [...rule.theirs, ...path.slice(rule.ours.length)] : path;
}

/**
 * Whether the value of a field can still be set. If two fields have the same meaning, the first one is used, and the
 * other one is reported.
 */
function hasRoom(fields: Readonly<Record<string, unknown>>, { ours }: FieldRule): boolean {
  if (ours.length === 0) return true;
  if (valueAt(fields, ours) !== undefined) return false;
  const parent = valueAt(fields, ours.slice(0, -1));
  return parent === undefined || isObject(parent);
}

function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The problem that our own reader reports for the server; undefined if there is none. */
function problemOf({ name, fields }: PortableServer): string | undefined {
  const { servers, problems } = parseConfigText(JSON.stringify({ servers: { [name]: fields } }), {
    id: 'import',
    kind: 'vscode',
    label: 'import',
  });
  return servers.length > 0
    ? undefined
    : (problems.find(({ severity }) => severity === 'error')?.message ?? 'The entry cannot be used.');
}

function ownInputs(inputs: unknown): InputDefinition[] {
  return inputs === undefined
    ? []
    : parseConfigText(JSON.stringify({ servers: {}, inputs }), { id: 'import', kind: 'vscode', label: 'import' })
        .inputs;
}

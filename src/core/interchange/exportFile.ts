/**
 * Writes our servers to the file of another app, or to one of our own files. An existing file is edited in place:
 * comments, order, and unknown fields are kept.
 */
import type { Document, Scalar, YAMLMap } from 'yaml';
import { isMap, isSeq } from 'yaml';
import { isDeepStrictEqual } from 'node:util';
import { t } from '@vscode/l10n';
import { isObject, valueAt, without as withoutMembers } from '../base/guards.js';
import { nestedTexts } from '../base/nestedTexts.js';
import { UserError } from '../base/hostError.js';
import { objectOf } from '../base/objectCopy.js';
import { visibleName } from '../base/visibleName.js';
import { readJson, withValue } from '../config/jsonEdit.js';
import { parseConfigText } from '../config/parseConfig.js';
import { serverTypeOf } from '../config/fieldNames.js';
import { readToml, withTomlTable } from '../config/toml.js';
import { variablesIn } from '../config/variableSyntax.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import { visibleLine } from '../base/hostileText.js';
import type { AppFormat } from './appFormats.js';
import { parseAppYaml, plainYaml } from './appYaml.js';
import { serversPath } from './importFile.js';
import type { PortableServer, Loss, Path } from './portableServer.js';
import { leavesOf, withValueAt, mapServerTexts } from './portableServer.js';
import { LossList } from './lossList.js';
import { unwrittenField } from './lossTexts.js';
import type { KnownValues } from './notation.js';
import { foreignPart, writeText } from './notation.js';

type Format = Omit<AppFormat, 'id'>;

/** The fields of one server in the app's format, merged into the existing fields. */
export interface ExportedServer {
  /** The fields; undefined if the app does not support servers of this type. */
  fields?: Record<string, unknown>;
  losses: Loss[];
  /**
   * The entry of this name in the file, if it starts the same program in the same way, or contacts the same address.
   * Its unknown fields were kept.
   */
  continued?: Readonly<Record<string, unknown>>;
}

/**
 * Converts a server to the format of the app.
 * @param existing the server with this name in the file. Its unknown fields are kept if it runs or contacts the same: a
 * token or an approval must not pass to another program or address.
 */
export function exportServer(
  format: Format,
  server: PortableServer,
  known: KnownValues,
  existing?: Readonly<Record<string, unknown>>,
): ExportedServer {
  const defaults = writtenForm(format, format.defaults ?? {});
  if (existing === undefined) return joined(format, exportFields(format, server, known, defaults));
  const before = writtenForm(format, existing);
  const fresh = exportFields(format, server, known, withSwitch(format, before, defaults));
  const { fields } = fresh;
  if (!fields) return fresh;
  if (isSameStart(format, format.split?.(existing) ?? existing, fields))
    return { ...joined(format, exportFields(format, server, known, before)), continued: existing };
  const removed = Object.keys(before)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => ({
      server: server.name,
      field: name,
      message:
        'The entry of the file had another command, address, folder, or environment, so this field of the entry was removed.',
    }));
  return joined(format, { fields, losses: [...fresh.losses, ...removed] });
}

/** The form in which the rules write fields: that of `split` if `join` converts it back. */
function writtenForm(
  { split, join }: Format,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return join && split ? split(fields) : fields;
}

function joined({ join }: Format, { fields, losses }: ExportedServer): ExportedServer {
  return { ...(fields ? { fields: join?.(fields) ?? fields } : {}), losses };
}

/** These fields, with the switch of an entry that the user has turned off in the app. */
function withSwitch(
  { rules }: Format,
  before: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const place = rules.find(({ ours: [name] }) => name === 'disabled')?.theirs;
  const value = place && valueAt(before, place);
  return place && value !== undefined ? withValueAt({ ...fields }, place, value) : fields;
}

/** The fields that decide which program or address an entry starts. Variables and the folder can change the program. */
const startFields: ReadonlySet<string | undefined> = new Set(['command', 'args', 'cwd', 'env', 'envFile', 'url']);

/** Whether an entry still starts the same program in the same way, or contacts the same address. */
function isSameStart(
  { rules }: Format,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean {
  const valueOf = (fields: Readonly<Record<string, unknown>>, place: Path) => {
    const value = valueAt(fields, place);
    return isObject(value) && Object.keys(value).length === 0 ? undefined : value;
  };
  return rules
    .filter(({ ours: [name] }) => startFields.has(name))
    .every(({ theirs }) => isDeepStrictEqual(valueOf(before, theirs), valueOf(after, theirs)));
}

function exportFields(
  format: Format,
  server: PortableServer,
  known: KnownValues,
  existing: Readonly<Record<string, unknown>>,
): ExportedServer {
  const losses = new LossList();
  const lose = (field: Path, message: string) => losses.add(server.name, field, message);
  const type = serverTypeOf(server.fields['type']) ?? (server.fields['command'] === undefined ? undefined : 'stdio');
  const isLocal = type === 'stdio';
  const reason = refusal(format, server, type, known);
  if (reason !== undefined) return { losses: [{ server: server.name, field: '', message: reason }] };
  const converted = (report: (path: Path, note: string) => void) =>
    mapServerTexts(server.fields, (text, path) => writeText(text, format, known, (note) => report(path, note)));
  const ours = converted(() => {});
  let fields = withType(format, { ...existing }, type, lose);
  const carried: Path[] = [['type']];
  for (const rule of format.rules) {
    const applies = rule.on === undefined || (rule.on === 'local') === isLocal;
    if (rule.isReadOnly) {
      if (rule.ours.length > 0) fields = without(fields, rule.theirs);
      continue;
    }
    const value = applies ? valueAt(ours, rule.ours) : undefined;
    const theirs = value === undefined ? undefined : rule.write ? rule.write(value) : value;
    if (value !== undefined && theirs !== undefined) {
      carried.push(rule.ours);
      const left = rule.unwritten?.(value, format.title);
      if (left !== undefined) lose(rule.ours, left);
      for (const leaf of leavesOf(value))
        if (leaf.length > 0 && isObject(theirs) && valueAt(theirs, leaf) === undefined)
          lose([...rule.ours, ...leaf], `${format.title} cannot remove an inherited variable.`);
      // An empty object is omitted, because it means the same as no field.
      if (!(isObject(theirs) && Object.keys(theirs).length === 0) || valueAt(fields, rule.theirs) !== undefined)
        fields = withValueAt(fields, rule.theirs, theirs);
    } else if (rule.ours[0] !== 'disabled') fields = without(fields, rule.theirs);
  }
  const isCarried = (leaf: Path) => carried.some((path) => path.every((part, index) => leaf[index] === part));
  // Notes are reported only for fields that are written.
  converted((path, note) => {
    if (format.keepsUnknown || isCarried(path)) lose(path, note);
  });
  if (format.keepsUnknown) {
    const known = new Set([
      'type',
      ...format.rules
        .filter(({ on }) => on === undefined || (on === 'local') === isLocal)
        .map(({ ours: [first = ''] }) => first),
    ]);
    return {
      fields: Object.fromEntries([
        ...Object.entries(fields),
        ...Object.entries(ours).filter(([name]) => !known.has(name)),
      ]),
      losses: losses.all(),
    };
  }
  for (const leaf of leavesOf(ours)) {
    if (leaf.length === 0 || isCarried(leaf)) continue;
    lose(leaf, unwrittenField(leaf, format.title));
  }
  return { fields, losses: losses.all() };
}

/** Why the app cannot have this server; undefined if it can. Our own files can have every server. */
function refusal(
  format: Format,
  server: PortableServer,
  type: string | undefined,
  known: KnownValues,
): string | undefined {
  const { title } = format;
  if (type !== 'stdio' && format.noRemote !== undefined)
    return `The file of ${title} can contain only local servers: ${format.noRemote}.`;
  if (format.keepsUnknown) return undefined;
  const foreign = foreignPart(server, format, known);
  if (foreign !== undefined)
    return `${title} might replace "${visibleLine(foreign, 100)}", which is not a variable in MCP Deck. Change this text first.`;
  if (type === 'stdio') return undefined;
  if (type === 'socket') return `${title} does not support JSON lines over a socket.`;
  if (type === 'ws' && format.types.ws === undefined) return `${title} does not support WebSocket.`;
  const url = server.fields['url'];
  return typeof url === 'string' && /^(?:unix|pipe):/i.test(url) && format.notation !== 'vscode'
    ? `${title} does not support servers behind a socket file.`
    : undefined;
}

/** Sets the type of a server. An existing spelling of the same type is kept. */
function withType(
  format: Format,
  fields: Record<string, unknown>,
  type: ReturnType<typeof serverTypeOf>,
  lose: (field: Path, message: string) => void,
): Record<string, unknown> {
  if (type !== undefined && serverTypeOf(fields['type']) === type) return fields;
  // If the type is absent, MCP Deck detects it.
  if (type === undefined && format.keepsUnknown) return without(fields, ['type']);
  const { stdio, http, sse } = format.types;
  const name = type === 'stdio' ? stdio : type === 'sse' ? sse : type === 'http' || type === undefined ? http : type;
  if (name === undefined) {
    if (type === 'sse') lose(['type'], `${format.title} detects the transport itself.`);
    return without(fields, ['type']);
  }
  // `type` comes first, where users expect it.
  return Object.fromEntries([['type', name], ...Object.entries(fields).filter(([key]) => key !== 'type')]);
}

function without(fields: Record<string, unknown>, path: Path): Record<string, unknown> {
  const [first = '', ...rest] = path;
  const inner = valueAt(fields, [first]);
  if (inner === undefined || (rest.length > 0 && valueAt(fields, path) === undefined)) return fields;
  const left = rest.length === 0 || !isObject(inner) ? undefined : without(inner, rest);
  if (left !== undefined && Object.keys(left).length > 0) return withValueAt(fields, [first], left);
  return objectOf(Object.entries(fields).filter(([name]) => name !== first));
}

export interface ExportedFile {
  text: string;
  losses: Loss[];
}

/** A server after it was added to a file. Without `fields`, it was not added. */
export interface AddedServer extends ExportedServer {
  /** Whether the file had an entry of this name, which the server replaced. */
  isReplacement: boolean;
}

/** A file after servers were added to it. `servers` has one element for each of them, in the same order. */
export interface FileWithServers extends ExportedFile {
  servers: AddedServer[];
}

/**
 * The text of a file after these servers were added. Throws if the text cannot be edited because its structure is
 * invalid.
 * @param known the values of variables, for all servers or by the index of the server.
 * @param path the path of the servers in the file; default: the key of the format.
 */
export function exportToFile(
  format: Format,
  text: string,
  servers: readonly PortableServer[],
  known: KnownValues | ((index: number) => KnownValues),
  path?: Path,
): FileWithServers {
  const knownOf = typeof known === 'function' ? known : () => known;
  if (format.syntax === 'yaml') return exportToYaml(format, text, servers, knownOf);
  const isToml = format.syntax === 'toml';
  const added: AddedServer[] = [];
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  let result = text.slice(bom.length);
  if (result.trim() === '') result = isToml ? '' : '{\n}\n';
  const read = isToml ? readToml : readJson;
  const place = path ?? serversPath(format, read(result));
  for (const [index, server] of servers.entries()) {
    const existing = valueAt(read(result), [...place, server.name]);
    const exported = exportServer(format, server, knownOf(index), isObject(existing) ? existing : undefined);
    added.push({ ...exported, isReplacement: exported.fields !== undefined && existing !== undefined });
    if (exported.fields)
      result = (isToml ? withTomlTable : withValue)(result, [...place, server.name], exported.fields);
  }
  return withLosses(bom + result, added);
}

function withLosses(text: string, servers: AddedServer[]): FileWithServers {
  return { text, losses: servers.flatMap(({ losses }) => losses), servers };
}

/** The text of a file without the server of this name. Throws if the text cannot be edited. */
export function removeFromFile(format: Format, text: string, name: string): string {
  if (format.syntax === 'yaml') {
    const document = parseAppYaml(text, true);
    const list = document.get(format.key, true);
    if (!isSeq(list)) return text;
    list.items = list.items.filter((item) => !isMap(item) || item.get('name') !== name);
    return document.toString({ lineWidth: 0 });
  }
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const clean = text.slice(bom.length);
  const isToml = format.syntax === 'toml';
  const path = [...serversPath(format, (isToml ? readToml : readJson)(clean)), name];
  return bom + (isToml ? withTomlTable : withValue)(clean, path, undefined);
}

function exportToYaml(
  format: Format,
  text: string,
  servers: readonly PortableServer[],
  knownOf: (index: number) => KnownValues,
): FileWithServers {
  const added: AddedServer[] = [];
  const document = parseAppYaml(text.trim() === '' ? 'name: MCP servers\nversion: 0.0.1\nschema: v1\n' : text, true);
  if (document.get(format.key) === undefined || document.get(format.key) === null)
    document.set(format.key, document.createNode([]));
  const list = document.get(format.key, true);
  if (!isSeq(list)) throw new Error(`"${format.key}" in the file is not a list.`);
  for (const [index, server] of servers.entries()) {
    const item = list.items.find(
      (candidate): candidate is YAMLMap => isMap(candidate) && candidate.get('name') === server.name,
    );
    const before = item && plainYaml(document, item);
    const existing = isObject(before) ? withoutMembers(before, 'name') : {};
    const exported = exportServer(format, server, knownOf(index), item && existing);
    added.push({ ...exported, isReplacement: exported.fields !== undefined && item !== undefined });
    if (!exported.fields) continue;
    if (!item) list.add(document.createNode({ name: server.name, ...exported.fields }));
    else setMembers(document, item, existing, exported.fields);
  }
  return withLosses(document.toString({ lineWidth: 0 }), added);
}

/** The written fields of a server, with the inputs of its definition. */
export interface ServerWithInputs extends PortableServer {
  inputs: readonly InputDefinition[];
  /** See `ExportedServer`. */
  continued?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The text of a VS Code file after the inputs that these servers name were added. An existing input with the same ID is
 * kept; if it differs, a loss is reported. Throws UserError if two servers have different inputs with the same ID, if a
 * new input has a variable in a default value or a choice, because VS Code also replaces variables in values, or if a
 * server names an input of the file that its entry did not name before: VS Code would fill in its stored value without
 * asking.
 */
export function exportInputs(text: string, servers: readonly ServerWithInputs[]): ExportedFile {
  const losses: Loss[] = [];
  const written = valueAt(readJson(text), ['inputs']);
  const inFile = parseConfigText(JSON.stringify({ servers: {}, inputs: written ?? [] }), {
    id: 'export',
    kind: 'vscode',
    label: 'export',
  }).inputs;
  const there = new Map(inFile.map((input) => [input.id, input]));
  const added = new Map<string, InputDefinition>();
  for (const { name, fields, inputs, continued } of servers) {
    const named = variablesIn(fields, 'input:');
    const before = variablesIn(continued, 'input:');
    const foreign = [...named].find((id) => there.has(id) && !before.has(id));
    if (foreign !== undefined)
      throw new UserError(
        t(
          'The file has an input "{0}", whose stored value would be sent to "{1}". Rename this input of the server first.',
          visibleName(foreign, 60),
          visibleName(name, 60),
        ),
      );
    for (const input of inputs) {
      const { id } = input;
      if (!named.has(id)) continue;
      const fromFile = there.get(id);
      const sameId = fromFile ?? added.get(id);
      if (sameId === undefined) {
        refuseVariables(input, name);
        added.set(id, input);
      } else if (isDeepStrictEqual(sameId, input)) continue;
      else if (fromFile === undefined)
        throw new UserError(
          t(
            'Two of the servers have different inputs with the ID "{0}". Select only one of them.',
            visibleName(id, 60),
          ),
        );
      else
        losses.push({
          server: name,
          field: `inputs.${id}`,
          message: 'The file has a different input with this ID, which was kept.',
        });
    }
  }
  return {
    text:
      added.size === 0
        ? text
        : withValue(text, ['inputs'], [...(Array.isArray(written) ? (written as unknown[]) : []), ...added.values()]),
    losses,
  };
}

/** Throws UserError if a text that can become the value of an input contains a variable. */
function refuseVariables({ id, default: initial, options, args }: InputDefinition, server: string): void {
  for (const { text } of nestedTexts([initial, options, args]))
    if (text.includes('${'))
      throw new UserError(
        t(
          'VS Code might replace "{0}" in the value of the input "{1}" of "{2}". Change this text first.',
          visibleLine(text, 100),
          visibleName(id, 60),
          visibleName(server, 60),
        ),
      );
}

/** Sets only the members that differ, so that the comments and the formatting of the other members are kept. */
function setMembers(
  document: Document,
  map: YAMLMap,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) map.delete(name);
  for (const [name, value] of Object.entries(after)) {
    const old = valueAt(before, [name]);
    if (isDeepStrictEqual(old, value)) continue;
    const node = map.get(name, true) as Scalar | YAMLMap | undefined;
    if (isMap(node) && isObject(old) && isObject(value)) setMembers(document, node, old, value);
    else map.set(name, document.createNode(value));
  }
}

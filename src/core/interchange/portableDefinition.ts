import { t } from '@vscode/l10n';
import type { InputDefinition, ConfigSource } from '../config/serverDefinition.js';
import type { ServerEntry } from '../registry/serverEntry.js';
import { ownFormats } from './appFormats.js';
import type { PortableServer } from './portableServer.js';
import { readText } from './notation.js';
import { mapServerTexts } from './portableServer.js';
import type { StartDescription } from '../config/describeStart.js';
import { describeStart } from '../config/describeStart.js';
import { canonicalJson } from '../base/jsonText.js';
import { exactText } from '../base/exactText.js';
import { definitionHash } from '../config/definitionHash.js';
import { parseConfigText, parseConfigValue } from '../config/parseConfig.js';
import { baseFolder } from '../config/definitionPaths.js';
import { inputsNamedBy } from '../config/variableSyntax.js';

/**
 * One of our servers, prepared for writing to another file. It contains the fields of its definition, including fields
 * that MCP Deck does not use.
 */
export function portableDefinition({
  name,
  definition,
  source,
  isEnabled,
}: Pick<ServerEntry, 'name' | 'definition' | 'source' | 'isEnabled'>): PortableServer {
  const { extra = {}, type, ...rest } = definition;
  const isEmpty = (value: unknown) =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  const written = Object.entries(rest).filter(([, value]) => !isEmpty(value));
  const fields = {
    ...(type === 'auto' || type === 'stdio' ? {} : { type }),
    ...Object.fromEntries(written),
    ...(isEnabled ? {} : { disabled: true }),
    ...extra,
  };
  const inputs = new Map<string, InputDefinition>();
  const format = { ...ownFormats[source.kind === 'portable' ? 'portable' : 'vscode'], id: 'vscode' as const };
  return { name, fields: mapServerTexts(fields, (text) => readText(text, format, inputs)) };
}

/**
 * Describes what a start of a server will do, before the server is written to `source`. Returns a problem if the server
 * could not be used.
 * @param userHome the working directory if neither the definition nor the source has a folder. If it is absent, a
 * working directory that the definition does not state is omitted, because the destination is not known yet.
 */
export function describePortable(
  server: PortableServer,
  inputs: readonly InputDefinition[],
  source: ConfigSource,
  userHome?: string,
): StartDescription | { problem: string } {
  const { servers, problems } = parseConfigText(JSON.stringify({ servers: { [server.name]: server.fields }, inputs }), {
    ...source,
    kind: 'vscode',
  });
  const [read] = servers;
  if (!read) return { problem: problems[0]?.message ?? '' };
  const { envFile } = read.definition.type === 'stdio' ? read.definition : {};
  const warnings =
    envFile === undefined || envFile === ''
      ? []
      : [t('The variables of the file {0} are not shown here. Read the file first.', exactText(envFile))];
  const description = describeStart({ name: server.name, definition: read.definition, source, inputs, warnings });
  if (read.definition.type !== 'stdio' || description.cwd !== undefined || userHome === undefined) return description;
  return { ...description, cwd: exactText(baseFolder({ folderPath: source.folderPath, userHome })) };
}

/**
 * The hash that the registry gives to these fields when it reads them from `source`. Undefined if the fields are not a
 * valid server.
 */
export function hashAsRead(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  inputs: readonly InputDefinition[],
  source: ConfigSource,
): string | undefined {
  return entryAsRead(name, fields, inputs, source)?.hash;
}

/**
 * The definition and the hash that the registry gives to these fields when it reads them from `source`. Undefined if
 * the fields are not a valid server.
 */
export function entryAsRead(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  inputs: readonly InputDefinition[],
  source: ConfigSource,
): Pick<ServerEntry, 'definition' | 'hash'> | undefined {
  const { servers } =
    source.kind === 'user' || source.kind === 'scratch'
      ? parseConfigValue({ [name]: fields }, source, inputs)
      : parseConfigText(
          JSON.stringify({ [source.kind === 'portable' ? 'mcpServers' : 'servers']: { [name]: fields }, inputs }),
          source,
        );
  const [read] = servers;
  if (!read) return undefined;
  const { definition } = read;
  const named = inputsNamedBy(definition, new Map(inputs.map((input) => [input.id, input])));
  return { definition, hash: definitionHash(definition, source, {}, named) };
}

/**
 * Whether two entries have the same definition. A comparison of the hashes is not sufficient, because they leave out
 * fields that need no new approval, such as timeouts.
 */
export function isSameDefinition(
  one: Pick<ServerEntry, 'definition' | 'hash'>,
  other: Pick<ServerEntry, 'definition' | 'hash'>,
): boolean {
  return one.hash === other.hash && canonicalJson(one.definition) === canonicalJson(other.definition);
}

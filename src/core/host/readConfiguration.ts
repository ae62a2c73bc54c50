import type { ConfigurationText } from '../config/configurationSource.js';
import { invalidConfig, parseConfigText, parseConfigValue, tooLargeConfig } from '../config/parseConfig.js';
import type { ConfigSource, ParsedConfig } from '../config/serverDefinition.js';

const start = { line: 0, character: 0, endLine: 0, endCharacter: 0 };

export const builtInSource: ConfigSource = { id: 'builtin', kind: 'builtin', label: 'built-in' };

/** The built-in servers of MCP Deck. */
export const builtInServers: ParsedConfig = {
  servers: [{ name: 'workspace', definition: { type: 'builtin' }, position: start, isDisabled: false }],
  inputs: [],
  problems: [],
  isBroken: false,
};

/** Parses the text that was read from one configuration source. */
export function readText(reading: ConfigurationText): ParsedConfig {
  if ('size' in reading) return tooLargeConfig(reading.source);
  if ('text' in reading)
    return reading.invalid
      ? invalidConfig(reading.source, reading.invalid)
      : parseConfigText(reading.text, reading.source);
  if ('parsed' in reading) return reading.parsed;
  if ('value' in reading) return parseConfigValue(reading.value, reading.source, reading.inputs);
  return {
    servers: [],
    inputs: [],
    problems: [{ severity: 'error', message: `The file could not be read: ${reading.unreadable}`, position: start }],
    isBroken: true,
  };
}

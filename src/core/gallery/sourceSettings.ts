/**
 * Which sources are used: those of the setting `mcpDeck.registries`, and the registry of VS Code's settings, which a
 * company can set by policy.
 */
import path from 'node:path';
import { isObject } from '../base/guards.js';

/** The official registry, which is the default of the setting. */
export const officialRegistry = 'https://registry.modelcontextprotocol.io';

/** A source as written. */
export interface WrittenSource {
  /** A URL (http, https, file) or an absolute path. */
  place: string;
  name: string;
  /** Headers of its requests. The values may contain `${input:id}`. */
  headers: Readonly<Record<string, string>>;
}

/** The values of the settings, unchecked. */
export interface SourceSettings {
  /** `mcpDeck.registries` of the user. */
  own: unknown;
  /** `chat.mcp.gallery.serviceUrl`: the value of the policy, otherwise that of the user. */
  vsCode: unknown;
  /** Whether only the registry of VS Code's settings may be used, because `chat.mcp.access` is `registry`. */
  isExclusive: boolean;
}

/** The sources in the order of their priority, and the values that are not sources. */
export interface ReadSources {
  sources: readonly WrittenSource[];
  /** The values that are not sources, as JSON, so that the user can find them in the setting. */
  unusable: readonly string[];
}

const maxSources = 20;

/** The registry of VS Code's settings comes first. If it is exclusive, all other sources are ignored. */
export function readSources({ own, vsCode, isExclusive }: SourceSettings): ReadSources {
  const company = typeof vsCode === 'string' && vsCode.trim() !== '' ? [vsCode] : [];
  const written = isExclusive ? company : [...company, ...(Array.isArray(own) ? (own as unknown[]) : [])];
  const sources = new Map<string, WrittenSource>();
  const unusable: string[] = [];
  for (const value of written) {
    const source = readSource(value);
    if (!source) unusable.push(JSON.stringify(value) ?? '');
    else if (!sources.has(source.place) && sources.size < maxSources) sources.set(source.place, source);
  }
  return { sources: [...sources.values()], unusable };
}

/** The IDs of the inputs that the headers of a source refer to. */
export function inputsOfHeaders(headers: WrittenSource['headers']): string[] {
  const ids = Object.values(headers).flatMap((value) => [...value.matchAll(inputReference)].map(([, id = '']) => id));
  return [...new Set(ids)];
}

/**
 * The headers for the download of a file that a source names: those of the source if the file has the same origin. Files
 * on other hosts get none, because the headers can contain a token.
 */
export function headersOfFile(
  { place, headers }: { place: string; headers?: Readonly<Record<string, string>> },
  file: string,
): Readonly<Record<string, string>> | undefined {
  const isWeb = /^https?:\/\//i.test(place) && URL.canParse(place) && URL.canParse(file);
  return isWeb && new URL(place).origin === new URL(file).origin ? headers : undefined;
}

/** The headers with the values of the inputs. Undefined if a value is missing. */
export function filledHeaders(
  headers: WrittenSource['headers'],
  values: ReadonlyMap<string, string>,
): Record<string, string> | undefined {
  if (inputsOfHeaders(headers).some((id) => !values.has(id))) return undefined;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(inputReference, (_, id: string) => values.get(id) ?? ''),
    ]),
  );
}

const inputReference = /\$\{input:([^${}]+)\}/g;

function readSource(value: unknown): WrittenSource | undefined {
  const { location, name, headers = {} } = isObject(value) ? value : { location: value };
  const place = typeof location === 'string' ? location.trim() : '';
  if (!isObject(headers) || !Object.values(headers).every((text) => typeof text === 'string')) return undefined;
  const called = nameOf(place);
  if (called === undefined) return undefined;
  return {
    place,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 80) : called,
    headers: headers as Record<string, string>,
  };
}

/** The host of a URL, or the last part of a path. Undefined for a text that is neither. */
function nameOf(place: string): string | undefined {
  if (/^https?:\/\//i.test(place)) return URL.canParse(place) ? new URL(place).host : undefined;
  if (/^file:\/\//i.test(place)) return URL.canParse(place) ? path.posix.basename(new URL(place).pathname) : undefined;
  return path.isAbsolute(place) ? path.basename(place) : undefined;
}

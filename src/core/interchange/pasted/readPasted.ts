/** Reads texts that describe servers: JSON for any app, command lines, URLs and links. Pure; starts nothing. */
import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import type { OwnFile } from '../appFormats.js';
import { ownFormats } from '../appFormats.js';
import { importServers } from '../importFile.js';
import type { Loss, PortableServer } from '../portableServer.js';
import type { Found, NotFound } from './foundServer.js';
import { isEntry, normalized } from './foundServer.js';
import { codeIn } from './markdownCode.js';
import { countOpenValues, maxOpenValues } from './openValues.js';
import { beginsLikeCommand, readPastedCommand, withoutPrompt } from './readCommand.js';
import { readPastedJson } from './readJson.js';
import { isAddress, readPastedUrl } from './readUrl.js';
import { freeName } from '../../base/freeName.js';
import { nameFor } from './serverName.js';

/** The servers of a pasted text. Their names are unique. */
export interface PastedServers {
  servers: PortableServer[];
  inputs: InputDefinition[];
  /** Entries that cannot be used, with the reason. */
  unusable: { name: string; reason: string }[];
  losses: Loss[];
  notes: string[];
  /** The file or setting in which the pasted command would save the servers. */
  place?: OwnFile;
}

/**
 * Maximum length of a text that is read, in UTF-16 code units. After each edit in an input box, the whole text is read
 * in one turn of the event loop.
 */
export const maxPastedLength = 50_000;
const maxServers = 200;

/** Reads the servers in a text. Returns a problem if there are none. Never throws. */
export function readPasted(text: string): PastedServers | NotFound {
  if (text.length > maxPastedLength)
    return { problem: t('The text has more than {0} characters. Import it from a file.', maxPastedLength) };
  const clean = text.replace(/^\uFEFF/, '').trim();
  if (clean === '') return { problem: t('Paste or type a command, a URL, or a JSON configuration.') };
  const parts = codeIn(clean);
  const found: Found[] = [];
  let problem: string | undefined;
  for (const part of parts) {
    const one = readPart(part);
    if ('problem' in one) problem ??= one.problem;
    else found.push(one);
  }
  const pasted = converted(found);
  if (pasted.servers.length > 0) return pasted;
  const [unusable] = pasted.unusable;
  return { problem: unusable?.reason ?? problem ?? t('There is no server in this text.') };
}

function readPart(text: string): Found | NotFound {
  const clean = withoutQuotes(text);
  if (isAddress(clean)) return readPastedUrl(clean);
  if (isAddress(text)) return readPastedUrl(text);
  if (beginsLikeCommand(text)) return readPastedCommand(withPlainPrompts(text));
  if (text.includes('{')) return readPastedJson(text);
  const lines = text.split('\n').filter((line) => beginsLikeCommand(line) && !/[.:!?]$/.test(line.trim()));
  if (lines.length > 0) return readPastedCommand(lines.map(withoutPrompt).join('\n'));
  const urls = text.match(/https?:\/\/[^\s"'`<>)\]]+/g) ?? [];
  const isProse = text.includes('\n') || text.split(/\s+/).length > 6;
  const [url] = urls.filter((one) => /\/(?:mcp|sse)\/?(?:[?#]|$)/.test(one));
  if (url !== undefined && (isProse || /\s/.test(text)) && !isPathWithOption(text)) return readPastedUrl(url);
  return readPastedCommand(withPlainPrompts(text));
}

/** A text without the quotes or brackets around it. */
function withoutQuotes(text: string): string {
  if (!/^["'<(]/.test(text)) return text;
  const opening = /^[<("']+/.exec(text)?.[0].length ?? 0;
  const start = /^https?:/.test(text.slice(opening, opening + 6)) ? opening : 0;
  let end = text.length;
  while (end > start && '>)"\''.includes(text[end - 1] ?? ' ')) end--;
  return text.slice(start, end);
}

/** Whether a text begins with a path and an option: `./server --port 1`. */
function isPathWithOption(text: string): boolean {
  const path = /^\S*/.exec(text)?.[0] ?? '';
  return /[\\/.]/.test(path) && text.slice(path.length).trimStart().startsWith('-');
}

function withPlainPrompts(text: string): string {
  return text
    .split('\n')
    .map((line) => (/^\s*(?:\$|%|>|PS [^>]*>|[A-Z]:\\[^>]*>)\s/.test(line) ? withoutPrompt(line) : line))
    .join('\n');
}

/** Converts the entries to our fields and gives each a name. */
function converted(found: readonly Found[]): PastedServers {
  const pasted: PastedServers = { servers: [], inputs: [], unusable: [], losses: [], notes: [] };
  const taken = new Set<string>();
  const inputIds = new Set<string>();
  for (const { servers, inputs, notes = [], place } of found) {
    const named = servers.slice(0, Math.max(0, maxServers - taken.size)).map(({ name, raw }) => {
      const fields: unknown = isEntry(raw) ? normalized(raw) : raw;
      const unique = freeName(usableName(name) ?? (isObject(fields) ? nameFor(fields) : 'server'), taken);
      taken.add(unique);
      return { name: unique, raw: fields };
    });
    const read = importServers(
      { ...ownFormats.portable, id: 'vscode', title: t('the pasted text') },
      { path: [], servers: named, inputs },
    );
    for (const server of read.servers)
      if (countOpenValues(server) <= maxOpenValues) pasted.servers.push(server);
      else
        pasted.unusable.push({
          name: server.name,
          reason: t('More than {0} values are secret or missing.', maxOpenValues),
        });
    for (const input of read.inputs) {
      if (!inputIds.has(input.id)) pasted.inputs.push(input);
      inputIds.add(input.id);
    }
    pasted.unusable.push(...read.unusable);
    pasted.losses.push(...read.losses.filter(({ field }) => /^[^.]+$/.test(field) && !field.includes('$')));
    pasted.notes.push(...notes);
    pasted.place ??= place as OwnFile;
  }
  if (pasted.place === undefined) delete pasted.place;
  return pasted;
}

function usableName(name: string | undefined): string | undefined {
  const clean =
    name
      ?.replace(/[\p{Cc}\p{Cf}]/gu, '')
      .trim()
      .slice(0, 100) ?? '';
  return clean === '' || ['__proto__', 'constructor', 'prototype'].includes(clean) ? undefined : clean;
}

/**
 * Whether a text in the clipboard clearly describes a server, so that an input box can suggest it. Returns false for
 * other commands and addresses, because users copy these for many reasons.
 */
export function isMeantAsServer(text: string): boolean {
  const pasted = readPasted(text);
  if ('problem' in pasted) return false;
  const clean = text.trim();
  if (isAddress(clean) && /^https?:/i.test(clean))
    return (
      /\/(?:mcp|sse)\b|mcp[./-]|localhost|127\.0\.0\.1/i.test(clean) || !('url' in (pasted.servers[0]?.fields ?? {}))
    );
  return /mcp|"command"|"url"|^\s*(?:npx|uvx|bunx|docker run)\s/i.test(text);
}

/** A text in one line, as an input box shows it. */
export function inOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

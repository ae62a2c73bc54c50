/**
 * The list of a registry on disk: one compressed file per source. Its first line describes the list, and each further
 * line is an entry: its facts, a tab, and its `server.json`. Works offline.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { isObject } from '../base/guards.js';
import { onStorage } from '../base/storageFailure.js';
import type { GalleryEntry } from './galleryEntry.js';
import { maxEntries } from './registryClient.js';

/** The list of one source. */
export interface GalleryList {
  /** The last complete or incremental update, ms since the epoch. 0 if there was none. */
  updatedMs: number;
  /** The last complete update, ms since the epoch. 0 if there was none. */
  completeMs: number;
  /** By name, in the order of names. */
  entries: Map<string, GalleryEntry>;
}

/** Some entries of a list. */
export interface PickedEntries {
  /** The URL or path of the source. */
  source: string;
  entries: GalleryEntry[];
}

const format = 1;
/** Entries per turn of the event loop: about 1 ms. */
const entriesPerTurn = 50;
/** Limit of a decompressed file, UTF-16 code units. */
const maxLength = 500_000_000;
/** Limit of a line: an entry with its facts. Without it, a file of one line would be copied for each of its chunks. */
const maxLine = 1_000_000;

export class GalleryStore {
  /** @param folder is created with the first list. */
  constructor(private readonly folder: string) {}

  /** The stored list of a source. Undefined if there is none, or if the file is damaged. */
  async read(source: string): Promise<GalleryList | undefined> {
    let list: GalleryList | undefined;
    try {
      for await (const line of linesOf(this.fileOf(source))) {
        if (!list) {
          const head: unknown = JSON.parse(line);
          if (!isObject(head) || head['format'] !== format || head['source'] !== source) return undefined;
          list = { updatedMs: timeOf(head['updatedMs']), completeMs: timeOf(head['completeMs']), entries: new Map() };
          continue;
        }
        const tab = line.indexOf('\t');
        const entry = entryOf(JSON.parse(line.slice(0, tab)), line.slice(tab + 1));
        if (!entry) return undefined;
        list.entries.set(entry.name, entry);
        if (list.entries.size > maxEntries) return undefined;
      }
    } catch {
      // A file that does not exist or is damaged is replaced by the next update.
      return undefined;
    }
    return list;
  }

  /**
   * The entries with these names in a file of the store, with the URL or path of their source. Undefined if the file
   * is damaged. Reads one entry at a time, so that a large list needs little memory.
   */
  async pick(file: string, names: ReadonlySet<string>): Promise<PickedEntries | undefined> {
    let source: string | undefined;
    const entries: GalleryEntry[] = [];
    try {
      for await (const line of linesOf(file)) {
        if (source === undefined) {
          const head: unknown = JSON.parse(line);
          if (!isObject(head) || head['format'] !== format || typeof head['source'] !== 'string') return undefined;
          source = head['source'];
          continue;
        }
        const tab = line.indexOf('\t');
        const facts = JSON.parse(line.slice(0, tab)) as Omit<GalleryEntry, 'json'>;
        if (names.has(facts.name)) entries.push({ ...facts, json: line.slice(tab + 1) });
      }
    } catch {
      return undefined;
    }
    return source === undefined ? undefined : { source, entries };
  }

  /**
   * Replaces the stored list; readers see the previous list or the whole new one. @throws HostError `storage-failed`.
   */
  async write(source: string, list: GalleryList): Promise<void> {
    const file = this.fileOf(source);
    const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    await onStorage({ operation: 'write', thing: file }, async () => {
      await mkdir(this.folder, { recursive: true });
      try {
        await pipeline(
          Readable.from(listPieces(source, list)),
          createGzip(),
          createWriteStream(draft, { flags: 'wx' }),
        );
        await rename(draft, file);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    });
  }

  /** The file of the list of a source. The URL or path of the source may contain anything, so its hash is the name. */
  fileOf(source: string): string {
    return path.join(this.folder, `${createHash('sha256').update(source).digest('hex').slice(0, 32)}.json.gz`);
  }
}

function* listPieces(source: string, { updatedMs, completeMs, entries }: GalleryList): Generator<string> {
  let text = `${JSON.stringify({ format, source, updatedMs, completeMs })}\n`;
  let count = 0;
  for (const { json, ...facts } of entries.values()) {
    text += `${JSON.stringify(facts)}\t${json}\n`;
    if (++count % entriesPerTurn !== 0) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const text = createReadStream(file).on('error', (error) => unpacked.destroy(error));
  const unpacked = text.pipe(createGunzip());
  unpacked.setEncoding('utf8');
  let rest = '';
  let length = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<string>) {
      length += chunk.length;
      if (length > maxLength) throw new Error('The file is too large.');
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxLine) throw new Error('A line is too long.');
      yield* lines;
    }
    if (rest !== '') throw new Error('The file is incomplete.');
  } finally {
    text.destroy();
    unpacked.destroy();
  }
}

/** An entry of the file; undefined if a part has another type, as in a damaged file. */
function entryOf(facts: unknown, json: string): GalleryEntry | undefined {
  if (!isObject(facts) || !isObject(JSON.parse(json))) return undefined;
  const { status, isLatest, ...texts } = facts;
  const isWhole = ['name', 'version', 'description'].every((name) => Object.hasOwn(texts, name));
  const areTexts = Object.values(texts).every((value) => typeof value === 'string');
  const isKnown = status === 'active' || status === 'deprecated' || status === 'deleted';
  if (!isWhole || !areTexts || !isKnown || !['boolean', 'undefined'].includes(typeof isLatest)) return undefined;
  return { ...(facts as unknown as Omit<GalleryEntry, 'json'>), json };
}

function timeOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

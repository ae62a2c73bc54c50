/** Writes zip archives byte by byte, also ones that no program for archives would write. */
import { deflateRawSync } from 'node:zlib';

export interface ZipFileSpec {
  /** Bytes for names that are not UTF-8. */
  name: string | Buffer;
  data?: string | Buffer;
  /** Mode of Unix with the type of the file; default a regular file. 0 for none. */
  mode?: number;
  /** The unpacked size in the directory, if it lies. */
  declared?: number;
  /** 8 (deflate) by default. */
  method?: number;
  /** Bit 0 means encrypted. */
  flags?: number;
  /** The index of an earlier file whose data the directory refers to. */
  dataOf?: number;
  /** The extra fields in the directory. */
  extra?: Buffer;
  /** The comment in the directory. */
  comment?: Buffer;
}

export interface ZipSpec {
  /** The number of files in the end record, if it lies. */
  count?: number;
  comment?: Buffer;
  /** Bytes after the end record. */
  after?: Buffer;
}

export function zipBytes(
  files: readonly ZipFileSpec[],
  { count, comment = Buffer.alloc(0), after }: ZipSpec = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  const none = Buffer.alloc(0);
  for (const file of files) {
    const { name, data = '', mode = 0o100644, declared, method = 8, flags = 0x800, dataOf } = file;
    const { extra = none, comment: ownComment = none } = file;
    const bytes = Buffer.from(data);
    const path = Buffer.from(name);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(20, 4);
    head.writeUInt16LE(flags, 6);
    head.writeUInt16LE(method, 8);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(declared ?? bytes.length, 22);
    head.writeUInt16LE(path.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(0x0314, 4);
    entry.writeUInt16LE(20, 6);
    head.copy(entry, 8, 6, 28);
    entry.writeUInt16LE(path.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt16LE(ownComment.length, 32);
    entry.writeUInt32LE((mode << 16) >>> 0, 38);
    entry.writeUInt32LE(dataOf === undefined ? offset : (offsets[dataOf] ?? 0), 42);
    offsets.push(offset);
    locals.push(head, path, packed);
    directory.push(entry, path, extra, ownComment);
    offset += 30 + path.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count ?? files.length, 8);
  end.writeUInt16LE(count ?? files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, list, end, comment, after ?? Buffer.alloc(0)]);
}

/** This many extra fields without data. */
export function emptyExtraFields(count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => Buffer.from([0x77, 0x77, 0, 0])));
}

/** The manifest of a small bundle, with other fields. */
export function bundleManifest(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    manifest_version: '0.3',
    name: 'little',
    display_name: 'Little Server',
    version: '1.0.0',
    description: 'A bundle of a test',
    author: { name: 'Tests' },
    server: {
      type: 'node',
      entry_point: 'server/index.js',
      mcp_config: { command: 'node', args: ['${__dirname}/server/index.js'], env: {} },
    },
    ...fields,
  });
}

/** The files of a small bundle. */
export function bundleFiles(fields?: Record<string, unknown>, code = 'process.stdin.resume();\n'): ZipFileSpec[] {
  return [
    { name: 'manifest.json', data: bundleManifest(fields) },
    { name: 'server/index.js', data: code },
  ];
}

import { isAscii } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';

/** The code before and after the text of a CommonJS file, which makes it a function. */
const head = '(function (exports, require, module, __filename, __dirname) { ';
const tail = '\n})';
const digestBytes = 32;

type Run = (exports: unknown, require: (id: string) => unknown, module: Module, file: string, folder: string) => void;

/** Code that V8 compiled in this window and that is not saved yet. */
interface Compiled {
  source: Buffer;
  script: Script;
}

/**
 * Loads CommonJS files of the extension with V8's code cache. Without the cache, V8 parses the whole file and compiles
 * each function on its first call. For a file of one megabyte, this blocks the extension host noticeably.
 *
 * A cache file is used only if it belongs to exactly this source text and is undamaged; a digest checks both. V8 itself
 * rejects a cache of another V8 version. Without a usable cache file, the file is compiled, which takes longer.
 *
 * The digest detects damage, not forgery: a program that can write with the user's permissions can also replace the
 * extension. A cache file that another user could have written is not read.
 */
export class CodeCache {
  /** Files whose compiled code came from the cache. */
  readonly taken = new Set<string>();
  private readonly prepared = new Map<string, Script>();
  private readonly compiled = new Map<string, Compiled>();

  /**
   * @param folder The cache folder, which the first {@link save} creates.
   * @param onCompiled Called when a file was loaded without a cache, so that there is a cache to save.
   */
  constructor(
    private readonly folder: string,
    private readonly onCompiled: () => void = () => undefined,
  ) {}

  /**
   * Compiles `file` without running it, so that the caller can yield before {@link load}. Throws the same errors as
   * {@link load}.
   */
  prepare(file: string): void {
    if (!createRequire(file).cache[file]) this.prepared.set(file, this.compile(file));
  }

  /**
   * Returns the exports of `file`, an absolute path. Like `require`, runs the file once. Relative imports of the file
   * are loaded in the same way.
   *
   * @throws The error of the file, or the reason why it cannot be read. The next call tries again.
   */
  load(file: string): unknown {
    const require = createRequire(file);
    const known = require.cache[file];
    if (known) return known.exports;
    const module = new Module(file);
    module.filename = file;
    require.cache[file] = module;
    try {
      const folder = path.dirname(file);
      const script = this.prepared.get(file) ?? this.compile(file);
      this.prepared.delete(file);
      const run = script.runInThisContext() as Run;
      run(
        module.exports,
        (id) => (id.startsWith('.') ? this.load(path.join(folder, id)) : require(id)),
        module,
        file,
        folder,
      );
    } catch (error) {
      delete require.cache[file];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  /**
   * Saves the code cache of the files that were loaded without one. The cache contains the functions that have run so
   * far, so call this after the code for startup has run. Failures are ignored: the next start compiles again.
   */
  async save(): Promise<void> {
    for (const [file, { source, script }] of this.compiled) {
      this.compiled.delete(file);
      const target = this.keptFile(file);
      // Another window may read or write the same file, so a temporary file is written first.
      const whole = `${target}.${randomUUID()}`;
      try {
        const code = script.createCachedData();
        await mkdir(this.folder, { recursive: true, mode: 0o700 });
        await writeFile(whole, Buffer.concat([digest(source, code), code]), { mode: 0o600 });
        await rename(whole, target);
      } catch {
        // A part of the file may have been written. It is removed below.
      }
      await this.removeUnfinished(target);
    }
  }

  /**
   * Removes unfinished files, including those of windows that were killed. If another window is writing such a file at
   * this moment, the next start writes it again.
   */
  private async removeUnfinished(target: string): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    const unfinished = names.filter((name) => name.startsWith(`${path.basename(target)}.`));
    await Promise.all(
      unfinished.map((name) => rm(path.join(this.folder, name), { force: true }).catch(() => undefined)),
    );
  }

  private compile(file: string): Script {
    const source = readFileSync(file);
    const cachedData = this.kept(file, source);
    // The text is decoded as Latin-1 if possible, because V8 processes text with one byte per character much faster.
    const text = source.toString(isAscii(source) ? 'latin1' : 'utf8');
    const script = new Script(`${head}${text}${tail}`, {
      filename: file,
      columnOffset: -head.length,
      ...(cachedData && { cachedData }),
    });
    if (cachedData && script.cachedDataRejected === false) this.taken.add(file);
    else {
      this.compiled.set(file, { source, script });
      this.onCompiled();
    }
    return script;
  }

  private kept(file: string, source: Buffer): Buffer | undefined {
    try {
      const kept = this.keptFile(file);
      if (!isOwn(kept)) return undefined;
      const bytes = readFileSync(kept);
      const code = bytes.subarray(digestBytes);
      return digest(source, code).equals(bytes.subarray(0, digestBytes)) ? code : undefined;
    } catch {
      return undefined;
    }
  }

  private keptFile(file: string): string {
    return path.join(this.folder, `${path.basename(file)}.bin`);
  }
}

/**
 * Returns false if another user of the machine owns the file or can write to it. Always true on systems without user
 * IDs.
 */
function isOwn(file: string): boolean {
  const { uid, mode } = statSync(file);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/**
 * A digest of source and code. It is needed because V8 compares only the length of the source and does not check the
 * code at all.
 */
function digest(source: Buffer, code: Buffer): Buffer {
  return createHash('sha256').update(source).update(code).digest();
}

import { isAscii } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';

/** What stands around the text of a CommonJS file. */
const head = '(function (exports, require, module, __filename, __dirname) { ';
const tail = '\n})';
const digestBytes = 32;

type Run = (exports: unknown, require: (id: string) => unknown, module: Module, file: string, folder: string) => void;

/** Code that V8 compiled here and that is not kept yet. */
interface Compiled {
  source: Buffer;
  script: Script;
}

/**
 * Loads CommonJS files of ours together with what V8 made of them the last time. Without it V8 reads a file to its end, and
 * compiles each function when it first runs: of a megabyte that is far longer than an editor may stand still.
 *
 * A kept file counts only for the very text it was made of and as it was written, which a digest holds; V8 itself refuses
 * what another version of it made. Whatever is wrong with a kept file costs time and nothing else.
 *
 * The digest finds damage, not forgery: whoever can write as this user can replace the extension itself as well. What another
 * user could have written is not read.
 */
export class CodeCache {
  /** Files whose code V8 took from what was kept. */
  readonly taken = new Set<string>();
  private readonly prepared = new Map<string, Script>();
  private readonly compiled = new Map<string, Compiled>();

  /**
   * @param folder Where code is kept; comes into being with the first {@link save}.
   * @param onCompiled There is something to be saved: a file was loaded for which nothing was kept.
   */
  constructor(
    private readonly folder: string,
    private readonly onCompiled: () => void = () => undefined,
  ) {}

  /** Compiles `file` and runs nothing, so that others can have their turn before {@link load}; throws as that does. */
  prepare(file: string): void {
    if (!createRequire(file).cache[file]) this.prepared.set(file, this.compile(file));
  }

  /**
   * What `file`, an absolute path, exports; runs it once, like `require`, and what it requires by relative paths in the same way.
   *
   * @throws what the file throws, or why it cannot be read; the next call tries again.
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
   * Keeps the code of the files that were loaded and not kept yet, with the functions that ran until now; call it when what a
   * start needs has run. A failure is no error: the next start takes the longer way once more.
   */
  async save(): Promise<void> {
    for (const [file, { source, script }] of this.compiled) {
      this.compiled.delete(file);
      const target = this.keptFile(file);
      // Another window may read or write the same file.
      const whole = `${target}.${randomUUID()}`;
      try {
        const code = script.createCachedData();
        await mkdir(this.folder, { recursive: true, mode: 0o700 });
        await writeFile(whole, Buffer.concat([digest(source, code), code]), { mode: 0o600 });
        await rename(whole, target);
      } catch {
        // It may lie there in part.
      }
      await this.removeUnfinished(target);
    }
  }

  /** Also what a window that was killed has left; one that is just being written is made again at the next start. */
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
    // A text of one byte a character is read in a fraction of the time.
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
 * False for a file that another user of the machine wrote or may write; where there are no such users it is always
 * ours.
 */
function isOwn(file: string): boolean {
  const { uid, mode } = statSync(file);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/** V8 compares lengths only, and reads what it is given as it is. */
function digest(source: Buffer, code: Buffer): Buffer {
  return createHash('sha256').update(source).update(code).digest();
}

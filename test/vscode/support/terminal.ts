/** A real terminal, by the library of VS Code's own terminals, and what a user sees and types in it. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import * as vscode from 'vscode';

interface Pty {
  onData(listener: (data: string) => void): void;
  onExit(listener: (end: { exitCode: number }) => void): void;
  write(data: string): void;
  kill(): void;
}

interface PtyLibrary {
  spawn(program: string, args: string[], options: { cwd: string; env: Record<string, string>; cols: number }): Pty;
}

/** Loads the library. A desktop VS Code has its packages in an archive, and native ones beside it. */
function ptyLibrary(): PtyLibrary {
  const folders = ['node_modules', 'node_modules.asar.unpacked'].map((name) => path.join(vscode.env.appRoot, name));
  const folder = folders.find((one) => existsSync(path.join(one, 'node-pty')));
  if (folder === undefined) throw new Error(`There is no node-pty in ${folders.join(' or ')}.`);
  return createRequire(path.join(folder, 'any.js'))('node-pty') as PtyLibrary;
}

/** A program in a terminal. */
export class Terminal {
  private text = '';
  private seen = 0;
  private wake: (() => void) | undefined;
  private readonly pty: Pty;
  /** The exit code of the program. */
  readonly exitCode: Promise<number>;
  private hasEnded = false;

  constructor(args: string[], cwd: string, env: Record<string, string> = {}) {
    const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    this.pty = ptyLibrary().spawn(process.execPath, args, {
      cwd,
      env: { ...Object.fromEntries(inherited), ELECTRON_RUN_AS_NODE: '1', CI: '', NO_COLOR: '1', ...env },
      cols: 500,
    });
    this.pty.onData((data) => {
      this.text += data;
      this.wake?.();
    });
    this.exitCode = new Promise((resolve) => {
      this.pty.onExit(({ exitCode }) => {
        this.hasEnded = true;
        this.wake?.();
        resolve(exitCode);
      });
    });
  }

  /** Everything that the terminal has shown, without control sequences. */
  get shown(): string {
    return stripVTControlCharacters(this.text);
  }

  /** Waits until the terminal shows a text after the last one that was waited for. */
  async until(pattern: RegExp): Promise<void> {
    for (;;) {
      const found = pattern.exec(this.shown.slice(this.seen));
      if (found) {
        this.seen += found.index + found[0].length;
        return;
      }
      if (this.hasEnded) throw new Error(`The program ended without showing ${String(pattern)}:\n${this.shown}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Types a text and presses Enter. */
  enter(text: string): void {
    this.pty.write(`${text}\r`);
  }

  /** Presses keys. */
  press(keys: string): void {
    this.pty.write(keys);
  }

  /** Ends the program, if it has not ended. */
  async close(): Promise<void> {
    if (!this.hasEnded) this.pty.kill();
    await this.exitCode;
  }
}

/** The programs that start packages, and whether they are on this machine. */
import { findCommand, remedyFor } from '../transport/stdio/findCommand.js';

/** The product that contains each command that `define` returns. */
const products: Readonly<Record<string, string>> = {
  npx: 'Node.js',
  bunx: 'Bun',
  uvx: 'uv',
  docker: 'Docker',
  podman: 'Podman',
  dnx: '.NET SDK',
};

export interface NeededProgram {
  /** The name of the product, such as `Node.js`. */
  name: string;
  isHere: boolean;
  /** What to do if it is missing, as a sentence. */
  remedy: string;
}

/** Looks up programs on PATH. Runs no program, and looks up each command once. */
export class ProgramSearch {
  private readonly known = new Map<string, boolean>();

  /** @param cwd the folder for relative entries of PATH. Not a workspace, whose files must not count as programs. */
  constructor(
    private readonly env: Readonly<Record<string, string | undefined>>,
    private readonly cwd: string,
    private readonly platform: NodeJS.Platform = process.platform,
  ) {}

  /** @param t translates the sentence; default: English. */
  need(command: string, t?: (text: string) => string): NeededProgram {
    const isHere =
      this.known.get(command) ?? findCommand(command, this.env, this.cwd, this.platform).found !== undefined;
    this.known.set(command, isHere);
    return { name: products[command] ?? command, isHere, remedy: remedyFor(command, t) };
  }
}

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A client of a server on standard streams, without an SDK. */
export class LineClient {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting = new Map<number, (answer: unknown) => void>();
  private count = 0;

  constructor(program: string, args: readonly string[], folder: string) {
    this.child = spawn(program, args, { cwd: folder, stdio: 'pipe' });
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as { id?: number; method?: string };
      if (message.method === undefined && message.id !== undefined) this.waiting.get(message.id)?.(message);
    });
  }

  /** Resolves with the whole answer, a result or an error. */
  ask(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.count;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  tell(method: string): void {
    this.send({ jsonrpc: '2.0', method });
  }

  end(): void {
    this.child.stdin.end();
    this.child.kill();
  }

  private send(message: object): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

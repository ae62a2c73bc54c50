import { boundedKey } from '../base/boundedKey.js';
import type { JsonSchema } from '../protocol/mcp.js';
import type { ToolSecrets } from '../trace/toolSecrets.js';
import { allSecret, lengthOfSecrets, mergedSecrets, toolSecrets } from '../trace/toolSecrets.js';

/** Maximum number of tools. The least recently called tool is removed first. */
const maxTools = 1_000;

/**
 * Maximum total length of the names by which the secrets of a tool are found, in UTF-16 code units. Above it, every
 * argument is treated as a secret.
 */
const maxLength = 64 * 1024;

interface Called {
  /** The secrets of the schema of the latest call, without a limit. */
  readonly marked: ToolSecrets;
  /** The secrets that the schemas of all calls marked; `allSecret` if they are too large. */
  readonly all: ToolSecrets;
  /** The number of the latest call. */
  calledAt: number;
}

/**
 * The secrets in the arguments of the tools that were called. They are kept when the server stops or changes its tools,
 * so that a trace that is shown later still leaves out the secrets of earlier calls.
 */
export class CalledTools {
  private readonly called = new Map<string, Called>();
  /** Number of calls. */
  private calls = 0;

  /**
   * Records a tool before it is called.
   * @param schema the input schema of the tool at this time.
   */
  note(tool: string, schema: JsonSchema): void {
    const key = boundedKey(tool);
    const marked = toolSecrets(schema);
    const before = this.called.get(key);
    // The order of use is a number, not the order of the map, because V8 often rebuilds a map that is reordered with
    // each call.
    const calledAt = ++this.calls;
    if (before?.marked === marked) {
      before.calledAt = calledAt;
      return;
    }
    if (!before && this.called.size >= maxTools) this.forgetOldest();
    const latest = bounded(marked);
    this.called.set(key, { marked, all: bounded(mergedSecrets(before?.all, latest) ?? latest), calledAt });
  }

  /** The secrets that the schemas of all calls marked; undefined if the tool was not called. */
  of(tool: string): ToolSecrets | undefined {
    return this.called.get(boundedKey(tool))?.all;
  }

  private forgetOldest(): void {
    const [oldest] = [...this.called].reduce((one, other) => (other[1].calledAt < one[1].calledAt ? other : one));
    this.called.delete(oldest);
  }
}

function bounded(secrets: ToolSecrets): ToolSecrets {
  return lengthOfSecrets(secrets) <= maxLength ? secrets : allSecret;
}

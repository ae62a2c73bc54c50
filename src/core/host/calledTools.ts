import type { JsonSchema } from '../protocol/mcp.js';
import type { ToolSecrets } from '../trace/toolSecrets.js';
import { mergedSecrets, toolSecrets } from '../trace/toolSecrets.js';

/** Maximum number of tools. The tool whose call is the longest ago is removed first. */
const maxTools = 1_000;

/**
 * The secrets in the arguments of the tools that were called. They are kept when the server stops or changes its tools,
 * so that a trace that is shown later still leaves out the secrets of earlier calls.
 */
export class CalledTools {
  private readonly secrets = new Map<string, ToolSecrets>();

  /**
   * Records a tool before it is called.
   * @param schema the input schema of the tool at this time.
   */
  note(tool: string, schema: JsonSchema): void {
    const before = this.secrets.get(tool);
    const now = toolSecrets(schema);
    this.secrets.delete(tool);
    this.secrets.set(tool, mergedSecrets(before, now) ?? now);
    const [oldest] = this.secrets.keys();
    if (this.secrets.size > maxTools && oldest !== undefined) this.secrets.delete(oldest);
  }

  /** The secrets that the schemas of all calls marked; undefined if the tool was not called. */
  of(tool: string): ToolSecrets | undefined {
    return this.secrets.get(tool);
  }
}

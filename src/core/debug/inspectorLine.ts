/** The address at which the inspector of a Node process listens. */
export interface InspectorAddress {
  port: number;
  /** The URL is unique to this process: a later process on the same port has another URL. */
  url: string;
}

/**
 * Parses the line that Node writes to stderr when its inspector starts to listen. A server can write such a line
 * itself, so only addresses on this machine and Node's exact format are accepted.
 */
export function readInspectorLine(line: string): InspectorAddress | undefined {
  const [, url, digits] =
    /^Debugger listening on (ws:\/\/127\.0\.0\.1:(\d{1,5})\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$/.exec(
      line,
    ) ?? [];
  const port = Number(digits);
  return url === undefined || port < 1 || port > 65_535 ? undefined : { port, url };
}

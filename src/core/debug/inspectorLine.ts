/** Where the inspector of a Node process listens. */
export interface InspectorAddress {
  port: number;
  /** Names this process: another one at the same port has another. */
  url: string;
}

/**
 * Reads what Node writes to stderr when its inspector listens. A server can write the same; so only this machine counts,
 * and nothing but what Node itself would write.
 */
export function readInspectorLine(line: string): InspectorAddress | undefined {
  const [, url, digits] =
    /^Debugger listening on (ws:\/\/127\.0\.0\.1:(\d{1,5})\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$/.exec(
      line,
    ) ?? [];
  const port = Number(digits);
  return url === undefined || port < 1 || port > 65_535 ? undefined : { port, url };
}

/** The processes of MCP servers that belong to a window, read from the operating system, including orphans. */
const pollMs = 25;
const limitMs = 30_000;

/** Our fixture servers, and the grandchildren that some of them start. */
const isServer = ({ command }) => /fixtures\/servers\/|setInterval\(\(\) => \{\}, 1000\)/.test(command);

/** As `{ pid, startedAt, command }`. A process that an earlier call saw is found even when its parents have ended. */
export function serverProcesses(window) {
  return [...window.processes(), ...window.orphans()].filter(isServer);
}

/** Waits until `fits(processes)` holds for the server processes of the window, and returns them. */
export async function untilServers(window, what, fits) {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const all = serverProcesses(window);
    if (fits(all)) return all;
    if (Date.now() > deadline)
      throw new Error(
        `Timed out waiting until ${what}. Processes:\n${all.map(({ pid, command }) => `${pid} ${command}`).join('\n')}`,
      );
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Pid and start time together identify a process. */
export const nameOf = ({ pid, startedAt }) => `${pid} ${startedAt}`;

/** Whether none of `before` runs any more. */
export function areGone(before, now) {
  const names = new Set(now.map(nameOf));
  return before.every((one) => !names.has(nameOf(one)));
}

/** The extension hosts of the window. */
export function extensionHosts(window) {
  return window.processes().filter(({ command }) => command.includes('--type=extensionHost'));
}

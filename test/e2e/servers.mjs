/** The processes of MCP servers that belong to a window, as the operating system sees them: also those that lost their parent. */
const pollMs = 25;
const limitMs = 30_000;

/** Our fixture servers, and the grandchildren that some of them start. */
const isServer = ({ command }) => /fixtures\/servers\/|setInterval\(\(\) => \{\}, 1000\)/.test(command);

/** As `{ pid, startedAt, command }`. What ran at any look before and runs still is found even when its parents are gone. */
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
        `It never came to pass that ${what}. There are:\n${all.map(({ pid, command }) => `${pid} ${command}`).join('\n')}`,
      );
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Pid and start time together name a process. */
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

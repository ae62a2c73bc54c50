const autoStarts = ['never', 'lastRunning', 'always'] as const;

/** Defines which servers start automatically when the window opens. */
export type AutoStart = (typeof autoStarts)[number];

const defaultStart: AutoStart = 'lastRunning';

/**
 * Combines the user's setting with that of the workspace. A workspace can only reduce the number of servers that start:
 * it must not start servers from the user settings (security requirement C3). Unknown values are ignored.
 */
export function autoStartOf(ofUser: unknown, ofWorkspace: unknown): AutoStart {
  const own = autoStarts.find((one) => one === ofUser) ?? defaultStart;
  const wanted = autoStarts.find((one) => one === ofWorkspace) ?? own;
  return autoStarts.indexOf(wanted) < autoStarts.indexOf(own) ? wanted : own;
}

const autoStarts = ['never', 'lastRunning', 'always'] as const;

/** Which servers start by themselves when the window opens. */
export type AutoStart = (typeof autoStarts)[number];

const defaultStart: AutoStart = 'lastRunning';

/**
 * What the user's settings and those of the workspace say together. A workspace only narrows: it must not start the servers
 * of the user's own settings (security requirement C3). What is none of the words counts as left out.
 */
export function autoStartOf(ofUser: unknown, ofWorkspace: unknown): AutoStart {
  const own = autoStarts.find((one) => one === ofUser) ?? defaultStart;
  const wanted = autoStarts.find((one) => one === ofWorkspace) ?? own;
  return autoStarts.indexOf(wanted) < autoStarts.indexOf(own) ? wanted : own;
}

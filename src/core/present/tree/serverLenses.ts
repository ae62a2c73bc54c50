import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import { devDebugOf } from '../../config/dev.js';
import type { ServerView } from '../../catalog/hostTypes.js';

/** One text above a server in its file, with the name of its command in the manifest. */
export interface ServerLens {
  title: string;
  command:
    | 'startServer'
    | 'stopServer'
    | 'restartServer'
    | 'runTool'
    | 'reviewTrust'
    | 'enableServer'
    | 'diagnoseServer'
    | 'showLog'
    | 'signIn'
    | 'debugServer';
}

/**
 * The lenses of a server. The first one shows the state and contains the name MCP Deck, because VS Code has lenses for
 * its own copy of the server. The possible actions follow.
 */
export function serverLenses({ entry, state, features, needsRestart }: ServerView): ServerLens[] {
  const log = (icon: string, title: string): ServerLens => ({
    title: `$(${icon}) MCP Deck: ${title}`,
    command: 'showLog',
  });
  // The name MCP Deck distinguishes this lens from VS Code's own lens "Start".
  const start: ServerLens = { title: `MCP Deck: ${t('Start')}`, command: 'startServer' };
  const stop: ServerLens = { title: t('Stop'), command: 'stopServer' };
  const restart: ServerLens = { title: t('Restart'), command: 'restartServer' };
  // A definition with `dev.debug` is usually written by the developer of the server, so this lens is shown only for
  // such a definition.
  const debug: ServerLens[] = devDebugOf(entry.definition) ? [{ title: t('Debug…'), command: 'debugServer' }] : [];
  if (!entry.isEnabled) return [log('circle-slash', t('Disabled')), { title: t('Enable'), command: 'enableServer' }];
  switch (state.kind) {
    case 'stopped':
      return [log('circle-outline', t('Stopped')), start, ...debug];
    case 'starting':
      return [log('loading~spin', t('Starting')), stop];
    case 'stopping':
      return [log('loading~spin', t('Stopping'))];
    case 'needsInput':
      return [
        log('warning', t('Needs a value for "{0}"', visibleLine(state.error.data.input, 80))),
        { title: t('Start and Enter Value'), command: 'startServer' },
      ];
    case 'needsTrust':
      return [log('warning', t('Needs your approval')), { title: t('Review…'), command: 'reviewTrust' }];
    case 'needsSignIn':
      return [log('account', t('Needs a sign-in')), { title: t('Sign In…'), command: 'signIn' }];
    case 'failed':
      return [
        log('error', t('Failed')),
        { title: t('Diagnose'), command: 'diagnoseServer' },
        ...(state.retryAt === undefined ? [] : [stop]),
        restart,
        ...debug,
      ];
    case 'running': {
      const count = features?.tools.length ?? 0;
      const tools: ServerLens[] =
        count === 0
          ? []
          : [
              { title: count === 1 ? t('1 tool') : t('{0} tools', count), command: 'runTool' },
              { title: t('Run Tool…'), command: 'runTool' },
            ];
      return [
        log(
          needsRestart ? 'warning' : 'circle-filled',
          needsRestart ? t('Running. Restart to apply changes') : t('Running'),
        ),
        stop,
        restart,
        ...debug,
        ...tools,
      ];
    }
  }
}

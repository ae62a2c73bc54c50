import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { ServerFeatures } from '../../catalog/serverFeatures.js';
import { isTroubled } from '../../catalog/serverFeatures.js';
import type { UpdateNews } from '../../gallery/updates/serverUpdates.js';
import { isDebugged } from '../text/debugTexts.js';
import { elapsedText } from '../text/runTexts.js';
import { blockedShort } from '../failure/permissionTexts.js';
import { failureReason } from '../failure/failureText.js';
import { asksForKey } from '../failure/signInTexts.js';
import { remarkText } from '../text/remarkText.js';
import type { ServerIdentity } from '../../session/serverIdentity.js';

/** The fact about a server that is currently the most important one. */
export function serverDescription(view: ServerView, now: number): string {
  const fact = mainFact(view, now);
  const { source, definition } = view.entry;
  // A mock is a scratch server as well, but `fact` already contains the word "mock".
  return source.kind === 'scratch' && definition.type !== 'builtin' ? `${t('scratch')} · ${fact}` : fact;
}

function mainFact(view: ServerView, now: number): string {
  const { entry, state, features } = view;
  if (!entry.isEnabled && state.kind === 'stopped') return t('disabled');
  if (view.blocked && (state.kind === 'stopped' || state.kind === 'failed')) return blockedShort(view.blocked.owner);
  if (view.switches?.isLeftOut === true && state.kind === 'stopped')
    return t('not in the preset "{0}"', visibleLine(view.switches.preset ?? '', 60));
  const signIn = signInDescription(view);
  if (signIn !== undefined) return signIn;
  switch (state.kind) {
    case 'stopped':
      return view.isChanged ? t('changed, start again') : stoppedText(view);
    case 'needsSignIn':
    case 'needsTrust':
    case 'needsInput':
      return failureReason(state.error);
    case 'starting': {
      if (view.debug?.state === 'paused') return t('paused in the debugger');
      if (state.isAsking === true) return t('waiting for your answer');
      const elapsed = elapsedText(now - state.since);
      const starting =
        state.attempt > 1 ? t('starting, {0} (attempt {1})', elapsed, state.attempt) : t('starting, {0}', elapsed);
      return state.remark ? `${starting} · ${remarkText(state.remark).short}` : starting;
    }
    case 'stopping':
      return t('stopping');
    case 'failed': {
      const reason = failureReason(state.error);
      return state.retryAt === undefined
        ? reason
        : t('{0}, starting again in {1}', reason, elapsedText(Math.ceil((state.retryAt - now) / 1_000) * 1_000));
    }
    case 'running':
      if (view.silentSince !== undefined) return t('not responding for {0}', elapsedText(now - view.silentSince));
      if (view.debug?.state === 'paused') return t('paused in the debugger');
      if (view.needsRestart) return t('restart to apply changes');
      return [
        ...(view.isRecorded ? [t('recording')] : []),
        ...(isDebugged(view) ? [t('debugging')] : []),
        transportName(view),
        ...(features ? countTexts(features) : []),
        ...(view.watched ? [t('watched')] : []),
      ].join(' · ');
  }
}

/** For a server that does not run, the text contains the transport and the source of the definition. */
function stoppedText(view: ServerView): string {
  const { source } = view.entry;
  return [
    t('stopped'),
    transportName(view),
    ...(source.kind === 'builtin' || source.kind === 'scratch' ? [] : [visibleLine(source.label, 40)]),
  ].join(' · ');
}

/** Whether a server is shown as failed. This includes a server that waits for a sign-in but asks for an API key. */
export function hasFailed({ state }: Pick<ServerView, 'state'>): boolean {
  return state.kind === 'failed' || (state.kind === 'needsSignIn' && asksForKey(state.error));
}

/** The state of the sign-in, if it is more important than all other facts. */
function signInDescription({ state, auth }: ServerView): string | undefined {
  if (!auth?.isPersonal || state.kind === 'stopping') return undefined;
  if (auth.state.kind === 'signingIn') return t('waiting for your sign-in at {0}', visibleLine(auth.host, 80));
  const isWanted =
    (state.kind === 'needsSignIn' && !asksForKey(state.error)) ||
    (state.kind === 'running' && auth.state.kind === 'signInNeeded');
  return isWanted ? t('sign in to {0}', visibleLine(auth.host, 80)) : undefined;
}

function transportName(view: ServerView): string {
  const { definition } = view.entry;
  if (definition.type === 'builtin') return definition.mock ? t('mock') : t('built-in');
  return view.features?.identity.transportKind ?? definition.type;
}

/** The number of items as in `countText`, marked as incomplete if a list could not be loaded. */
function countTexts(features: ServerFeatures): string[] {
  if (!isTroubled(features)) return [countText(features)];
  const { tools, resources, resourceTemplates, prompts } = features;
  const isEmpty = tools.length + resources.length + resourceTemplates.length + prompts.length === 0;
  return isEmpty ? [t('its lists could not be loaded')] : [countText(features), t('a list could not be loaded')];
}

/** The number of tools. If there are none, the number of resources, otherwise of prompts, otherwise of skills. */
function countText(features: ServerFeatures): string {
  const { tools, resources, resourceTemplates, prompts, skills } = features;
  if (tools.length > 0) return tools.length === 1 ? t('1 tool') : t('{0} tools', tools.length);
  const resourceCount = resources.length + resourceTemplates.length;
  if (resourceCount > 0) return resourceCount === 1 ? t('1 resource') : t('{0} resources', resourceCount);
  if (prompts.length > 0) return prompts.length === 1 ? t('1 prompt') : t('{0} prompts', prompts.length);
  if (skills && skills.entries.length > 0)
    return skills.entries.length === 1 ? t('1 skill') : t('{0} skills', skills.entries.length);
  return t('offers nothing');
}

/** Transport and revision in short form: `stdio · MCP 2025-11-25`, followed by `stateless` in the modern era. */
export function revisionBadge(identity: ServerIdentity): string {
  return `${identity.transportKind} · MCP ${identity.revision}${identity.era === 'modern' ? ' · stateless' : ''}`;
}

/**
 * The registry's news about an installed server, for its line in the tree: an update, a deprecation, or a removal.
 * Undefined if there is none.
 */
export function updateWords(news: UpdateNews | undefined): string | undefined {
  if (!news) return undefined;
  const { version, entry, hasUpdate } = news;
  if (!entry) return t('no longer in its registry');
  const words = [
    ...(hasUpdate ? [`${visibleLine(version, 30)} → ${visibleLine(entry.version, 30)}`] : []),
    ...(entry.status === 'deprecated' ? [deprecation(entry.statusMessage)] : []),
  ];
  return words.length === 0 ? undefined : words.join(', ');
}

function deprecation(reason: string | undefined): string {
  return reason === undefined ? t('deprecated') : t('deprecated: {0}', visibleLine(reason, 80));
}

import { t } from '@vscode/l10n';
import type { Badge, ItemView, ServerLine } from '../../../shared/panel/itemPage.js';
import { appUriOf, isForModel } from '../../apps/toolApp.js';
import { shownText, visibleLine } from '../../base/hostileText.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { Prompt, Tool } from '../../protocol/mcp.js';
import { hiddenInTool, hiddenWords } from '../text/hiddenText.js';
import { argumentsForm, schemaForm } from './schemaForm.js';
import { serverDescription } from '../server/serverDescription.js';

const maxDescription = 20_000;

/** The data that the page of a tool shows. */
export function toolView(tool: Tool): ItemView {
  return {
    ...namesOf(tool, givenTitleOf(tool)),
    badges: badgesOf(tool),
    form: schemaForm(tool.inputSchema),
  };
}

/** The title of a tool, without the work of `toolView` for its form. */
export function toolTitle(tool: Tool): string {
  return titleOf(tool.name, givenTitleOf(tool));
}

function givenTitleOf({ title, annotations }: Tool): string | undefined {
  return title ?? annotations?.title;
}

/** The data that the page of a prompt shows. The arguments of a prompt are texts. */
export function promptView(prompt: Prompt): ItemView {
  return {
    ...namesOf(prompt, prompt.title),
    badges: [],
    form: argumentsForm(prompt.arguments ?? []),
  };
}

/** The names and the description for the head of a page. */
export function namesOf(
  { name: raw, description: words = '' }: { name: string; description?: string | undefined },
  givenTitle = '',
): Pick<ItemView, 'title' | 'name' | 'description'> {
  const name = visibleLine(raw, 120);
  const title = titleOf(raw, givenTitle);
  const description = shownText(words, maxDescription).trim();
  return { title, ...(title === name ? {} : { name }), ...(description === '' ? {} : { description }) };
}

function titleOf(name: string, givenTitle = ''): string {
  return visibleLine(givenTitle, 120) || visibleLine(name, 120);
}

/**
 * The badges of a tool: its hidden characters, its relation to apps, and its annotations. Annotations are hints from an
 * untrusted server, so they warn or inform but permit nothing.
 */
function badgesOf(tool: Tool): Badge[] {
  const { annotations = {} } = tool;
  const badges: Badge[] = [];
  const hidden = hiddenInTool(tool);
  if (hidden > 0)
    badges.push({
      text: hiddenWords(hidden),
      kind: 'warning',
      tooltip: t(
        "The server's description of the tool contains hidden characters. They are shown here. A language model might read hidden characters as instructions.",
      ),
    });
  if (appUriOf(tool) !== undefined)
    badges.push({
      text: t('app'),
      kind: 'plain',
      tooltip: t('The server has an app that shows the results of this tool.'),
    });
  if (!isForModel(tool))
    badges.push({
      text: t('for apps'),
      kind: 'plain',
      tooltip: t('The server reserves this tool for its apps, so language models do not see it.'),
    });
  if (annotations.readOnlyHint === true)
    badges.push({ text: t('read-only'), kind: 'plain', tooltip: t('The server says that this tool changes nothing.') });
  else if (annotations.destructiveHint === true)
    badges.push({
      text: t('destructive'),
      kind: 'danger',
      tooltip: t('The server says that this tool can delete or overwrite data.'),
    });
  if (annotations.readOnlyHint !== true && annotations.idempotentHint === true)
    badges.push({
      text: t('idempotent'),
      kind: 'plain',
      tooltip: t('The server says that repeated calls of this tool have no further effect.'),
    });
  if (annotations.openWorldHint === true)
    badges.push({
      text: t('open world'),
      kind: 'plain',
      tooltip: t('The server says that this tool accesses external systems, for example the internet.'),
    });
  return badges;
}

/** A server's state for the head of a page, with the possible actions. */
export function serverLine(id: string, view: ServerView | undefined, now: number): ServerLine {
  const label = visibleLine(id, 80);
  if (!view) return { label, state: 'failed', text: t('is no longer configured'), actions: [] };
  const text = serverDescription(view, now);
  const start = { action: 'startServer', title: t('Start Server') } as const;
  const signIn = { action: 'signIn', title: t('Sign In…') } as const;
  const log = { action: 'showLog', title: t('Show Log') } as const;
  switch (view.state.kind) {
    case 'running':
      if (view.auth?.isPersonal === true && view.auth.state.kind === 'signInNeeded')
        return { label, state: 'running', text, actions: [signIn] };
      return {
        label,
        state: 'running',
        text,
        actions: view.needsRestart ? [{ action: 'restartServer', title: t('Restart Server') }] : [],
      };
    case 'starting':
    case 'stopping':
      return { label, state: 'waiting', text, actions: [log] };
    case 'needsSignIn':
      return { label, state: 'stopped', text, actions: [signIn] };
    case 'needsTrust':
      return { label, state: 'stopped', text, actions: [{ action: 'reviewTrust', title: t('Review…') }] };
    case 'needsInput':
      return { label, state: 'stopped', text, actions: [start] };
    case 'stopped':
      return { label, state: 'stopped', text, actions: view.entry.isEnabled ? [start] : [] };
    case 'failed':
      return { label, state: 'failed', text, actions: [{ action: 'restartServer', title: t('Restart Server') }, log] };
  }
}

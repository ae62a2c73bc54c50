/** The answers to `/servers` and `/why` in the chat. */
import { t } from '@vscode/l10n';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { Effect } from '../../consent/rule.js';
import { isForModel } from '../../apps/toolApp.js';
import type { Tool } from '../../protocol/mcp.js';
import { blockedError } from '../../registry/serverPolicy.js';
import { failureLine, failureText } from '../failure/failureText.js';
import { remarkText } from '../text/remarkText.js';
import { escapeMarkdown, escapeMarkdownLine, inlineCode } from '../text/markdown.js';
import { serverDescription } from '../server/serverDescription.js';

/** Maximum number of tools that are named. */
const maxNamed = 20;

/** The decision of the rules about a call by a language model, and the rule as text. */
export interface Decided {
  effect: Effect;
  rule?: string;
}

/** The servers as a Markdown list, each with its description from the Servers view. @param now epoch milliseconds. */
export function serversMarkdown(servers: readonly ServerView[], now = Date.now()): string {
  if (servers.length === 0) return `${t('No MCP server is configured.')}\n\n`;
  const lines = servers.map((view) => {
    const origin = escapeMarkdownLine(view.entry.source.label);
    return `- **${escapeMarkdownLine(view.id)}** — ${escapeMarkdownLine(serverDescription(view, now))} *(${origin})*`;
  });
  const isTroubled = servers.some(({ entry, features }) => entry.isEnabled && !features);
  const hint = isTroubled ? `\n\n${t('To see why a server does not run: {0}', '`@deck /why server`')}` : '';
  return `${lines.join('\n')}${hint}\n\n`;
}

/**
 * Why each enabled server does not run, and why tools of running servers are hidden from models. Servers that the
 * active preset does not include are left out.
 */
export function whyAllMarkdown(servers: readonly ServerView[]): string {
  const parts = servers
    .filter((view) => view.entry.isEnabled && view.switches?.isLeftOut !== true)
    .filter((view) => !view.features || hiddenTools(view).length > 0)
    .map(whyServerMarkdown);
  if (parts.length > 0) return parts.join('');
  const isLimited = servers.some((view) => view.entry.isEnabled && view.switches?.isLeftOut === true);
  const allRun = isLimited
    ? t('All enabled servers of the active preset run, and language models can see all of their tools.')
    : t('All enabled servers run, and language models can see all of their tools.');
  return `${allRun}\n\n`;
}

/** Why a server does not run, or which of its tools are hidden from models. */
export function whyServerMarkdown(view: ServerView): string {
  const name = `**${escapeMarkdownLine(view.id)}**`;
  return `${name}: ${reasonsOf(view).join(' ')}\n\n`;
}

function reasonsOf(view: ServerView): string[] {
  const { id, entry, state, features, switches, silentSince, needsRestart } = view;
  if (!entry.isEnabled) return [t('The server is disabled. Enable it in the Servers view.')];
  if (switches?.isLeftOut === true)
    return [
      t(
        'The preset "{0}" does not include the server. Choose another preset, or none.',
        escapeMarkdownLine(switches.preset ?? '', 60),
      ),
    ];
  if (features) {
    const hidden = hiddenTools(view);
    return [
      features.tools.length === 1
        ? t('The server is running with 1 tool.')
        : t('The server is running with {0} tools.', features.tools.length),
      ...(silentSince === undefined ? [] : [t('It is currently not responding.')]),
      ...(needsRestart ? [t('The definition changed. Restart the server to apply the change.')] : []),
      ...(hidden.length === 0
        ? [t('Language models can see all of them.')]
        : [
            t(
              'Hidden from language models: {0}.',
              hidden
                .slice(0, maxNamed)
                .map(({ tool, why }) => `${inlineCode(tool.name, 120)} (${why})`)
                .join(', '),
            ),
          ]),
    ];
  }
  switch (state.kind) {
    case 'failed':
    case 'needsSignIn':
    case 'needsTrust':
    case 'needsInput': {
      const { what, next } = failureText(state.error, id);
      return [escapeMarkdown(what), escapeMarkdown(next)];
    }
    case 'starting': {
      const remark = state.remark && remarkText(state.remark);
      return [
        t('The server is starting.'),
        ...(remark ? [escapeMarkdown(remark.what), escapeMarkdown(remark.next)] : []),
      ];
    }
    default:
      return [
        view.blocked
          ? escapeMarkdown(failureLine(blockedError(id, view.blocked), id))
          : t('The server is stopped. Start it in the Servers view.'),
      ];
  }
}

/** Whether a language model can call a tool, and why. */
export function whyToolMarkdown(view: ServerView, tool: Tool, decided: Decided): string {
  const name = `${inlineCode(tool.name, 120)} (${escapeMarkdownLine(view.id)})`;
  const why = whyHidden(view, tool);
  if (why !== undefined) return `${name}: ${t('Language models cannot see the tool: {0}.', why)}\n\n`;
  return `${name}: ${decisionText(decided)}\n\n`;
}

function decisionText({ effect, rule }: Decided): string {
  if (rule === undefined)
    return effect === 'allow'
      ? t('Language models can call the tool without asking you.')
      : t('No rule applies to calls by language models, so each call waits for your approval.');
  const text = inlineCode(rule, 300);
  switch (effect) {
    case 'allow':
      return t('Language models can call the tool without asking you, because of the rule {0}.', text);
    case 'ask':
      return t('Each call by a language model waits for your approval, because of the rule {0}.', text);
    case 'deny':
      return t('Calls by language models are denied by the rule {0}.', text);
  }
}

function hiddenTools(view: ServerView): { tool: Tool; why: string }[] {
  return (view.features?.tools ?? []).flatMap((tool) => {
    const why = whyHidden(view, tool);
    return why === undefined ? [] : [{ tool, why }];
  });
}

function whyHidden({ switches, quarantined }: ServerView, tool: Tool): string | undefined {
  if (quarantined?.has(tool.name) === true) return t('it changed since you approved it, and waits for your review');
  if (!isForModel(tool)) return t('its server offers it to apps only');
  switch (switches?.whyOff(tool.name)) {
    case 'user':
      return t('you disabled it');
    case 'definition':
      return t('the definition of its server disables it');
    case 'preset':
      return t('the active preset does not include it');
    case undefined:
      return undefined;
  }
}

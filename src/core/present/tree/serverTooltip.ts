import { t } from '@vscode/l10n';
import { tokensText } from '../text/toolTokens.js';
import type { Tool } from '../../protocol/mcp.js';
import type { ServerDefinition } from '../../config/serverDefinition.js';
import { partsOf } from '../../config/variableSyntax.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import { blockedError } from '../../registry/serverPolicy.js';
import type { UpdateNews } from '../../gallery/updates/serverUpdates.js';
import { revisionBadge, updateWords } from '../server/serverDescription.js';
import { runTime } from '../text/runTexts.js';
import { failureLine, failureText } from '../failure/failureText.js';
import { accountFacts, accountName } from '../text/accountText.js';
import { countWritten } from '../../base/hostileText.js';
import { flagged, hiddenIn } from '../text/hiddenText.js';
import { hiddenWarning } from './itemTooltips.js';
import { replaceSecretArguments } from '../../config/argumentSecrets.js';
import { escapeMarkdownLine, escapeParagraphs, inlineCode } from '../text/markdown.js';

/**
 * The facts about a server that do not fit into its line. Never contains the values of environment variables and
 * headers, nor the parts of a URL that may contain a secret.
 * @param news what the registry has about the server.
 */
export function serverTooltip(view: ServerView, now: number, locale = 'en', news?: UpdateNews): string {
  const { entry, state, features } = view;
  const info = features?.identity.info;
  // The configured name of the server, never the name that the server states.
  const parts = [
    `**${escapeMarkdownLine(entry.id)}**${features ? ` — ${inlineCode(revisionBadge(features.identity))}` : ''}`,
  ];
  parts.push(...hiddenWarning(hiddenIn(info)));
  if (info?.description !== undefined) parts.push(escapeParagraphs(info.description, 500));
  if (view.blocked) parts.push(escapeParagraphs(failureLine(blockedError(entry.id, view.blocked), entry.id), 1_200));
  else if (state.kind === 'failed')
    parts.push(`**${t('Failed:')}** ${escapeParagraphs(failureLine(state.error, entry.id), 1_200)}`);

  const facts: [label: string, markdown: string][] = [];
  facts.push(...definitionFacts(entry.definition));
  if (info) facts.push([t('Server'), escapeMarkdownLine([info.title ?? info.name, info.version].join(' '))]);
  facts.push(...signInFacts(view, now));
  // Times instead of durations, because VS Code keeps the text of a tooltip.
  if (state.kind === 'running') facts.push([t('Running since'), escapeMarkdownLine(runTime(state.since, now, locale))]);
  if (state.kind === 'failed') facts.push([t('Failed at'), escapeMarkdownLine(runTime(state.at, now, locale))]);
  facts.push(...costFacts(view));
  if (view.endpoint?.pid !== undefined) facts.push([t('Process'), String(view.endpoint.pid)]);
  if (entry.definition.type !== 'builtin')
    facts.push([
      t('Roots'),
      view.roots.length === 0 ? t('none') : view.roots.map(({ uri, name }) => inlineCode(name ?? uri, 80)).join(', '),
    ]);
  if (view.watched)
    facts.push([
      t('Restarts on changes to'),
      view.watched
        .slice(0, 10)
        .map((pattern) => inlineCode(pattern, 80))
        .join(', '),
    ]);
  const update = updateWords(news);
  if (update !== undefined) facts.push([t('Registry'), escapeMarkdownLine(update)]);
  facts.push([t('Defined in'), escapeMarkdownLine(entry.source.label)]);
  parts.push(facts.map(([label, markdown]) => `${label}: ${markdown}`).join('  \n'));

  if (view.debug?.state === 'left')
    parts.push(
      t(
        'The server was started for debugging, and no debugger is attached. Its debugger port is open on this machine until the server is restarted or stopped.',
      ),
    );
  if (view.needsRestart) parts.push(t('The definition changed. Restart the server to apply the change.'));
  if (features && features.warnings.length > 0)
    parts.push(
      features.warnings.map((warning) => `- ${escapeMarkdownLine(flagged(warning, countWritten(warning)))}`).join('\n'),
    );
  return parts.join('\n\n');
}

/** The cost of the tools for a model. Tools that are switched off do not count. */
function costFacts(view: ServerView): [string, string][] {
  const text = tokensText(toolsInUse(view));
  return text === undefined ? [] : [[t('Tools'), text]];
}

/** The tools that are not switched off, which count for the cost. */
export function toolsInUse({ features, switches }: ServerView): Tool[] {
  return features?.tools.filter(({ name }) => switches?.whyOff(name) === undefined) ?? [];
}

function signInFacts({ id, auth }: ServerView, now: number): [string, string][] {
  if (!auth) return [];
  if (auth.state.kind !== 'signedIn')
    return [
      [
        t('Sign-in'),
        auth.state.kind === 'signingIn'
          ? t('waiting for the browser')
          : escapeMarkdownLine(failureText(auth.state.error, id).what, 400),
      ],
    ];
  const { account } = auth.state;
  return [
    [
      t('Signed in as'),
      escapeMarkdownLine(auth.isPersonal ? accountName(account) : t('MCP Deck itself, without a user')),
    ],
    [t('Issuer'), inlineCode(account.issuer, 200)],
    [t('Access'), escapeMarkdownLine(accountFacts(account, now), 400)],
  ];
}

/** The arguments for display, without the parts that may be secret. */
export function displayArguments(args: readonly string[]): string[] {
  return replaceSecretArguments(args, { hide: () => '…', address: displayUrl });
}

/**
 * A URL for display: without user, password and query, which may contain secrets. Variables before an `@` are kept,
 * because their values can decide the host.
 */
export function displayUrl(url: string): string {
  const withoutUser = url.replace(/^([a-z][a-z0-9+.-]*:\/\/)([^\\/?#]*@)/i, (_, scheme: string, user: string) => {
    const variables = [...partsOf(user)].flatMap(({ isVariable, text }) => (isVariable ? [`\${${text}}`] : []));
    return variables.length === 0 ? scheme : `${scheme}${variables.join('')}@`;
  });
  return withoutUser.replace(/\?[^#]*/, '?…');
}

function definitionFacts(definition: ServerDefinition): [string, string][] {
  if (definition.type === 'builtin') return [[t('Transport'), t('runs inside MCP Deck, without a process')]];
  if (definition.type !== 'stdio') {
    const headers = Object.keys(definition.headers);
    const transport: [string, string][] =
      definition.type === 'socket' ? [[t('Transport'), t('JSON lines over a socket, without HTTP')]] : [];
    return [
      ...transport,
      [t('URL'), inlineCode(displayUrl(definition.url))],
      ...(headers.length > 0 ? [namesFact(t('Headers'), headers)] : []),
    ];
  }
  const facts: [string, string][] = [
    [t('Command'), inlineCode([definition.command, ...displayArguments(definition.args)].join(' '))],
  ];
  if (definition.cwd !== undefined) facts.push([t('Working directory'), inlineCode(definition.cwd)]);
  const names = Object.keys(definition.env);
  if (names.length > 0) facts.push(namesFact(t('Environment'), names));
  return facts;
}

function namesFact(label: string, names: readonly string[]): [string, string] {
  return [label, names.map((name) => inlineCode(name, 60)).join(', ')];
}

import { t } from '@vscode/l10n';
import type { SignInStep, SignInStepKind, SignInTrace } from '../../auth/signInTrace.js';
import { visibleLine } from '../../base/hostileText.js';

/**
 * The steps of sign-ins, for display. All texts in a step are masked and have hidden characters made visible. Untrusted
 * text appears only in fenced blocks, so that no viewer interprets it as Markdown.
 */

/** One step as a line of the log. */
export function stepLine({ kind, request, status, note }: SignInStep): string {
  return ['sign-in', kind, request, status, note]
    .filter((part) => part !== undefined)
    .map((part) => visibleLine(String(part), 300))
    .join(' · ');
}

/** The latest sign-ins of a server as Markdown, newest first. */
export function signInDocument(server: string, traces: readonly SignInTrace[]): string {
  const title = `# ${t('Sign-in trace for {0}', visibleLine(server, 100))}`;
  if (traces.length === 0) return `${title}\n\n${t('There was no sign-in and no token request in this window.')}\n`;
  const parts = [...traces].reverse().map((trace) => traceText(trace));
  return [title, t('Secrets are masked, so you can share this text.'), ...parts].join('\n\n') + '\n';
}

function traceText({ steps }: SignInTrace): string {
  const [first] = steps;
  const heading = `## ${
    first
      ? new Date(first.at)
          .toISOString()
          .replace('T', ' ')
          .replace(/\.\d+Z$/, ' UTC')
      : t('No steps yet')
  }`;
  return [heading, ...steps.map((step, index) => stepText(step, index + 1, first?.at ?? step.at))].join('\n\n');
}

function stepText(
  { at, kind, request, status, sent, received, note }: SignInStep,
  number: number,
  since: number,
): string {
  const lines = [`### ${number}. ${stepTitle(kind)}`];
  const facts = [
    request,
    status === undefined ? undefined : t('status {0}', status),
    t('after {0} ms', at - since),
  ].filter((part) => part !== undefined);
  lines.push(fence(facts.join('\n'), ''));
  if (sent !== undefined) lines.push(t('Sent:'), fence(JSON.stringify(sent, null, 2), 'json'));
  if (received !== undefined)
    lines.push(
      t('Received:'),
      typeof received === 'string' ? fence(received, '') : fence(JSON.stringify(received, null, 2), 'json'),
    );
  if (note !== undefined) lines.push(fence(note, ''));
  return lines.join('\n\n');
}

/** A fence that is longer than any run of backticks in the text. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${text}\n${mark}`;
}

function stepTitle(kind: SignInStepKind): string {
  switch (kind) {
    case 'challenge':
      return t('The server requires a sign-in');
    case 'resource-metadata':
      return t('Protected resource metadata');
    case 'issuer-metadata':
      return t('Authorization server metadata');
    case 'registration':
      return t('Client registration');
    case 'authorization':
      return t('Authorization request');
    case 'answer':
      return t('Authorization response');
    case 'token':
      return t('Token request');
    case 'revocation':
      return t('Token revocation');
    case 'done':
      return t('Done');
    case 'stopped':
      return t('Stopped here');
  }
}

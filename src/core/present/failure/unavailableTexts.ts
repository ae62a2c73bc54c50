/**
 * The sentences for a server, tool, prompt, skill or feature that does not exist, and for skill files that fail
 * verification.
 */
import { t } from '@vscode/l10n';
import { sizeText } from '../../../shared/amountText.js';
import type { SkillFileProblem, UnsupportedWhy } from '../../base/failureKinds.js';
import { visibleLine } from '../../base/hostileText.js';
import type { FailureFacts } from './failureFacts.js';
import type { KindText, KindTexts } from './kindText.js';
import { quoted } from './kindText.js';

export const unsupportedKinds: KindTexts<'unsupported', UnsupportedWhy> = {
  'no-skills': { what: (f) => t('{0} has no skills.', f.subject), short: () => t('has no skills') },
  'no-sign-in': {
    what: (f) => t('{0} does not use sign-in.', f.subject),
    short: () => t('does not use sign-in'),
    next: () =>
      t(
        'A sign-in needs an HTTP or WebSocket URL, and a configuration without an Authorization header and without "oauth": false.',
      ),
  },
  'no-sign-in-here': {
    said: () => t('Sign-in is not available here.'),
    next: () => t('Configure an Authorization header for the server instead.'),
  },
  user: off((tool, server) => t('The tool "{0}" of {1} is off: you disabled it.', tool, server), enableTool),
  definition: off(
    (tool, server) => t('The tool "{0}" of {1} is off: the definition of the server disables it.', tool, server),
    enableTool,
  ),
  preset: off(
    (tool, server) => t('The tool "{0}" of {1} is off: the active preset does not include it.', tool, server),
    () => t('To choose another preset or none, run "MCP Deck: Switch Preset…".'),
  ),
};

export const skillFileKinds: KindTexts<'verification-failed', SkillFileProblem> = {
  nothing: file(() => t('the server sent nothing')),
  several: file((f) => t('the server sent {0} items of content for one file', f.number('count') ?? 0)),
  'too-large': file((f) => t('it is larger than {0}', sizeText(f.number('expected') ?? 0))),
  'not-listed': file(() => t('no skill lists it')),
  size: file((f) => t('it has {0} bytes instead of {1} bytes', f.number('count') ?? 0, f.number('expected') ?? 0)),
  digest: file(() => t('its digest differs from the digest that the server listed')),
  'front-matter-length': file((f) => t('its front matter is longer than {0}', sizeText(f.number('expected') ?? 0))),
  'front-matter-unreadable': file(() => t('its front matter cannot be read')),
  'front-matter': file(() => t('its front matter differs from the front matter that the server listed')),
};

/** The sentence about a server that does not exist or no longer exists. */
export function unknownServerWhat(f: FailureFacts<'unknown-server'>): string {
  const name = f.text('name', 120);
  if (name === undefined) return f.detail;
  return f.data.isGone === true
    ? t('The server "{0}" no longer exists.', name)
    : t('There is no server "{0}" in this window.', name);
}

/** The next step of the user, with the names of the existing servers if they are known. */
export function unknownServerNext({ data }: FailureFacts<'unknown-server'>): string {
  if (data.isGone === true) return t('Add the server again, or close the editor.');
  if (data.known === undefined) return t('Choose one of the servers in the Servers view.');
  return data.known.length === 0
    ? t('No servers are configured.')
    : t('Known servers: {0}.', visibleLine(data.known.join(', '), 600));
}

/** The sentence about a tool that does not exist; undefined without a name. */
export function unknownToolWhat(f: FailureFacts<'unknown-tool'>): string | undefined {
  const tool = f.text('tool', 120);
  return tool === undefined ? undefined : t('{0} has no tool "{1}".', f.subject, tool);
}

/** The sentence about a skill that does not exist; undefined without a URI. */
export function unknownSkillWhat(f: FailureFacts<'unknown-skill'>): string | undefined {
  const uri = f.text('uri', 120);
  return uri === undefined ? undefined : t('{0} has no skill at {1}: {2}', f.subject, uri, quoted(f.text('detail')));
}

/** The sentence about a prompt that does not exist; undefined without a name. */
export function unknownPromptWhat(f: FailureFacts<'unknown-prompt'>): string | undefined {
  const prompt = f.text('prompt', 80);
  return prompt === undefined ? undefined : t('{0} has no prompt "{1}".', f.subject, prompt);
}

/** The sentence about a tool that could not be looked up, because the tools could not be listed. */
export function listFailedWhat(f: FailureFacts<'list-failed'>): string | undefined {
  const [tool, reason] = [f.text('tool', 120), f.text('reason', 300)];
  return tool === undefined || f.data.list !== 'tools'
    ? undefined
    : t(
        '{0} could not list its tools, so MCP Deck cannot tell whether it has "{1}": {2}',
        f.subject,
        tool,
        quoted(reason),
      );
}

/** The sentence about a call without the name of a tool; undefined for other invalid arguments. */
export function argumentsWhat(f: FailureFacts<'invalid-arguments'>): string | undefined {
  return f.data.isNameless === true ? f.about(t('A tools/call request must specify the tool in "name".')) : undefined;
}

function enableTool(): string {
  return t('Enable the tool in the Servers view first.');
}

function off(text: (tool: string, server: string) => string, next: () => string): KindText<'unsupported'> {
  return {
    what: (f) => text(f.shown('tool', 120), f.object),
    short: () => t('the tool is off'),
    next,
  };
}

function file(why: (f: FailureFacts<'verification-failed'>) => string): KindText<'verification-failed'> {
  return {
    said: (f) => t('The skill file {0} was refused: {1}.', f.shown('uri', 120), why(f)),
    next: () => t('The skill changed after it was listed, or the server has a fault or cannot be trusted.'),
  };
}

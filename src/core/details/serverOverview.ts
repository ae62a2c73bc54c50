/** The information that a running server gives about itself, for the top of its page. All of it is untrusted. */
import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { escapeHiddenInJson, shownText, visibleLine } from '../base/hostileText.js';
import { maskText } from '../base/masking.js';
import { finderOf } from '../base/secretFinder.js';
import { flagged, hiddenIn } from '../present/text/hiddenText.js';
import type { Implementation } from '../protocol/mcp.js';
import type { HandshakeAnswer, ServerIdentity } from '../session/serverIdentity.js';
import { maxAnswer, maxInstructions } from '../session/serverIdentity.js';
import type { ServerOverview } from '../../shared/serverPage.js';
import { iconData } from './iconData.js';

const maxCapabilities = 40;
/** Maximum number of parts of one capability that are shown. */
const maxParts = 8;

/** A text on one line, without secrets, cut to a length. */
type Clean = (text: string, maxLength: number) => string;

/**
 * The overview for the page of a server: its own texts, limited, escaped, and without secrets.
 * @param secrets values that must not be shown, in case the server repeats them.
 */
export function serverOverview(identity: ServerIdentity, secrets: readonly string[]): ServerOverview {
  const { info, instructions, answer } = identity;
  const clean: Clean = (text, maxLength) => visibleLine(maskText(text, secrets), maxLength);
  const title = clean(info.title ?? info.name, 200);
  const name = clean(info.name, 200);
  const description = clean(info.description ?? '', 1_000);
  const website = info.websiteUrl === undefined ? '' : clean(info.websiteUrl, 500);
  return {
    title: flagged(title === '' ? t('No name') : title, hiddenIn(info)),
    ...(name === title || name === '' ? {} : { name }),
    ...(info.version === '' ? {} : { version: clean(info.version, 100) }),
    ...(description === '' ? {} : { description }),
    // Masking can change a URL, which then no longer works, so only an unchanged URL is shown as a link.
    ...(website !== '' && website === info.websiteUrl ? { website } : {}),
    icons: iconsOf(info),
    capabilities: capabilityTexts(identity.capabilities as Readonly<Record<string, unknown>>, clean),
    ...(instructions === undefined
      ? {}
      : { instructions: shownText(maskedInstructions(instructions, secrets), instructions.length + 100).trim() }),
    ...(answer ? { answer: shownAnswer(answer, secrets) } : {}),
  };
}

/**
 * The answer without secrets. Secrets are found by their characters, so they are masked before hidden characters become
 * escapes. In a truncated text, the beginning of a secret at the end is masked as well.
 */
function shownAnswer({ method, json, isWhole }: HandshakeAnswer, secrets: readonly string[]): HandshakeAnswer {
  const finder = finderOf(secrets);
  const shown = escapeHiddenInJson(isWhole ? finder.mask(json) : finder.maskBeginning(json));
  return { method, json: shown.slice(0, maxAnswer), isWhole: isWhole && shown.length <= maxAnswer };
}

function maskedInstructions(text: string, secrets: readonly string[]): string {
  if (text.length <= maxInstructions) return maskText(text, secrets);
  return finderOf(secrets).maskBeginning(text.slice(0, maxInstructions)) + text.slice(maxInstructions);
}

/** At most one icon for each theme, and one for all themes. */
function iconsOf({ icons = [] }: Implementation): ServerOverview['icons'] {
  const chosen = new Map<string, ServerOverview['icons'][number]>();
  for (const { src, theme } of icons.slice(0, 10)) {
    const forTheme = theme === 'light' || theme === 'dark' ? { theme } : {};
    const key = forTheme.theme ?? '';
    if (chosen.has(key)) continue;
    const data = iconData(src);
    if (data !== undefined) chosen.set(key, { src: data, ...forTheme });
  }
  return [...chosen.values()];
}

/** The declared capabilities as words, followed by their enabled parts in parentheses. */
function capabilityTexts(capabilities: Readonly<Record<string, unknown>>, clean: Clean): string[] {
  const words: Readonly<Record<string, string>> = {
    tools: t('Tools'),
    resources: t('Resources'),
    prompts: t('Prompts'),
    completions: t('Completion'),
    logging: t('Logging'),
    tasks: t('Tasks'),
  };
  const texts: string[] = [];
  let hidden = 0;
  // A server can declare any number of names, so a text is made only for those that are shown.
  const add = (text: () => string) => {
    if (texts.length < maxCapabilities) texts.push(text());
    else hidden++;
  };
  for (const [name, value] of Object.entries(capabilities)) {
    if (!isObject(value)) continue;
    // These two capabilities contain further ones, by name.
    if (name === 'extensions') for (const one in value) add(() => t('Extension {0}', clean(one, 100)));
    else if (name === 'experimental') for (const one in value) add(() => t('Experimental {0}', clean(one, 100)));
    else {
      const word = Object.hasOwn(words, name) ? words[name] : undefined;
      add(() => {
        const parts = partTexts(value, clean);
        return `${word ?? clean(name, 100)}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
      });
    }
  }
  return hidden > 0 ? [...texts, t('and {0} more', hidden)] : texts;
}

function partTexts(capability: Readonly<Record<string, unknown>>, clean: Clean): string[] {
  const words: Readonly<Record<string, string>> = {
    listChanged: t('reports changes of the list'),
    subscribe: t('reports updates'),
    list: t('can be listed'),
    cancel: t('can be canceled'),
  };
  const parts: string[] = [];
  for (const name in capability) {
    const value = capability[name];
    if (value !== true && !isObject(value)) continue;
    parts.push(Object.hasOwn(words, name) ? (words[name] ?? name) : clean(name, 60));
    if (parts.length >= maxParts) break;
  }
  return parts;
}

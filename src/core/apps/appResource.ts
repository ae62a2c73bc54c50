/** Validates the resource of an app (MCP Apps 2026-01-26, "UI Resource Format"). */
import { sizeText } from '../../shared/amountText.js';
import { isObject } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { ReadResourceResult, Resource, ResourceContents } from '../protocol/mcp.js';
import type { DeclaredDomains } from './appPolicy.js';
import { declaredDomains } from './appPolicy.js';
import { appMimeType } from './toolApp.js';

/** The data that the frame of an app is created from. */
export interface AppResource {
  html: string;
  declared: DeclaredDomains;
  /** Whether the server wants a border around its app; undefined if the server does not specify this. */
  prefersBorder?: boolean;
  /** The browser features that the app requests, such as `camera`; none is granted. */
  permissions: readonly string[];
}

/** Maximum length of the HTML, in characters. */
const maxHtmlLength = 8 * 1024 * 1024;
const knownPermissions = ['camera', 'microphone', 'geolocation', 'clipboardWrite'];

/**
 * The app in the result of `resources/read`. Throws HostError `invalid-message` or `too-large`.
 * @param listed the entry of `resources/list`; its declarations apply if the content has none.
 */
export function appResourceOf(
  { contents }: ReadResourceResult,
  uri: string,
  listed?: Pick<Resource, '_meta'>,
): AppResource {
  const content = contents.find((one) => one.uri === uri) ?? (contents.length === 1 ? contents[0] : undefined);
  if (!content) throw invalid('the server returned no content for its URI', uri);
  if (!isAppType(content.mimeType))
    throw invalid(
      `its MIME type is ${content.mimeType === undefined ? 'not given' : `"${visibleLine(content.mimeType, 80)}"`}; only "${appMimeType}" is shown`,
      uri,
    );
  const html = htmlOf(content, uri);
  const ui = uiOf(content) ?? uiOf(listed) ?? {};
  const { prefersBorder, permissions } = ui;
  return {
    html,
    declared: declaredDomains(ui['csp']),
    ...(typeof prefersBorder === 'boolean' ? { prefersBorder } : {}),
    permissions: isObject(permissions) ? knownPermissions.filter((name) => Object.hasOwn(permissions, name)) : [],
  };
}

function htmlOf({ text, blob }: ResourceContents, uri: string): string {
  if (typeof text !== 'string' && typeof blob !== 'string') throw invalid('it has neither text nor a blob', uri);
  // Four characters of base64 encode three bytes, and the bytes decode to at most as many characters.
  const isTooLong =
    typeof text === 'string' ? text.length > maxHtmlLength : (blob?.length ?? 0) > (maxHtmlLength * 4) / 3;
  if (isTooLong) {
    throw new HostError('too-large', `The app "${visibleLine(uri, 120)}" is larger than ${sizeText(maxHtmlLength)}.`, {
      data: { limitBytes: maxHtmlLength, app: uri },
    });
  }
  return text ?? Buffer.from(blob ?? '', 'base64').toString('utf8');
}

/**
 * Whether a MIME type is the type of an app. Spaces and quotes in its parameters are accepted (RFC 9110 section 8.3).
 */
function isAppType(mimeType: string | undefined): boolean {
  return mimeType !== undefined && mimeType.replace(/[\s"]/g, '').toLowerCase() === appMimeType;
}

function uiOf(item: { _meta?: Record<string, unknown> } | undefined): Record<string, unknown> | undefined {
  const ui = item?._meta?.['ui'];
  return isObject(ui) ? ui : undefined;
}

function invalid(problem: string, uri: string): HostError {
  return new HostError('invalid-message', `The app "${visibleLine(uri, 120)}" cannot be shown: ${problem}.`, {
    data: { method: 'resources/read', problem: 'app', subject: uri, detail: problem },
    hint: 'This is an error in the server. Its log may contain details.',
  });
}

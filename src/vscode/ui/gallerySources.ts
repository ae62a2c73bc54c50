import path from 'node:path';
import * as vscode from 'vscode';
import { isObject } from '../../core/base/guards.js';
import { HostError, UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { NamedSource } from '../../core/gallery/gallery.js';
import { GalleryStore } from '../../core/gallery/galleryStore.js';
import type { WrittenSource } from '../../core/gallery/sourceSettings.js';
import { filledHeaders, inputsOfHeaders, readSources } from '../../core/gallery/sourceSettings.js';
import { ownValue, othersValues } from '../adapters/settingPolicy.js';
import { showLineInput } from '../adapters/userMessages.js';
import { writtenSetting } from '../adapters/writtenSetting.js';
import type { ExtensionServices } from './services.js';

type Services = Pick<ExtensionServices, 'client' | 'extension' | 'settings'>;

/** The sources that the settings name now. */
export interface CurrentSources {
  sources: readonly NamedSource[];
  /** A sentence about the sources that are not used, and why. */
  note?: string;
}

/** The settings that determine the sources. */
export const sourceSettings = [
  'mcpDeck.registries',
  'mcpDeck.inputs',
  'chat.mcp.gallery.serviceUrl',
  'chat.mcp.access',
] as const;

/** Reads the sources from the settings. Contacts none of them. */
export async function currentSources(deck: Services): Promise<CurrentSources> {
  const { sources, unusable, isExclusive } = written(deck);
  const store = new GalleryStore(path.join(deck.extension.globalStorageUri.fsPath, 'registries'));
  const userAgent = `mcp-deck/${deck.client.version}`;
  const named = sources.map(async ({ place, name, headers }): Promise<NamedSource> => {
    const filled = filledHeaders(headers, await storedValues(deck, place, headers));
    const common = { place, name: visibleLine(name, 80), store, userAgent };
    return filled ? { ...common, headers: filled } : { ...common, problem: missingValue(headers) };
  });
  return { sources: await Promise.all(named), ...noteAbout(sources, unusable, isExclusive) };
}

/** Asks for the values of the inputs in the headers of a source, and stores them in secret storage. */
export async function enterValues(deck: Services, place: string): Promise<void> {
  const source = written(deck).sources.find((one) => one.place === place);
  if (!source) return;
  for (const id of inputsOfHeaders(source.headers)) {
    const value = await showLineInput({
      title: vscode.l10n.t('Registry "{0}"', visibleLine(source.name, 60)),
      prompt: vscode.l10n.t(
        '{0}. The value is sent to {1} and is kept in secret storage.',
        descriptionOf(deck, id),
        visibleLine(place, 200),
      ),
      password: true,
      ignoreFocusOut: true,
    });
    if (value === undefined) throw new HostError('cancelled', 'No value was entered.');
    await deck.extension.secrets.store(secretKey(place, id), value);
  }
}

function written({ settings }: Services) {
  const url = writtenSetting('chat.mcp.gallery.serviceUrl');
  const access = writtenSetting('chat.mcp.access');
  // Each of these values can only restrict the sources.
  const isExclusive = [access.defaultValue, ownValue(access), ...othersValues(access)].includes('registry');
  // For a setting with a policy, VS Code reports the value of the policy as the default value. Values of the workspace
  // and of the remote machine do not count, because they would add a source that the user did not choose.
  const isPolicy = typeof url.defaultValue === 'string' && url.defaultValue !== '';
  const vsCode = isPolicy ? url.defaultValue : ownValue(url);
  return { ...readSources({ own: settings.registries(), vsCode, isExclusive }), isExclusive };
}

async function storedValues({ extension }: Services, place: string, headers: WrittenSource['headers']) {
  const values = new Map<string, string>();
  for (const id of inputsOfHeaders(headers)) {
    const value = await extension.secrets.get(secretKey(place, id));
    if (value !== undefined) values.set(id, value);
  }
  return values;
}

/** A value is stored for one source, so that no other source receives it. */
function secretKey(place: string, id: string): string {
  return `registry:${JSON.stringify([place, id])}`;
}

function missingValue(headers: WrittenSource['headers']): UserError {
  const names = inputsOfHeaders(headers).map((id) => visibleLine(id, 60));
  return new UserError(vscode.l10n.t('A value is missing: {0}.', names.join(', ')));
}

function descriptionOf({ settings }: Services, id: string): string {
  const inputs = settings.userInputs();
  const input: unknown = Array.isArray(inputs)
    ? inputs.find((one: unknown) => isObject(one) && one['id'] === id)
    : undefined;
  const description = isObject(input) ? input['description'] : undefined;
  return visibleLine(typeof description === 'string' ? description : id, 200).replace(/\.$/, '');
}

function noteAbout(sources: readonly unknown[], unusable: readonly string[], isExclusive: boolean): { note?: string } {
  const notes = [
    ...(isExclusive
      ? [
          sources.length === 0
            ? vscode.l10n.t(
                '"chat.mcp.access" allows only servers of the company registry, but "chat.mcp.gallery.serviceUrl" is empty.',
              )
            : vscode.l10n.t(
                '"chat.mcp.access" allows only this registry. Other registries in your settings are not used.',
              ),
        ]
      : []),
    ...(unusable.length === 0
      ? []
      : [
          vscode.l10n.t(
            'Neither a URL nor an absolute path: {0}. Correct the setting "mcpDeck.registries".',
            unusable.map((text) => visibleLine(text, 80)).join(', '),
          ),
        ]),
  ];
  return notes.length === 0 ? {} : { note: notes.join(' ') };
}

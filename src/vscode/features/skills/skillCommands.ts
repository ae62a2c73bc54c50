import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import { skillChatText } from '../../../core/present/chat/chatInput.js';
import { otherSkill, skillPickRows } from '../../../core/present/chat/toolPick.js';
import type { ResourceAddress } from '../../../core/resources/resourcePath.js';
import type { SkillEntry } from '../../../core/skills/skillEntry.js';
import { bytesOf } from '../../../core/skills/skillFile.js';
import { concerning } from '../../ui/commandFunnel.js';
import { chooseTarget } from '../../ui/pickTarget.js';
import { withRunProgress } from '../../ui/runProgress.js';
import { ScriptCalls, requiredText } from '../../ui/scripting.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { ArgumentObject, Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { readToOpen } from '../../ui/showResource.js';
import { showLineInput } from '../../adapters/userMessages.js';

/** Maximum length of text that is put into the chat input, in bytes. The user can open longer text as a file. */
const maxInChat = 256 * 1024;

/**
 * Commands with which the user reads skills and puts them into the chat. Skills are not offered to models, because a
 * skill contains instructions from a server. The Skills extension requires approval of each skill and of every command
 * that a skill runs, and the chat has no way to ask for it.
 */
export const skillCommands: Feature = {
  name: 'skill commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(deck.commands.defineCommand(commandIds.openSkill, (invocation) => open(deck, invocation)));
    store.add(deck.commands.defineCommand(commandIds.sendSkillToChat, (invocation) => sendToChat(deck, invocation)));
    return store;
  },
};

/** The data of a skill that a script receives. All fields are unverified server content, except where noted. */
interface SkillText {
  server: string;
  uri: string;
  frontmatter: Record<string, unknown>;
  files: SkillEntry['files'];
  /** The content of `SKILL.md` with a verified digest. */
  text: string;
}

async function open(
  deck: Pick<ExtensionServices, 'host' | 'resources' | 'schemas'>,
  invocation: Invocation,
): Promise<SkillText | undefined> {
  if (invocation.call) return readFor(deck, invocation.call);
  const address = await chooseSkill(deck.host, invocation, vscode.l10n.t('Open Skill'));
  await findVisibly(deck, address);
  await vscode.commands.executeCommand('vscode.open', await readToOpen(deck, address), {
    preview: true,
  } satisfies vscode.TextDocumentShowOptions);
  return undefined;
}

async function readFor(
  { host, schemas }: Pick<ExtensionServices, 'host' | 'schemas'>,
  call: ArgumentObject<'openSkill'>,
): Promise<SkillText> {
  const uri = requiredText(call, 'uri', '{ "server": "name", "uri": "skill://name/SKILL.md" }');
  const server = await new ScriptCalls(host, schemas).running(call.server);
  const { frontmatter, files } = await host.calls.findSkill({ server, uri });
  const bytes = bytesOf(uri, await host.calls.readResource({ server, uri }));
  return { server, uri, frontmatter, files, text: bytes.toString('utf8') };
}

/** Puts the text and its origin into the chat input. Only the user can send it. */
async function sendToChat(deck: Pick<ExtensionServices, 'host'>, invocation: Invocation): Promise<void> {
  const address = await chooseSkill(deck.host, invocation, vscode.l10n.t('Send Skill to Chat'));
  const { server, uri } = address;
  const skill = await findVisibly(deck, address);
  const title = vscode.l10n.t('Reading {0}', visibleLine(uri, 80));
  const bytes = bytesOf(
    uri,
    await withRunProgress(title, (options) =>
      concerning(server, deck.host.calls.readResource({ server, uri }, options)),
    ),
  );
  if (bytes.length > maxInChat)
    throw new UserError(
      vscode.l10n.t(
        'The skill "{0}" is too long for the chat. Open it, and copy what you need.',
        visibleLine(skill.name, 80),
      ),
    );
  await vscode.commands.executeCommand('workbench.action.chat.open', {
    query: skillChatText({ server, uri, name: skill.name }, bytes.toString('utf8')),
    isPartialQuery: true,
  });
}

function findVisibly({ host }: Pick<ExtensionServices, 'host'>, { server, uri }: ResourceAddress): Promise<SkillEntry> {
  const title = vscode.l10n.t('Requesting {0}', visibleLine(uri, 80));
  return withRunProgress(title, (options) => concerning(server, host.calls.findSkill({ server, uri }, options)));
}

/** The skill that the user clicked or selects. Its server is running when this resolves. */
async function chooseSkill(
  host: Pick<HostApi, 'servers' | 'lifecycle'>,
  { target }: Invocation,
  title: string,
): Promise<ResourceAddress> {
  const clicked =
    target?.server !== undefined && target.uri !== undefined ? { server: target.server, name: target.uri } : undefined;
  const { server, name } = await chooseTarget(host, clicked, {
    title,
    placeholder: vscode.l10n.t('Type part of the name, the server, or the description'),
    noneMessage: vscode.l10n.t('No running server offers skills.'),
    rows: () =>
      skillPickRows(
        host.servers.list().filter(({ id }) => target?.server === undefined || id === target.server),
        Date.now(),
      ),
  });
  return { server, uri: name === otherSkill ? await askAddress(title, server) : name };
}

async function askAddress(title: string, server: string): Promise<string> {
  const uri = await showLineInput({
    title,
    prompt: vscode.l10n.t('The URI of a skill of "{0}"', visibleLine(server, 80)),
    placeHolder: 'skill://name/SKILL.md',
    ignoreFocusOut: true,
  });
  if (uri === undefined || uri.trim() === '') throw new HostError('cancelled', 'No URI was given.');
  return uri.trim();
}

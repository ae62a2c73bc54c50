import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { promptPickRows } from '../../core/present/toolPick.js';
import { presentPrompt } from '../../core/present/toolResult.js';
import type { GetPromptResult, Prompt } from '../../core/protocol/mcp.js';
import { concerning } from '../commandFunnel.js';
import type { DeckContext, Feature } from '../feature.js';
import type { Invocation } from '../invocation.js';
import { commandIds } from '../manifest.js';
import { askText, back, runSteps } from '../steps.js';
import { pickTarget, startVisibly } from './pickTarget.js';
import { withRunProgress } from './runProgress.js';
import { ScriptCalls } from './scripting.js';

export const getPromptCommands: Feature = {
  name: 'get prompt command',
  register(deck): Disposable {
    return deck.commands.register(commandIds.getPrompt, (invocation) => getPrompt(deck, invocation));
  },
};

/** Gets a prompt's messages and opens them; a script gets the plain result. */
async function getPrompt(deck: DeckContext, { call, target }: Invocation): Promise<GetPromptResult> {
  const { host } = deck;
  if (call) return new ScriptCalls(host, deck.schemas).getPrompt(call);
  const chosen =
    target?.server !== undefined && target.prompt !== undefined
      ? { server: target.server, name: target.prompt }
      : await pickTarget(host, {
          title: vscode.l10n.t('Get Prompt'),
          placeholder: vscode.l10n.t('Type a part of the name, the server or the description'),
          noneMessage: vscode.l10n.t('No running server offers prompts.'),
          rows: () => promptPickRows(host.servers().filter(({ id }) => target?.server === undefined || id === target.server), Date.now(), vscode.l10n.t),
        });
  const { server, name } = chosen;
  await startVisibly(host, server);
  const prompt = host.server(server)?.offer?.prompts.find((candidate) => candidate.name === name);
  if (!prompt) throw new HostError('unknown-prompt', vscode.l10n.t('The server "{0}" has no prompt "{1}".', server, visibleLine(name, 80)));
  const values = await askPromptArguments(server, prompt);
  const result = await withRunProgress(vscode.l10n.t('Getting {0}', visibleLine(prompt.title ?? name, 80)), (options) =>
    concerning(server, host.getPrompt({ server, prompt: name, arguments: values }, options)),
  );
  await deck.results.open(presentPrompt(result, { prompt: name }, vscode.l10n.t));
  return result;
}

/** Asks for each argument in order; an optional one that is left empty is not sent. */
async function askPromptArguments(server: string, prompt: Prompt): Promise<Record<string, string>> {
  const declared = prompt.arguments ?? [];
  const values = new Map<string, string>();
  await runSteps(
    declared.map(({ name, title, description, required }) => async (step) => {
      const label = visibleLine(title ?? name, 80);
      const what = description === undefined ? label : `${label}: ${visibleLine(description, 400)}`;
      const value = await askText({
        title: `${visibleLine(prompt.title ?? prompt.name, 80)} — ${visibleLine(server, 80)}`,
        step,
        totalSteps: declared.length,
        prompt: required === true ? what : vscode.l10n.t('{0} (optional, leave empty to leave it out)', what),
        value: values.get(name) ?? '',
        check: (text) => (required === true && text === '' ? vscode.l10n.t('{0} is required', label) : undefined),
      });
      if (value === undefined) return 'cancel';
      if (value === back) return 'back';
      values.set(name, value);
      return 'next';
    }),
  );
  const required = new Set(declared.filter((argument) => argument.required === true).map(({ name }) => name));
  return Object.fromEntries([...values].filter(([name, value]) => value !== '' || required.has(name)));
}

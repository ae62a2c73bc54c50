import { t } from '@vscode/l10n';
import { visibleName } from '../../base/visibleName.js';
import type { Caller } from '../../consent/rule.js';
import type { Tool } from '../../protocol/mcp.js';

/** The caller, described in a sentence. @param client the name that an agent gives itself. */
export function callerText(caller: Caller, client?: string): string {
  switch (caller) {
    case 'user':
      return t('Requested by you.');
    case 'model':
      return t('The language model requests this call.');
    case 'app':
      return t('An MCP App of the server requests this call.');
    case 'task':
      return t('A task requests this call.');
    case 'script':
      return t(
        'A command with arguments requests this call. It comes from a keybinding, a task input, or another extension.',
      );
    case 'agent':
      return client === undefined
        ? t('An agent outside of VS Code requests this call.')
        : t(
            'An agent outside of VS Code requests this call. It calls itself "{0}". MCP Deck cannot verify the name.',
            visibleName(client),
          );
  }
}

/** The caller, as a part of a sentence. */
export function callerName(caller: Caller, client?: string): string {
  switch (caller) {
    case 'user':
      return t('you');
    case 'model':
      return t('the language model');
    case 'app':
      return t('an MCP App');
    case 'task':
      return t('a task');
    case 'script':
      return t('a keybinding, a task input, or another extension');
    case 'agent':
      return client === undefined ? t('an agent') : t('the agent "{0}"', visibleName(client));
  }
}

/** The calls that a remembered answer would cover, if the user allows a call of this caller. */
export function answerScope(caller: Caller, client?: string): string {
  switch (caller) {
    case 'user':
      return t('Only for your own calls');
    case 'model':
      return t('Only for calls by language models');
    case 'app':
      return t('Only for calls by MCP Apps');
    case 'task':
      return t('Only for calls by tasks');
    case 'script':
      return t('Only for calls by commands, such as keybindings and other extensions');
    case 'agent':
      return client === undefined
        ? t('Only for calls by agents')
        : t('Only for calls by agents that call themselves "{0}"', visibleName(client));
  }
}

/** The annotations of a tool in words. They are claims of the server and may be false. */
export function toolClaims(tool: Tool): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
  return [
    ...(readOnlyHint === true ? [t('only reads')] : []),
    ...(destructiveHint === true && readOnlyHint !== true ? [t('can destroy data')] : []),
    ...(idempotentHint === true ? [t('safe to repeat')] : []),
    ...(openWorldHint === true ? [t('accesses external systems')] : []),
  ];
}

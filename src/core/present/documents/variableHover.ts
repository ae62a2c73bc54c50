import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { InputDefinition } from '../../config/serverDefinition.js';
import { partsOf } from '../../config/variableSyntax.js';
import { looksSecret } from '../../../shared/secretNames.js';

/** The data that determines the current value of a variable. */
export interface VariableFacts {
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the file, or the only open folder. */
  folderPath?: string | undefined;
  folders: readonly { name: string; path: string }[];
  userHome: string;
  inputs: readonly InputDefinition[];
  /** True for `.mcp.json`, where a name without a prefix is an environment variable. */
  isPortable: boolean;
  getSetting(key: string): unknown;
}

/** The variable at an offset of a text, with its start and end; undefined if there is none. */
export function variableAt(text: string, offset: number): { name: string; start: number; end: number } | undefined {
  let at = 0;
  for (const part of partsOf(text)) {
    const length = part.text.length + (part.isVariable ? 3 : 0);
    if (part.isVariable && offset >= at && offset < at + length)
      return { name: part.text, start: at, end: at + length };
    at += length;
  }
  return undefined;
}

/**
 * The meaning and, if it is known, the current value of a variable, in one or two sentences. A value that is likely a
 * secret is not shown.
 */
export function variableText(variable: string, facts: VariableFacts): string {
  const [, kind = variable, argument] = /^([^:]+):(.*)$/s.exec(variable) ?? [];
  const value = (text: string) => t('Current value: {0}', visibleLine(text, 300));
  switch (kind) {
    case 'workspaceFolder': {
      const folder =
        argument === undefined
          ? (facts.folderPath ?? (facts.folders.length === 1 ? facts.folders[0]?.path : undefined))
          : facts.folders.find(({ name }) => name === argument)?.path;
      if (folder === undefined && argument !== undefined)
        return t('No workspace folder is named "{0}".', visibleLine(argument, 100));
      if (folder === undefined && facts.folders.length === 0) return t('No folder is open.');
      return folder === undefined
        ? t(
            'The workspace folder. The variable has no value here. Specify the folder, as in {0}.',
            '${workspaceFolder:name}',
          )
        : `${t('The workspace folder.')} ${value(folder)}`;
    }
    case 'workspaceFolderBasename':
      return t('The name of the workspace folder.');
    case 'userHome':
      return `${t('Your home folder.')} ${value(facts.userHome)}`;
    case 'pathSeparator':
    case '/':
      return t('The path separator of this system.');
    case 'env':
      return environmentText(argument ?? '', facts);
    case 'config': {
      const setting = facts.getSetting(argument ?? '');
      return typeof setting === 'string' || typeof setting === 'number' || typeof setting === 'boolean'
        ? `${t('A setting.')} ${looksSecret(argument ?? '', String(setting)) ? t('The value looks like a secret and is not shown.') : value(String(setting))}`
        : t('A setting whose value cannot be used as text.');
    }
    case 'input': {
      const input = facts.inputs.find(({ id }) => id === argument);
      if (!input) return t('There is no input "{0}" in "inputs".', visibleLine(argument ?? '', 60));
      if (input.type === 'command')
        return t('The result of the VS Code command {0}.', visibleLine(input.command ?? '?', 200));
      const question = visibleLine(input.description ?? input.id, 200);
      return input.password === true
        ? t(
            'MCP Deck asks for the value when it is first needed, and keeps it in secret storage. Question: {0}',
            question,
          )
        : t('MCP Deck asks for the value when it is first needed. Question: {0}', question);
    }
  }
  const portable = facts.isPortable ? /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(variable) : null;
  return portable?.[1] === undefined
    ? t('There is no such variable, so the server cannot start.')
    : environmentText(portable[1], facts, portable[2]);
}

function environmentText(name: string, { env }: VariableFacts, fallback?: string): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  const what = t('An environment variable of VS Code.');
  if (value === undefined)
    return fallback === undefined
      ? `${what} ${t('The variable is not set.')}`
      : `${what} ${t('The variable is not set, so the text after ":-" is used.')}`;
  return `${what} ${looksSecret(name, value) ? t('The value looks like a secret and is not shown.') : t('Current value: {0}', visibleLine(value, 300))}`;
}

import { t } from '@vscode/l10n';
import { visibleLine } from '../base/hostileText.js';
import type { StdioDefinition, StdioFraming } from './serverDefinition.js';
import type { ServerFields } from './serverFields.js';
import { forbiddenInArguments } from './serverFields.js';

/** Reads a local server. @param isTyped whether the entry specifies a type. */
export function readLocalServer(fields: ServerFields, isTyped: boolean): StdioDefinition | undefined {
  const command = readCommand(fields, isTyped);
  const args = readArguments(fields);
  const env = readEnvironment(fields);
  const cwd = readPath(fields, 'cwd');
  const envFile = readPath(fields, 'envFile');
  const framing = readFraming(fields);
  const url = fields.members.get('url') ?? fields.members.get('serverUrl');
  if (command === undefined) return undefined;
  if (url && url.value.type !== 'null')
    fields.report(
      'warning',
      t('"{0}" is not used, because "command" makes this a local server. Remove one of them.', url.name),
      url.key,
    );
  return {
    type: 'stdio',
    command,
    args,
    env,
    ...(envFile === undefined ? {} : { envFile }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(framing === undefined ? {} : { framing }),
    ...(requestsSandbox(fields) ? { isSandboxRequested: true } : {}),
  };
}

function readCommand(fields: ServerFields, isTyped: boolean): string | undefined {
  const node = fields.node('command');
  if (!node) {
    if (isTyped && fields.has('url', 'serverUrl'))
      return fields.fail(
        t(
          'A server of type "stdio" needs a "command", the program to start. To connect to a "url", change the type to "http".',
        ),
        fields.node('type'),
      );
    return fields.fail(
      t('A local server needs a "command", the program to start. A remote server needs a "url".'),
      fields.members.get('command')?.value,
    );
  }
  const command: unknown = node.value;
  if (typeof command !== 'string')
    return fields.fail(t('"command" must be a string, the program to start. Its arguments belong in "args".'), node);
  if (command.trim() === '')
    return fields.fail(t('"command" is empty. A local server needs a "command", the program to start.'), node);
  if (forbiddenInArguments.test(command))
    return fields.fail(t('"command" cannot contain line breaks or NUL characters.'), node);
  // A path may contain spaces, but a program name without a folder does not.
  if (!fields.has('args') && /^[\w.-]+\s+\S/.test(command))
    fields.report(
      'warning',
      t('"command" must be the program only, but it contains spaces. Put its arguments into "args", one string each.'),
      node,
    );
  return command;
}

function readArguments(fields: ServerFields): string[] {
  const list = fields.node('args');
  if (!list) return [];
  if (list.type !== 'array') {
    fields.fail(t('"args" must be a list of strings, one per argument.'), list);
    return [];
  }
  return (list.children ?? []).map((node) => {
    const value: unknown = node.value;
    if (node.type !== 'string' && node.type !== 'number' && node.type !== 'boolean')
      fields.fail(t('Every item of "args" must be a string.'), node);
    else if (forbiddenInArguments.test(String(value)))
      fields.fail(t('"args" cannot contain line breaks or NUL characters.'), node);
    else fields.warnOfLostDigits(node);
    return String(value);
  });
}

function readPath(fields: ServerFields, name: 'cwd' | 'envFile'): string | undefined {
  const node = fields.node(name);
  if (!node) return undefined;
  const value: unknown = node.value;
  if (typeof value !== 'string') return fields.fail(t('"{0}" must be a string that contains a path.', name), node);
  return value.includes('\0') ? fields.fail(t('"{0}" cannot contain NUL characters.', name), node) : value;
}

/** Reads `env`. Numbers and booleans become text, as in VS Code; null removes an inherited variable. */
function readEnvironment(fields: ServerFields): Record<string, string | null> {
  const object = fields.node('env');
  if (!object) return {};
  if (object.type !== 'object') {
    fields.fail(t('"env" must be an object of names and values.'), object);
    return {};
  }
  const env: [string, string | null][] = [];
  for (const { name, key, value } of fields.distinct(object).values()) {
    const content: unknown = value.value;
    if (name === '' || /[=\0]/.test(name))
      fields.fail(t('"{0}" cannot be the name of an environment variable.', visibleLine(name, 60)), key);
    else if (value.type === 'null') env.push([name, null]);
    else if (value.type !== 'string' && value.type !== 'number' && value.type !== 'boolean') {
      fields.fail(
        t(
          'The value of the environment variable "{0}" must be a string, a number, true, false, or null.',
          visibleLine(name, 60),
        ),
        value,
      );
    } else if (String(content).includes('\0'))
      fields.fail(
        t('The value of the environment variable "{0}" cannot contain NUL characters.', visibleLine(name, 60)),
        value,
      );
    else {
      fields.warnOfLostDigits(value);
      env.push([name, String(content)]);
    }
  }
  return Object.fromEntries(env);
}

/** Whether the entry asks for the sandbox of VS Code, which MCP Deck does not have. */
function requestsSandbox(fields: ServerFields): boolean {
  const node = fields.node('sandboxEnabled');
  if (node?.value !== true) return false;
  fields.report('warning', t('"sandboxEnabled" has no effect: MCP Deck runs this server without a sandbox.'), node);
  return true;
}

function readFraming(fields: ServerFields): StdioFraming | undefined {
  const node = fields.node('framing');
  const value: unknown = node?.value;
  if (value === 'newline' || value === 'content-length') return value;
  if (node)
    fields.report(
      'warning',
      t('"framing" must be "newline" or "content-length". Until this is corrected, "newline" is used.'),
      node,
    );
  return undefined;
}

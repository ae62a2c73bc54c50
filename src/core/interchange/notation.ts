/** Converts variables between the notations of other apps and our own. */
import { visibleLine } from '../base/hostileText.js';
import { nestedTexts } from '../base/nestedTexts.js';
import type { InputDefinition } from '../config/serverDefinition.js';
import { isPortableOnly, mapVariables, partsOf } from '../config/variableSyntax.js';
import type { AppFormat } from './appFormats.js';
import type { PortableServer } from './portableServer.js';

type Format = Omit<AppFormat, 'id'>;

const secret = /\$\{\{\s*secrets\.([A-Za-z_][\w.-]*)\s*\}\}/;
const ours =
  /^(?:(?:workspaceFolder|workspaceFolderBasename)(?::.+)?|userHome|pathSeparator|\/|(?:env|config|input):.+)$/s;

/**
 * Converts a text of an app to our notation.
 * @param inputs receives the inputs that the text refers to.
 * @param report receives the notes about the text, one for each variable.
 */
export function readText(
  text: string,
  format: AppFormat,
  inputs: Map<string, InputDefinition>,
  report: (note: string) => void = () => {},
): string {
  if (!text.includes('${')) return text;
  const read = (part: string) =>
    mapVariables(part, (variable) => {
      if (format.notation === 'portable' && isPortableOnly(variable)) return `\${env:${variable}}`;
      const note = noteOf(variable, format);
      if (note !== undefined) report(note);
      return `\${${variable}}`;
    });
  if (format.notation !== 'secrets') return read(text);
  // `split` returns literal texts and secret IDs alternately. Each literal text is converted separately.
  const parts = text.split(secret).map((part, index) => {
    if (index % 2 === 0) return read(part);
    inputs.set(part, {
      id: part,
      type: 'promptString',
      description: `${part}, a secret of ${format.title}`,
      password: true,
    });
    return `\${input:${part}}`;
  });
  return parts.join('');
}

/** The note for a variable whose meaning differs between the app and MCP Deck. */
function noteOf(variable: string, format: AppFormat): string | undefined {
  const name = `\${${visibleLine(withoutDefault(variable), 60)}}`;
  const isTheirs =
    format.notation === 'vscode' ||
    format.variables.includes(variable) ||
    (format.notation === 'env' && variable.startsWith('env:'));
  if (!ours.test(variable))
    return isTheirs
      ? `${name} is not supported here. Replace it with its value.`
      : `${name} looks like a variable, but is not supported here. Replace it with its value.`;
  return isTheirs
    ? undefined
    : `${name} is not a variable in ${format.title}, which passes it on unchanged. MCP Deck replaces it.`;
}

/** The values that variables have at the destination of an export, as far as they are known. */
export interface KnownValues {
  workspaceFolder?: string | undefined;
  userHome: string;
  pathSeparator: string;
}

/**
 * Variables that can be exported. Their names have no braces and no dollar signs, because an app could read them as
 * another variable. Only `env:` has `:-`, because some apps read a default value after it in each variable.
 */
const exportable = [
  /^(?:userHome|pathSeparator|\/)$/,
  /^workspaceFolder(?:Basename)?(?::(?!-)(?:(?!:-)[^${}])+)?$/,
  /^env:[^\s"\\${}:]+(?::-[^${}%]*)?$/,
  /^(?:config|input):(?!-)(?:(?!:-)[^${}])+$/,
];

/** Variables whose values a file of the workspace can set: settings, and folders that are referred to by name. */
const givenByWorkspace = /^(?:config|workspaceFolder|workspaceFolderBasename):/;

/** Stands for a variable that the app replaces, in a text that is searched for other variables. */
const replaced = '\0';
/** Text that the value of a variable, or an empty value, could complete to another variable. */
const brokenOff = /(?:\$|\{[a-z]*)\0|\0\{/;
const maxForeignLength = 60;

/**
 * The first text of a server that MCP Deck does not replace, but that the app might replace, for example with an
 * environment variable or a secret; undefined if there is none. The app would send a value that MCP Deck never showed.
 * Names of the server and its fields can have no variables, because some apps replace them in the whole file.
 */
export function foreignPart({ name, fields }: PortableServer, format: Format, known: KnownValues): string | undefined {
  for (const { text, isName } of nestedTexts({ [name]: fields })) {
    const found = isName ? foreignName(text, format) : foreignText(text, format, known);
    if (found !== undefined) return found.slice(0, maxForeignLength);
  }
  return undefined;
}

function foreignName(name: string, format: Format): string | undefined {
  return replacedBy(format).test(name) ? name : undefined;
}

function replacedBy({ replaces = /\$\{/ }: Format): RegExp {
  return replaces;
}

function foreignText(text: string, format: Format, known: KnownValues): string | undefined {
  const parts = [...partsOf(text)];
  let rest = '';
  for (const [index, { isVariable, text: part }] of parts.entries()) {
    if (!isVariable) rest += part;
    // A variable at the end of the parts has no closing brace.
    else if (index === parts.length - 1 || !exportable.some((form) => form.test(part)) || replacedBy(format).test(part))
      return `\${${part}`;
    else {
      const value = valueOf(part, known);
      const isWritten = writeVariable(part, format) !== undefined;
      // Some apps also replace variables in the values of these variables.
      if (isWritten && /\$(?:\{|$)/.test(value ?? '')) return value;
      rest += isWritten ? replaced : (value ?? replaced);
    }
  }
  const found = rest.search(replacedBy(format));
  const at = found === -1 ? rest.search(brokenOff) : found;
  return at === -1 ? undefined : rest.slice(at).replaceAll(replaced, '…');
}

/**
 * Converts a text from our notation to that of an app. A variable that the app cannot resolve is replaced by its
 * current value if possible.
 * @param report receives the notes about the text, one for each variable.
 */
export function writeText(text: string, format: Format, known: KnownValues, report: (note: string) => void): string {
  if (!text.includes('${')) return text;
  return mapVariables(text, (variable) => {
    const as = writeVariable(variable, format);
    if (as !== undefined) {
      if (as.note !== undefined) report(as.note);
      return as.text;
    }
    const value = valueOf(variable, known);
    const name = `\${${visibleLine(withoutDefault(variable), 60)}}`;
    report(
      value === undefined
        ? `${format.title} cannot resolve ${name}. Replace it with its value.`
        : `${format.title} cannot resolve ${name}, so its current value was written.`,
    );
    return value ?? `\${${variable}}`;
  });
}

function writeVariable(variable: string, format: Format): { text: string; note?: string } | undefined {
  const [, name = '', fallback] = /^env:((?:(?!:-).)+)(?::-(.*))?$/s.exec(variable) ?? [];
  const lostDefault =
    fallback === undefined
      ? {}
      : {
          note: `The default value of the environment variable ${visibleLine(name, 60)} cannot be written in this file. Set the variable.`,
        };
  switch (format.notation) {
    case 'vscode': {
      if (name !== '') return { text: `\${env:${name}}`, ...lostDefault };
      const text = `\${${variable}}`;
      if (!givenByWorkspace.test(variable) || format.keepsUnknown) return { text };
      const place = variable.startsWith('config:') ? 'the value of this setting' : 'the path of this folder';
      return { text, note: `${format.title} also replaces variables in ${place}, which a workspace can change.` };
    }
    case 'env':
      if (name !== '') return { text: `\${env:${name}}`, ...lostDefault };
      break;
    case 'portable': {
      if (name !== '') return isPortableOnly(name) ? { text: `\${${variable.slice('env:'.length)}}` } : undefined;
      const input = /^input:(.+)$/s.exec(variable)?.[1];
      if (input !== undefined) {
        const asName = environmentName(input);
        const program = format.title === '.mcp.json' ? 'VS Code' : format.title;
        return {
          text: `\${${asName}}`,
          note: `This file cannot ask for a value, so ${program} fills in the environment variable ${asName}. Set it before you start ${program}.`,
        };
      }
      break;
    }
    case 'secrets': {
      const input = /^input:([A-Za-z_][\w.-]*)$/.exec(variable)?.[1];
      if (input !== undefined)
        return {
          text: `\${{ secrets.${input} }}`,
          note: `${format.title} fills in its secret ${input} and does not ask for a value.`,
        };
      if (/^[A-Za-z_]\w*$/.test(name))
        return {
          text: `\${{ secrets.${name} }}`,
          note: `${format.title} reads the environment variable ${name} as a secret. Define the secret there.`,
        };
      break;
    }
    case 'plain':
  }
  return format.variables.includes(variable) ? { text: `\${${variable}}` } : undefined;
}

function environmentName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `_${name}`;
}

function valueOf(variable: string, known: KnownValues): string | undefined {
  if (variable === 'workspaceFolder') return known.workspaceFolder;
  if (variable === 'workspaceFolderBasename')
    return known.workspaceFolder?.split(/[\\/]/).findLast((part) => part !== '');
  if (variable === 'userHome') return known.userHome;
  return variable === 'pathSeparator' || variable === '/' ? known.pathSeparator : undefined;
}

function withoutDefault(variable: string): string {
  const at = variable.indexOf(':-');
  return at === -1 ? variable : variable.slice(0, at);
}

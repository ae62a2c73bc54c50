/** Converts texts of a definition with references to variables, such as `${input:token}`, for copied code. */
import { visibleLine } from '../../base/hostileText.js';
import { partsOf } from '../../config/variableSyntax.js';

/** A literal part of a text, or the environment variable that replaces a reference. */
export type TextPart = { text: string } | { variable: string };

/** Collects the environment variables of copied code, with what each must contain. */
export class Placeholders {
  private readonly known = new Map<string, string>();

  /** The parts of a text. Each `${…}` becomes an environment variable. */
  parts(text: string): TextPart[] {
    return [...partsOf(text)].flatMap((part): TextPart[] => {
      if (!part.isVariable) return part.text === '' ? [] : [{ text: part.text }];
      const plain = part.text.replace(/:-.*$/s, '');
      const [, kind, name = ''] = /^(?:(input|env|config):)?(.*)$/s.exec(plain) ?? [];
      const what = `the value of \${${plain}}`;
      return [kind === 'env' ? this.add(variableName(name), what) : this.variable(name, what)];
    });
  }

  /**
   * Adds an environment variable. Its name begins with `MCP_`, because the definition chooses the rest: the copied code
   * must not send a variable of the user that has this name by chance.
   * @param what the value that it must contain, in words.
   */
  private variable(name: string, what: string): TextPart {
    return this.add(`MCP_${variableName(name)}`, what);
  }

  private add(variable: string, what: string): TextPart {
    this.known.set(variable, what);
    return { variable };
  }

  /** One line for each variable. */
  get lines(): string[] {
    return [...this.known].map(([name, what]) => `${name}: ${visibleLine(what, 200)}`);
  }
}

function variableName(text: string): string {
  const name = text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[A-Z]/.test(name) ? name : `VALUE_${name}`;
}

/** The parts as one word of a POSIX shell. */
export function shellWord(parts: readonly TextPart[]): string {
  if (parts.length === 0) return "''";
  return parts.map((part) => ('variable' in part ? `"$${part.variable}"` : shellQuoted(part.text))).join('');
}

/** Quotes any text, so that it is one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

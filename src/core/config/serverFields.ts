import { t } from '@vscode/l10n';
import type { Node } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import { isTypeName } from './fieldNames.js';
import type { ConfigMember } from './configNodes.js';
import { membersOf } from './configNodes.js';
import type { ConfigProblem } from './serverDefinition.js';

/** Reports a problem of one server entry; the default position is its name. */
export type Report = (severity: ConfigProblem['severity'], message: string, node?: Node) => void;

/** Characters that neither a process argument nor a header can contain (requirement P1). */
export const forbiddenInArguments = /[\0\r\n]/;

/** The fields of one entry. Reports missing and invalid fields, and records whether the entry can be used. */
export class ServerFields {
  /** The fields by name. */
  readonly members: Map<string, ConfigMember>;
  /** False once an error was reported. */
  isUsable = true;

  constructor(
    entry: Node,
    readonly report: Report,
  ) {
    const outer = this.distinct(entry);
    // New versions of Cline put all fields into `transport`; fields outside of it take precedence.
    const transport = outer.get('transport');
    this.members = outer;
    if (transport?.value.type === 'object') {
      this.members = new Map([...this.distinct(transport.value), ...outer]);
      this.members.delete('transport');
    } else if (transport && !outer.has('type') && isTypeName(transport.value.value)) {
      // Other apps use `transport` for the type.
      outer.delete('transport');
      outer.set('type', transport);
    }
  }

  /** The properties of an object by name. If two have the same name, the last one is used, as in JSON. */
  distinct(object: Node): Map<string, ConfigMember> {
    const members = new Map<string, ConfigMember>();
    for (const member of membersOf(object)) {
      if (members.has(member.name))
        this.report(
          'warning',
          t('"{0}" is written twice. The last value is used.', visibleLine(member.name, 60)),
          member.key,
        );
      members.set(member.name, member);
    }
    return members;
  }

  /** Reports an error; the entry will not be used. */
  fail(message: string, node?: Node): undefined {
    this.isUsable = false;
    this.report('error', message, node);
    return undefined;
  }

  /** The value of a field; undefined if it is absent or `null`. */
  node(name: string): Node | undefined {
    const value = this.members.get(name)?.value;
    return value?.type === 'null' ? undefined : value;
  }

  /** Whether at least one of the fields is present. */
  has(...names: string[]): boolean {
    return names.some((name) => this.node(name) !== undefined);
  }

  /** Warns that a number loses digits when it is parsed: a long account number without quotes would change. */
  warnOfLostDigits(node: Node): void {
    if (node.type === 'number' && Number.isInteger(node.value) && !Number.isSafeInteger(node.value))
      this.report('warning', t('This number has too many digits to be kept exactly. Write it in quotes.'), node);
  }
}

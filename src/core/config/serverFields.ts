import type { Node } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import { isTypeName } from './fieldNames.js';
import type { Member } from './jsonTree.js';
import { membersOf } from './jsonTree.js';
import type { ConfigProblem } from './serverDefinition.js';

/** Reports a problem of one server entry; at its name where no other place is given. */
export type Report = (severity: ConfigProblem['severity'], message: string, node?: Node) => void;

/** What neither a process nor a header can take, and no user means (requirement P1). */
export const forbiddenInArguments = /[\0\r\n]/;

/** The fields of one entry as they are read: what is missing, what is wrong, and whether the entry can be used. */
export class ServerFields {
  /** By name. */
  readonly members: Map<string, Member>;
  /** False once an error was reported. */
  isUsable = true;

  constructor(
    entry: Node,
    readonly report: Report,
  ) {
    const outer = this.distinct(entry);
    // Newer files of Cline put everything into `transport`; what stands outside comes first.
    const transport = outer.get('transport');
    this.members = outer;
    if (transport?.value.type === 'object') {
      this.members = new Map([...this.distinct(transport.value), ...outer]);
      this.members.delete('transport');
    } else if (transport && !outer.has('type') && isTypeName(transport.value.value)) {
      // Other hosts name the type so.
      outer.delete('transport');
      outer.set('type', transport);
    }
  }

  /** Members by name; of two with one name the last counts, as everywhere in JSON. */
  distinct(object: Node): Map<string, Member> {
    const members = new Map<string, Member>();
    for (const member of membersOf(object)) {
      if (members.has(member.name))
        this.report('warning', `"${visibleLine(member.name, 60)}" is written twice; the last one counts.`, member.key);
      members.set(member.name, member);
    }
    return members;
  }

  /** Reports an error: the entry is not used. */
  fail(message: string, node?: Node): undefined {
    this.isUsable = false;
    this.report('error', message, node);
    return undefined;
  }

  /** The value of a field. Undefined where it is not written, or is `null`. */
  node(name: string): Node | undefined {
    const value = this.members.get(name)?.value;
    return value?.type === 'null' ? undefined : value;
  }

  /** Whether one of the fields is written. */
  has(...names: string[]): boolean {
    return names.some((name) => this.node(name) !== undefined);
  }

  /** An account number written without quotes would arrive as another number. */
  warnOfLostDigits(node: Node): void {
    if (node.type === 'number' && Number.isInteger(node.value) && !Number.isSafeInteger(node.value))
      this.report('warning', 'This number has too many digits to be kept exactly. Write it in quotes.', node);
  }
}

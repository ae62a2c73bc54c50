import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { RuleFinding } from '../../consent/ruleFindings.js';
import { ruleText } from '../../consent/rule.js';

/** What is wrong with a rule, and what to do about it. */
export function ruleFindingText(finding: RuleFinding): string {
  switch (finding.kind) {
    case 'unreadable':
      return t(
        'The rule does not count as it is written: {0}. Correct it or remove it.',
        visibleLine(finding.problem, 300),
      );
    case 'unknown-server':
      return t(
        'The rule fits nothing now: no server is called "{0}". Correct the name, or remove the rule.',
        visibleLine(finding.server, 80),
      );
    case 'workspace-server':
      return t(
        'The rule allows nothing: "{0}" is a server of this workspace, which no rule can allow by its name. Answer a question about its tools with "Always…" instead.',
        visibleLine(finding.server, 80),
      );
    case 'not-believed':
      return finding.server === undefined
        ? t(
            'The rule allows nothing: it goes by what servers say of their tools, and you believe none. Name those you believe in "mcpDeck.believedServers".',
          )
        : t(
            'The rule allows nothing: it goes by what "{0}" says of its tools, which you do not believe. Name it in "mcpDeck.believedServers" if you do.',
            visibleLine(finding.server, 80),
          );
    case 'hints-contradict':
      return t('The rule fits nothing: no tool both only reads and destroys. Remove one of the two.');
    case 'arguments-contradict':
      return t(
        'The rule fits nothing: no arguments pass its test at {0}. Change or remove it.',
        finding.pointers.map((pointer) => `"${visibleLine(pointer, 80)}"`).join(' / '),
      );
    case 'former-name':
      return t(
        '"glob" is called "wildcard" now, because * also stands for text with a slash in it. The rule means the same as before. Write "wildcard" instead.',
      );
    case 'denied-by':
      return t(
        'The rule does nothing: everything it fits is denied by another one, and deny wins: {0}. Narrow that one, or remove this.',
        ruleText(finding.rule.rule),
      );
  }
}

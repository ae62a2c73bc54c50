import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { RuleFinding } from '../../consent/ruleFindings.js';
import { ruleText } from '../../consent/rule.js';

/** Describes the problem of a rule and how to correct it. */
export function ruleFindingText(finding: RuleFinding): string {
  switch (finding.kind) {
    case 'unreadable':
      return t(
        'The rule does not apply as written: {0}. Correct or remove the rule.',
        visibleLine(finding.problem, 300),
      );
    case 'unknown-server':
      return t(
        'The rule matches nothing now: no server is named "{0}". Correct the name, or remove the rule.',
        visibleLine(finding.server, 80),
      );
    case 'workspace-server':
      return t(
        'The rule allows nothing: "{0}" is a server of this workspace, which no rule can allow by its name. Answer a question about its tools with "Always…" instead.',
        visibleLine(finding.server, 80),
      );
    case 'annotations-not-trusted':
      return finding.server === undefined
        ? t(
            'The rule allows nothing: it depends on tool annotations, and you trust the annotations of no server. Add the servers that you trust to "mcpDeck.trustedAnnotations".',
          )
        : t(
            'The rule allows nothing: it depends on the tool annotations of "{0}", which you do not trust. To trust them, add the server to "mcpDeck.trustedAnnotations".',
            visibleLine(finding.server, 80),
          );
    case 'hints-contradict':
      return t(
        'The rule matches nothing: no tool is both read-only and destructive. Remove one of the two annotations.',
      );
    case 'arguments-contradict':
      return t(
        'The rule matches nothing: no arguments can pass its test at {0}. Change or remove this test.',
        finding.pointers.map((pointer) => `"${visibleLine(pointer, 80)}"`).join(' / '),
      );
    case 'former-name':
      return t(
        '"glob" was renamed to "wildcard", because * also matches slashes. The rule still works as before. Use "wildcard" instead.',
      );
    case 'denied-by':
      return t(
        'The rule has no effect: everything that it matches is denied by another rule, which takes precedence: {0}. Narrow that rule, or remove this one.',
        ruleText(finding.rule.rule),
      );
  }
}

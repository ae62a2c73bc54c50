import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { PlacedRule, RuleSource } from '../../consent/rule.js';
import type { RuleFinding } from '../../consent/ruleFindings.js';
import { namedCallersOf, ruleText } from '../../consent/rule.js';
import { callerName } from '../text/callText.js';
import { contextValues } from './contextValues.js';
import { escapeMarkdownLine, inlineCode } from '../text/markdown.js';
import { ruleFindingText } from '../text/ruleFindingText.js';
import { runTime } from '../text/runTexts.js';
import type { NodeIcon, TreeNode } from './treeNode.js';
import { nodeId } from './treeNode.js';

export interface ShownRule {
  placed: PlacedRule;
  lastUsed?: number | undefined;
  /** The problem of the rule, if it has one. */
  finding?: RuleFinding | undefined;
}

/** The nodes of the Rules view: rules that deny, then rules that ask, then rules that allow. */
export function ruleNodes(rules: readonly ShownRule[], now: number, locale: string): TreeNode[] {
  const order = ['deny', 'ask', 'allow'] as const;
  return order.flatMap((effect) =>
    rules.filter(({ placed }) => placed.rule.effect === effect).map((shown) => ruleNode(shown, now, locale)),
  );
}

const icons: Record<PlacedRule['rule']['effect'], NodeIcon> = {
  allow: { name: 'check', color: 'charts.green' },
  ask: { name: 'question', color: 'icon.foreground' },
  deny: { name: 'circle-slash', color: 'testing.iconFailed' },
};

function ruleNode({ placed, lastUsed, finding }: ShownRule, now: number, locale: string): TreeNode {
  const { rule, source, index, problem } = placed;
  const wrong = finding && ruleFindingText(finding);
  const label = `${effectWord(rule.effect)}: ${rule.tool === undefined ? t('any tool') : visibleLine(rule.tool, 80)}`;
  const where = rule.server === undefined ? t('any server') : visibleLine(rule.server, 60);
  const used = lastUsed === undefined ? [] : [t('used {0}', runTime(lastUsed, now, locale))];
  const description =
    problem === undefined
      ? [...(wrong === undefined ? [] : [wrong]), ...conditions(rule), where, lifetimeText(source), ...used].join(' · ')
      : t('does not apply as written: {0}', visibleLine(problem, 200));
  return {
    id: nodeId('rule', source, String(index), ruleText(rule)),
    kind: 'rule',
    label,
    description,
    icon:
      problem === undefined && wrong === undefined
        ? icons[rule.effect]
        : { name: 'warning', color: 'problemsWarningIcon.foreground' },
    contextValue: source === 'workspaceFile' ? contextValues.workspaceRule : contextValues.rule,
    isCollapsible: false,
    target: { rule: ruleKey(placed) },
    name: JSON.stringify(rule, undefined, 2),
    spokenLabel: `${label}, ${description}`,
    onClick: 'openRule',
    tooltip: () =>
      [
        escapeMarkdownLine(ruleText(rule)),
        inlineCode(JSON.stringify(rule), 2_000),
        `${t('Applies')}: ${lifetimeText(source)}`,
        ...used,
        ...(wrong === undefined
          ? problem === undefined
            ? []
            : [escapeMarkdownLine(problem, 1_000)]
          : [escapeMarkdownLine(wrong, 1_000)]),
      ].join('\n\n'),
  };
}

/** The arguments and callers of a rule. They come first, because they distinguish rules about one tool. */
function conditions(rule: PlacedRule['rule']): string[] {
  const { arguments: tests = {} } = rule;
  const callers = namedCallersOf(rule);
  const places = Object.entries(tests).map(([pointer, test]) => {
    const value =
      'wildcard' in test ? test.wildcard : 'matches' in test ? `/${test.matches}/` : JSON.stringify(test.equals);
    return pointer === ''
      ? visibleLine(value ?? '', 60)
      : `${visibleLine(pointer.slice(1), 40)}: ${visibleLine(value ?? '', 60)}`;
  });
  return [
    ...places,
    ...(callers ? [t('for {0}', callers.map((caller) => callerName(caller)).join(', '))] : []),
    ...(rule.clients ? [rule.clients.map((name) => visibleLine(name, 60)).join(', ')] : []),
  ];
}

/** A key that identifies a rule among all current rules. */
export function ruleKey({ source, index }: PlacedRule): string {
  return `${source}:${index}`;
}

function effectWord(effect: PlacedRule['rule']['effect']): string {
  return effect === 'allow' ? t('Allow') : effect === 'ask' ? t('Ask') : t('Deny');
}

function lifetimeText(source: RuleSource): string {
  switch (source) {
    case 'session':
      return t('in this session');
    case 'workspace':
      return t('in this workspace');
    case 'always':
      return t('always');
    case 'workspaceFile':
      return t('in this workspace (from its settings)');
  }
}

import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import type { ArgumentPlace } from '../../core/consent/argumentPatterns.js';
import { argumentPlaces, patternProblem, testOf } from '../../core/consent/argumentPatterns.js';
import type { ArgumentTest } from '../../core/consent/rule.js';
import type { CallAnswer, CallQuestion } from '../../core/consent/callConsent.js';
import { answerScope } from '../../core/present/text/callText.js';
import { showLineInput } from '../adapters/userMessages.js';

/**
 * Asks which similar calls to allow from now on, argument by argument. By default, all arguments are selected, and each
 * pattern is the current value. So pressing Enter allows only calls with these arguments.
 */
export async function choosePattern({
  tool,
  arguments: values,
  caller,
  client,
}: CallQuestion): Promise<CallAnswer | undefined> {
  const places = argumentPlaces(values);
  const name = visibleLine(tool.name, 60);
  const picked = places.length === 1 ? places : await pickPlaces(name, places);
  if (!picked) return undefined;
  const where: Record<string, ArgumentTest> = {};
  for (const [index, place] of picked.entries()) {
    const { text } = place;
    const pattern =
      text === undefined
        ? undefined
        : await typePattern(
            vscode.l10n.t(
              'Pattern for "{0}" of "{1}" ({2}/{3})',
              visibleLine(place.name, 60),
              name,
              index + 1,
              picked.length,
            ),
            text,
          );
    if (text !== undefined && pattern === undefined) return undefined;
    where[place.pointer] = testOf(place, pattern);
  }
  const bound = `${answerScope(caller, client)}. ${vscode.l10n.t('Expires when the tool or its server changes')}`;
  const items = [
    { label: vscode.l10n.t('This session'), detail: bound, lifetime: 'session' as const },
    { label: vscode.l10n.t('In this workspace'), detail: bound, lifetime: 'workspace' as const },
    {
      label: vscode.l10n.t('Everywhere'),
      detail: `${bound}. ${vscode.l10n.t('Written to your settings')}`,
      lifetime: 'always' as const,
    },
  ];
  const lifetime = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Where the rule applies'),
    ignoreFocusOut: true,
  });
  return lifetime && { effect: 'allow', remember: { lifetime: lifetime.lifetime, onlyTheseArguments: false, where } };
}

async function pickPlaces(tool: string, places: readonly ArgumentPlace[]): Promise<ArgumentPlace[] | undefined> {
  const items = places.map((place) => ({
    label: visibleLine(place.name, 60),
    description: visibleLine(place.text ?? JSON.stringify(place.value), 120),
    picked: true,
    place,
  }));
  const title = vscode.l10n.t('Which arguments of "{0}" must match', tool);
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Arguments that are not selected can have any value'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked?.map(({ place }) => place);
}

function typePattern(title: string, text: string): Thenable<string | undefined> {
  return showLineInput({
    title,
    value: text,
    prompt: vscode.l10n.t('"*" matches any text, "?" matches one character'),
    ignoreFocusOut: true,
    validateInput: (pattern) => {
      const problem = patternProblem(pattern, text);
      if (problem === undefined) return undefined;
      return problem.kind === 'unusable'
        ? problem.reason
        : vscode.l10n.t('Does not match {0}, the value in this call', visibleLine(text, 100));
    },
  });
}

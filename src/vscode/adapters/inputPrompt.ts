import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import { Sequencer } from '../../core/base/sequencer.js';
import type { InputDefinition } from '../../core/config/serverDefinition.js';
import type { InputPrompt } from '../../core/host/ports.js';
import { showLineInput } from './userMessages.js';

/** Asks for the values of `${input:…}`, when the user starts a server and when the user changes a stored value. */
export class VsCodeInputPrompt implements InputPrompt {
  /** Shows one box at a time, because a new box of VS Code would replace the box in which the user types. */
  private readonly boxes = new Sequencer();

  ask(input: InputDefinition, serverName: string): Promise<string | undefined> {
    return this.boxes.run(() => this.show(input, serverName));
  }

  private async show(input: InputDefinition, serverName: string): Promise<string | undefined> {
    const title = vscode.l10n.t('"{0}" needs a value', visibleLine(serverName));
    const prompt = visibleLine(input.description ?? input.id, 500);
    switch (input.type) {
      case 'promptString':
        return showLineInput({
          title,
          prompt: `${prompt.replace(/[.:\s]+$/, '')}. ${
            input.password === true
              ? vscode.l10n.t('The value is kept in secret storage.')
              : vscode.l10n.t('The value is kept for this workspace, but not in secret storage.')
          }`,
          // A default in a masked box would be accepted unread.
          value: input.password === true ? '' : (input.default ?? ''),
          password: input.password ?? false,
          ignoreFocusOut: true,
        });
      case 'pickString': {
        const options = (input.options ?? []).map(({ label, value }) => ({
          label: visibleLine(label),
          value,
          description: value === input.default ? vscode.l10n.t('default') : '',
        }));
        // Sort the default first, so that Enter accepts it.
        options.sort((a, b) => Number(b.value === input.default) - Number(a.value === input.default));
        const picked = await vscode.window.showQuickPick(options, { title, placeHolder: prompt, ignoreFocusOut: true });
        return picked?.value;
      }
      case 'command': {
        const value: unknown = await vscode.commands.executeCommand(input.command ?? '', input.args);
        return typeof value === 'string' ? value : undefined;
      }
    }
  }
}

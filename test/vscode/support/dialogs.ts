/**
 * Answers dialogs in place of a user. A suite is loaded from below the extension's folder, so VS Code gives it the same
 * `vscode` object as the extension: a function replaced here is replaced for the extension too.
 */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { command, until } from './host.js';

export interface Question {
  message: string;
  detail: string;
  buttons: string[];
}

export interface Dialogs {
  /** The questions so far, oldest first. */
  readonly asked: Question[];
  restore(): void;
}

/**
 * Presses the button with the title that `choose` returns; undefined closes the dialog. Non-modal warnings are not
 * shown; `chooseOther` presses their buttons, by default none.
 */
export function answerModals(
  choose: (question: Question) => string | undefined,
  chooseOther: (question: Question) => string | undefined = () => undefined,
): Dialogs {
  const asked: Question[] = [];
  const original = vscode.window.showWarningMessage;
  const replacement = (
    message: string,
    ...rest: (string | vscode.MessageOptions | vscode.MessageItem)[]
  ): Promise<vscode.MessageItem | undefined> => {
    const parts = rest.filter((one) => typeof one !== 'string');
    const options = parts.find((one): one is vscode.MessageOptions => 'modal' in one);
    const items = parts.filter((one): one is vscode.MessageItem => 'title' in one);
    const question = { message, detail: options?.detail ?? '', buttons: items.map(({ title }) => title) };
    if (options?.modal) asked.push(question);
    const title = options?.modal ? choose(question) : chooseOther(question);
    return Promise.resolve(items.find((item) => item.title === title));
  };
  vscode.window.showWarningMessage = replacement;
  return { asked, restore: () => void (vscode.window.showWarningMessage = original) };
}

/**
 * Runs the work and presses that button in every dialog that opens during it. `Cancel` is the button that VS Code adds:
 * it closes the dialog.
 */
export async function pressing<T>(
  button: string,
  work: () => Promise<T>,
): Promise<{ value: T; asked: readonly Question[] }> {
  const dialogs = answerModals(() => button);
  try {
    return { value: await work(), asked: dialogs.asked };
  } finally {
    dialogs.restore();
  }
}

/** Like `pressing`, for a question with too much text for a dialog: opens the whole text, and agrees to it. */
export async function agreeingToAll<T>(button: string, work: () => Promise<T>): Promise<T> {
  const choose = ({ buttons }: Question) => (buttons.includes(button) ? button : 'Show All');
  const dialogs = answerModals(choose, choose);
  try {
    return await work();
  } finally {
    dialogs.restore();
  }
}

/**
 * Answers the only waiting request, as soon as there is one, and presses a button of its dialog. Returns the message of
 * the dialog, and its details after a line break.
 */
export async function answerWaiting(button: string): Promise<string> {
  const dialogs = answerModals(() => button);
  try {
    await until('a request is answered', () =>
      command('mcpDeck.answerRequest').then(
        () => dialogs.asked.length > 0,
        ({ message }: Error) => message === 'Canceled' && dialogs.asked.length > 0,
      ),
    );
  } finally {
    dialogs.restore();
  }
  const [question] = dialogs.asked;
  return `${question?.message ?? ''}\n${question?.detail ?? ''}`;
}

/** Approves the start of a server in the question about it, and stops the server again. */
export async function approveStart(server: string): Promise<void> {
  const { asked } = await pressing('Start Server', async () => command('mcpDeck.reviewTrust', { server }));
  assert.equal(asked.length, 1, `The start of "${server}" must ask exactly once.`);
  await command('mcpDeck.stopServer', { server });
}

/** Records the non-modal warnings, and presses none of their buttons. */
export function answerNotifications(): { messages: string[]; restore(): void } {
  const messages: string[] = [];
  const original = vscode.window.showWarningMessage;
  const replacement = (message: string): Promise<undefined> => {
    messages.push(message);
    return Promise.resolve(undefined);
  };
  vscode.window.showWarningMessage = replacement;
  return { messages, restore: () => void (vscode.window.showWarningMessage = original) };
}

/** Presses a button of each notification of one kind: the one that `choose` returns; undefined leaves it open. */
export function pressNotifications(
  kind: 'showInformationMessage' | 'showWarningMessage' | 'showErrorMessage',
  choose: (message: string, buttons: readonly string[]) => string | undefined,
): { messages: string[]; restore(): void } {
  const messages: string[] = [];
  const original = vscode.window[kind];
  const replacement = (message: string, ...buttons: (string | vscode.MessageItem)[]): Promise<unknown> => {
    messages.push(message);
    const titleOf = (button: string | vscode.MessageItem) => (typeof button === 'string' ? button : button.title);
    const pressed = choose(message, buttons.map(titleOf));
    return Promise.resolve(buttons.find((button) => titleOf(button) === pressed));
  };
  vscode.window[kind] = replacement as unknown as typeof original;
  return { messages, restore: () => void (vscode.window[kind] = original) };
}

/** Types a text into every input box that opens; undefined closes it. */
export function answerInputs(
  type: (options: vscode.InputBoxOptions) => string | undefined | Promise<string | undefined>,
): {
  asked: vscode.InputBoxOptions[];
  restore(): void;
} {
  const asked: vscode.InputBoxOptions[] = [];
  const original = vscode.window.showInputBox;
  const replacement = (options: vscode.InputBoxOptions = {}): Promise<string | undefined> => {
    asked.push(options);
    return Promise.resolve(type(options));
  };
  vscode.window.showInputBox = replacement;
  return { asked, restore: () => void (vscode.window.showInputBox = original) };
}

/** Picks one line of every list that opens: the one that `choose` returns. */
export function answerPicks(choose: (items: readonly vscode.QuickPickItem[]) => vscode.QuickPickItem | undefined): {
  restore(): void;
} {
  const original = vscode.window.showQuickPick;
  const replacement = async (
    items: readonly vscode.QuickPickItem[] | Thenable<readonly vscode.QuickPickItem[]>,
  ): Promise<vscode.QuickPickItem | undefined> => choose(await items);
  vscode.window.showQuickPick = replacement as unknown as typeof original;
  return { restore: () => void (vscode.window.showQuickPick = original) };
}

/** One list with text input, as the extension created it. */
export interface TypedPick {
  title: string | undefined;
  /** Its initial text. */
  value: string;
}

/**
 * Types into every list with text input, and picks the row with the label `take` as soon as it exists; undefined
 * dismisses the list. Without `type` the text is not changed.
 */
export function answerTypedPicks(answer: (pick: TypedPick) => { type?: string; take: string } | undefined): {
  asked: TypedPick[];
  restore(): void;
} {
  const asked: TypedPick[] = [];
  const original = vscode.window.createQuickPick;
  const replacement = (): vscode.QuickPick<vscode.QuickPickItem> => {
    const accepted = new vscode.EventEmitter<void>();
    const hidden = new vscode.EventEmitter<void>();
    const changed = new vscode.EventEmitter<string>();
    const never = new vscode.EventEmitter<never>();
    let rows: readonly vscode.QuickPickItem[] = [];
    let take: string | undefined;
    const look = () => {
      const row = rows.find(({ label }) => label === take);
      if (!row) return;
      take = undefined;
      pick.selectedItems = [row];
      accepted.fire();
    };
    const pick = {
      value: '',
      title: undefined as string | undefined,
      activeItems: [] as readonly vscode.QuickPickItem[],
      selectedItems: [] as readonly vscode.QuickPickItem[],
      get items() {
        return rows;
      },
      set items(items) {
        rows = items;
        queueMicrotask(look);
      },
      onDidAccept: accepted.event,
      onDidHide: hidden.event,
      onDidChangeValue: changed.event,
      onDidTriggerButton: never.event,
      onDidTriggerItemButton: never.event,
      onDidChangeActive: never.event,
      onDidChangeSelection: never.event,
      show: () => {
        const shown = { title: pick.title, value: pick.value };
        asked.push(shown);
        const given = answer(shown);
        if (!given) return queueMicrotask(() => hidden.fire());
        take = given.take;
        if (given.type !== undefined) {
          pick.value = given.type;
          changed.fire(given.type);
        }
        queueMicrotask(look);
      },
      hide: () => hidden.fire(),
      dispose: () => undefined,
    };
    return pick as unknown as vscode.QuickPick<vscode.QuickPickItem>;
  };
  vscode.window.createQuickPick = replacement as typeof original;
  return { asked, restore: () => void (vscode.window.createQuickPick = original) };
}

/** Selects a path in every save dialog; undefined closes it. */
export function answerSaveDialog(choose: (options: vscode.SaveDialogOptions) => vscode.Uri | undefined): {
  asked: vscode.SaveDialogOptions[];
  restore(): void;
} {
  const asked: vscode.SaveDialogOptions[] = [];
  const original = vscode.window.showSaveDialog;
  vscode.window.showSaveDialog = (options: vscode.SaveDialogOptions = {}) => {
    asked.push(options);
    return Promise.resolve(choose(options));
  };
  return { asked, restore: () => void (vscode.window.showSaveDialog = original) };
}

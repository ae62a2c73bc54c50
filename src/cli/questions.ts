import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { visibleLine } from '../core/base/hostileText.js';
import { exactText } from '../core/base/exactText.js';
import type { BrowserRequest } from '../core/auth/authorizationFlow.js';
import { Sequencer } from '../core/base/sequencer.js';
import type { StartDescription } from '../core/config/describeStart.js';
import type { UsedVariable } from '../core/config/usedVariables.js';
import { variableOfInput } from '../core/config/usedVariables.js';
import type { InputDefinition } from '../core/config/serverDefinition.js';
import { signInPermissions } from '../core/present/questions/signInQuestion.js';
import { startQuestion, startSections } from '../core/present/questions/startQuestion.js';
import type { ServerEntry } from '../core/registry/serverEntry.js';
import { CliError } from './cliError.js';
import type { Output } from './output.js';
import { commandLineSource } from './serverSources.js';

/**
 * The questions of a command: approvals of starts, sign-ins and other actions, and values of inputs. One question is
 * open at a time.
 */
export class Questions {
  private readonly queue = new Sequencer();
  /** The descriptions of starts and the questions about variables that were shown, with their answers. */
  private readonly approved = new Map<string, boolean>();
  /** Why the command must end; undefined if the user only declined to start a server. */
  refusal: CliError | undefined;

  constructor(
    private readonly output: Output,
    private readonly isApproved: boolean,
  ) {}

  /** Shows what a file of the folder would run. Asks on a terminal, unless `--yes` approved all starts. */
  confirmStart(entry: ServerEntry, description: StartDescription): Promise<'allow' | 'deny'> {
    if (entry.source.id === commandLineSource) return Promise.resolve('allow');
    const completed = withEnvironment(description, entry.inputs);
    const { message, detail } = startQuestion(entry, completed);
    const sections = startSections(completed).join('\n');
    const shown = this.isApproved
      ? `Starting "${visibleLine(entry.id, 100)}" of ${description.source}.\n${sections}`
      : `${message}\n\n${detail}\n`;
    return this.queue.run(async () => {
      // Files with the same command lead to one question.
      const isAllowed = this.approved.get(sections) ?? (await this.decide(shown));
      this.approved.set(sections, isAllowed);
      return isAllowed ? 'allow' : 'deny';
    });
  }

  /**
   * Shows a text, and asks on a terminal unless `--yes` agreed in advance. Rejects with a CliError if the user
   * declines, or if there is no terminal. @param declined the sentence that says what was not done.
   */
  confirm(text: string, question: string, declined: string): Promise<void> {
    const { output } = this;
    return this.queue.run(async () => {
      output.note(text);
      if (this.isApproved) return;
      if (!output.isInteractive)
        throw new CliError(2, 'needs-approval', `${declined} Check the text above, and add --yes to agree.`);
      if (!isYes(await this.ask(question, false))) throw new CliError(2, 'cancelled', declined);
    });
  }

  /**
   * Shows who asks for a sign-in, where, and the requested permissions. Asks on a terminal, even with `--yes`, which
   * approves starts only. False without a terminal.
   */
  confirmSignIn(request: BrowserRequest): Promise<boolean> {
    const { output } = this;
    return this.queue.run(async () => {
      if (!output.isInteractive) return false;
      output.note(signInPermissions(request));
      return isYes(await this.ask(`Sign in at ${visibleLine(request.host, 300)}? [y/N] `, false));
    });
  }

  /** Shows which environment variables the tests of a file send to their server. Asks like `confirmStart`. */
  confirmVariables(names: readonly string[], file: string): Promise<boolean> {
    const shown = names.map((name) => `  ${visibleLine(name, 100)}`).join('\n');
    const text = `The tests of ${visibleLine(file, 300)} send the values of these environment variables to their server:\n${shown}`;
    return this.queue.run(async () => {
      const isAllowed = this.approved.get(text) ?? (await this.decide(text, 'Send them? [y/N] '));
      this.approved.set(text, isAllowed);
      return isAllowed;
    });
  }

  private async decide(shown: string, question = 'Start it? [y/N] '): Promise<boolean> {
    const { output } = this;
    output.note(shown);
    if (this.isApproved) return true;
    if (output.isInteractive) return isYes(await this.ask(question, false));
    this.refusal = new CliError(
      2,
      'needs-approval',
      'The server was not started, because it needs your approval. Check what is shown above, and add --yes to approve it.',
    );
    return false;
  }

  private ask(question: string, isSecret: boolean): Promise<string> {
    return ask(question, isSecret).catch((error: unknown) => {
      this.refusal = new CliError(2, 'cancelled', 'The command was canceled.');
      throw error;
    });
  }

  /** The value of an input: from the environment, from the user on a terminal, or the default without a terminal. */
  input({ id, description, password, default: initial, options }: InputDefinition): Promise<string | undefined> {
    const found = setVariable(id);
    if (found !== undefined) return Promise.resolve(process.env[found]);
    const names = environmentNames(id);
    if (!this.output.isInteractive) {
      if (initial !== undefined) return Promise.resolve(initial);
      throw new CliError(
        2,
        'needs-input',
        `The server needs a value for the input "${visibleLine(id, 100)}". Set the environment variable ${names.map((name) => visibleLine(name, 100)).join(' or ')}.`,
      );
    }
    return this.queue.run(async () => {
      const choices = options?.map(({ value }) => visibleLine(value, 60)).join(', ');
      const label = visibleLine(description ?? id, 200);
      const hint = [choices, initial === undefined ? undefined : `default ${visibleLine(initial, 60)}`];
      const more = hint.filter((text) => text !== undefined).join('; ');
      const answer = await this.ask(`${label}${more === '' ? '' : ` (${more})`}: `, password === true);
      return answer === '' ? initial : answer;
    });
  }
}

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

/** The environment variables that can have the value of an input: `api-key` is in `api-key` or in `API_KEY`. */
function environmentNames(id: string): string[] {
  return [...new Set([id, id.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()])];
}

/** The first of these environment variables that is set. */
function setVariable(id: string): string | undefined {
  return environmentNames(id).find((name) => process.env[name] !== undefined);
}

/**
 * The description of a start, in which each input that has a value in the environment shows the name of that variable,
 * because the user is not asked for it. The file chooses the names of its inputs, and therefore which variables are
 * read.
 */
function withEnvironment(description: StartDescription, inputs: readonly InputDefinition[]): StartDescription {
  const names = new Map(inputs.map(({ id }) => [variableOfInput(id), setVariable(id)]));
  const variables = description.variables.map((used): UsedVariable => {
    const { variable } = used;
    const name = names.get(variable);
    return name === undefined ? used : { kind: 'env', variable, name: exactText(name) };
  });
  return { ...description, variables };
}

/** Asks on the terminal. @param isSecret if true, the typed text is not shown. */
async function ask(question: string, isSecret: boolean): Promise<string> {
  let isMuted = false;
  const target = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: process.stdin, output: target, terminal: true });
  // Ctrl+C and Ctrl+D close the reader, which leaves the question without an answer.
  const closed = new AbortController();
  reader.once('close', () => closed.abort());
  try {
    const answer = reader.question(question, { signal: closed.signal });
    isMuted = isSecret;
    return await answer;
  } finally {
    reader.close();
    if (isSecret) process.stderr.write('\n');
  }
}

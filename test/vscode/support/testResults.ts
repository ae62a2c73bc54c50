/**
 * Runs tests of the Test Explorer and records their results. VS Code has no stable API for the results of tests, so the
 * functions that the extension calls are recorded. Must be created before the first test file exists.
 */
import * as vscode from 'vscode';
import { until } from './host.js';

/** A message of a failed test. Lines begin at 1. */
export interface ShownFailure {
  text: string;
  line: number | undefined;
  expected: string | undefined;
  actual: string | undefined;
  context: string | undefined;
}

export interface ShownResults {
  /** The states of the items by their path, such as `a.mcptest.yaml/adds/legacy`. */
  states: Record<string, 'passed' | 'failed' | 'errored' | 'skipped'>;
  failures: Record<string, ShownFailure[]>;
  output: string;
}

export class TestResults {
  private controller: vscode.TestController | undefined;
  private readonly profiles = new Map<string, vscode.TestRunProfile>();
  private readonly ended: ShownResults[] = [];
  private readonly original = vscode.tests.createTestController;

  constructor() {
    vscode.tests.createTestController = (id, label) => {
      const controller = this.original(id, label);
      this.controller = controller;
      const createRunProfile = controller.createRunProfile.bind(controller);
      const createTestRun = controller.createTestRun.bind(controller);
      controller.createRunProfile = (...parts) => {
        const profile = createRunProfile(...parts);
        this.profiles.set(profile.label, profile);
        return profile;
      };
      controller.createTestRun = (...parts) => this.recorded(createTestRun(...parts));
      return controller;
    };
  }

  dispose(): void {
    vscode.tests.createTestController = this.original;
  }

  /** The item with these IDs: the name of a file, then names of cases and eras. Reads the cases of the file. */
  async item(file: string, ...names: string[]): Promise<vscode.TestItem> {
    const controller = await until('there is a controller', () => this.controller);
    const found = await until(`the file ${file} is listed`, () =>
      [...controller.items].find(([, { label }]) => label === file),
    );
    await controller.resolveHandler?.(found[1]);
    return names.reduce((item, name) => {
      const child = item.children.get(name);
      if (!child)
        throw new Error(`${item.label} has no ${name}, but ${[...item.children].map(([id]) => id).join(', ')}.`);
      return child;
    }, found[1]);
  }

  /** Runs items with a profile. Resolves with the results when the run has ended. */
  async run(profile: string, items: readonly vscode.TestItem[], token = never): Promise<ShownResults> {
    const before = this.ended.length;
    const chosen = this.profiles.get(profile);
    if (!chosen) throw new Error(`There is no profile ${profile}.`);
    await chosen.runHandler(new vscode.TestRunRequest(items, undefined, chosen), token);
    return until('the run has ended', () => this.ended[before]);
  }

  /** The results of the run that ends next. */
  async next(begin: () => unknown): Promise<ShownResults> {
    const before = this.ended.length;
    await begin();
    return until('a run has ended', () => this.ended[before], 40_000);
  }

  /** Starts a continuous run. */
  async watch(items: readonly vscode.TestItem[], token: vscode.CancellationToken): Promise<void> {
    const profile = this.profiles.get('Run');
    await profile?.runHandler(new vscode.TestRunRequest(items, undefined, profile, true), token);
  }

  private recorded(run: vscode.TestRun): vscode.TestRun {
    const results: ShownResults = { states: {}, failures: {}, output: '' };
    const note = (item: vscode.TestItem, state: ShownResults['states'][string], messages: unknown = []) => {
      results.states[pathOf(item)] = state;
      const all = (Array.isArray(messages) ? messages : [messages]) as vscode.TestMessage[];
      if (all.length > 0) results.failures[pathOf(item)] = all.map(shown);
    };
    return new Proxy(run, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...parts: unknown[]): unknown => {
          const [item, messages] = parts as [vscode.TestItem, unknown];
          if (name === 'passed' || name === 'skipped') note(item, name);
          else if (name === 'failed' || name === 'errored') note(item, name, messages);
          else if (name === 'appendOutput') results.output += String(parts[0]);
          else if (name === 'end') this.ended.push(results);
          return Reflect.apply(member, target, parts);
        };
      },
    });
  }
}

function pathOf(item: vscode.TestItem): string {
  return item.parent ? `${pathOf(item.parent)}/${item.id}` : item.label;
}

function shown({ message, location, expectedOutput, actualOutput, contextValue }: vscode.TestMessage): ShownFailure {
  return {
    text: typeof message === 'string' ? message : message.value,
    line: location && location.range.start.line + 1,
    expected: expectedOutput,
    actual: actualOutput,
    context: contextValue,
  };
}

const never = new vscode.CancellationTokenSource().token;

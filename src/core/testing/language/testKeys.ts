/**
 * The keys of test files with their descriptions, for completions and hovers. `media/mcptest.schema.json` has the same
 * keys and descriptions.
 */
import { t } from '@vscode/l10n';

/** The maps of a file, by their place in it. */
export type KeyPlace = 'file' | 'case' | 'step' | 'expect' | 'matcher' | 'answers' | 'complete' | 'error' | 'count';

/** The keys of a map, each with its description. A function, because the texts depend on the display language. */
export function keysOf(place: KeyPlace): Readonly<Record<string, string>> {
  switch (place) {
    case 'file':
      return {
        server: t('The name of a configured server, or a definition as in mcp.json.'),
        protocol: t('The versions of the protocol: auto, legacy, 2026-07-28, or a list of them.'),
        timeout: t('The time limit of each test, such as 10s.'),
        answers: t('The answers to the questions of the server.'),
        setup: t('Steps before the first test.'),
        teardown: t('Steps after the last test.'),
        tests: t('The tests.'),
      };
    case 'case':
      return {
        name: t('The name of the test. It must be unique in the file.'),
        tags: t('The tags of the test. With --tag, only tests with that tag run.'),
        skip: t('True, or the reason why the test does not run.'),
        timeout: t('The time limit of the test, such as 10s.'),
        answers: t('The answers to the questions of the server.'),
        each: t('A list of maps. The test runs once for each map, with its values.'),
        steps: t('Several requests, one after another.'),
        ...keysOf('step'),
      };
    case 'step':
      return {
        call: t('The name of the tool to call.'),
        read: t('The URI of the resource to read.'),
        get: t('The name of the prompt to get.'),
        list: t('What to list: tools, resources, templates, or prompts.'),
        complete: t('The argument to complete.'),
        arguments: t('The arguments of the tool or prompt.'),
        expect: t('The expected outcome.'),
        save: t('Values of the result for later steps, by name.'),
      };
    case 'expect':
      return {
        isError: t('Whether the tool reports an error.'),
        error: t('The expected protocol error: true for any error, a code, or a code and a message.'),
        text: t('The text of the result.'),
        structured: t('Fields of the structured content, or of the JSON in the text. Other fields are ignored.'),
        equals: t('The exact structured content, or the JSON in the text.'),
        result: t('Fields of the whole result. Other fields are ignored.'),
        schema: t('The value must match the output schema of the tool ("output"), or the given JSON Schema.'),
        count: t('The number of items, or min and max.'),
        within: t('The maximum duration of the request, such as 200ms.'),
        progress: t('The minimum number of progress notifications, or min and max.'),
        logs: t('Log messages that come in this order.'),
        notifications: t('Notifications that come in this order.'),
        asked: t('The questions of the server, in order: elicitation, sampling.'),
        snapshot: t('The result must be the same as the stored snapshot.'),
        ignore: t('Paths that are omitted from the snapshot, such as $..title.'),
      };
    case 'matcher':
      return {
        equals: t('The exact value.'),
        contains: t('A part of the text or list, or a list of parts.'),
        matches: t('A regular expression, or a list of them.'),
        not: t('The value must not match this.'),
        subset: t('Fields of the value. Other fields are ignored.'),
        count: t('The number of items or characters, or min and max.'),
        type: t('The type: string, number, integer, boolean, object, array, or null.'),
        above: t('The value must be greater than this number.'),
        below: t('The value must be less than this number.'),
      };
    case 'answers':
      return {
        elicitation: t('The content of the form, or "decline" or "cancel".'),
        sampling: t('A string, or a map with text, model, and stopReason.'),
        roots: t('A list of paths.'),
      };
    case 'complete':
      return {
        prompt: t('The name of the prompt.'),
        template: t('The URI template of the resource.'),
        argument: t('The name of the argument.'),
        value: t('The beginning of the value.'),
      };
    case 'error':
      return { code: t('The JSON-RPC error code.'), message: t('The message of the error.') };
    case 'count':
      return { min: t('The minimum.'), max: t('The maximum.') };
  }
}

/** The map at a path of keys; list items are `-`. Undefined if the map has no keys of its own, such as arguments. */
export function placeOf(path: readonly string[]): KeyPlace | undefined {
  const [first, second] = path;
  if (first === undefined) return 'file';
  if (first === 'answers') return path.length === 1 ? 'answers' : undefined;
  if (second !== '-') return undefined;
  if (first === 'setup' || first === 'teardown') return inStep(path.slice(2), 'step');
  if (first !== 'tests') return undefined;
  if (path[2] === 'steps' && path[3] === '-') return inStep(path.slice(4), 'step');
  return inStep(path.slice(2), 'case');
}

function inStep(path: readonly string[], own: KeyPlace): KeyPlace | undefined {
  const [key, inner, deeper] = path;
  if (key === undefined) return own;
  if (key === 'answers' || key === 'complete') return inner === undefined ? key : undefined;
  if (key !== 'expect') return undefined;
  if (inner === undefined) return 'expect';
  if (inner === 'text' || inner.startsWith('$'))
    return deeper === undefined || deeper === 'not' ? 'matcher' : undefined;
  if (deeper !== undefined) return undefined;
  if (inner === 'error') return 'error';
  return inner === 'count' || inner === 'progress' ? 'count' : undefined;
}

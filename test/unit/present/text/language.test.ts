/** The language of texts: set once per runtime, and English for logs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { t } from '@vscode/l10n';
import { HostError } from '../../../../src/core/base/hostError.js';
import { failureLine, failureLogLine, failureMessage } from '../../../../src/core/present/failure/failureText.js';
import { inEnglish, useLanguage } from '../../../../src/core/present/text/language.js';
import { problemLine } from '../../../../src/core/present/form/schemaProblems.js';
import { speak } from '../../../support/languages.js';
import { PanelPage, startBrowser } from '../../../support/panelPage.js';

const german = {
  'The server "{0}"': 'Der Server „{0}“',
  '{0} did not respond to {1} within {2}.': '{0} hat auf {1} nicht innerhalb von {2} geantwortet.',
  'must be {0}': 'muss {0} sein',
  'a number': 'eine Zahl',
  Run: 'Ausführen',
};
const lost = () => new HostError('timeout', 'No answer.', { data: { method: 'tools/list', waitedMs: 2_500 } });

describe('texts', { concurrency: false }, () => {
  afterEach(() => useLanguage(undefined));

  test('are in English while no language is set', () => {
    assert.match(failureLine(lost(), 'db'), /^The server "db" did not respond to tools\/list within 2\.5 s\./);
  });

  test('of a failure are in the language of the user, and the same failure in a log is in English', (context) => {
    speak(context, german);
    const message = failureMessage(lost(), { isWorkspaceTrusted: true, server: 'db' });
    assert.match(message?.text ?? '', /^Der Server „db“ hat auf tools\/list nicht innerhalb von 2\.5 s geantwortet\./);
    assert.match(failureLogLine(lost(), 'db'), /^The server "db" did not respond to tools\/list within 2\.5 s\./);
    assert.match(failureLine(lost(), 'db'), /^Der Server „db“/);
  });

  test('are in the language of the user again after an English text failed', (context) => {
    speak(context, german);
    assert.throws(
      () =>
        inEnglish(() => {
          throw new Error(t('Run'));
        }),
      /^Error: Run$/,
    );
    assert.equal(t('Run'), 'Ausführen');
  });

  test('of a part that is loaded on first use are in the language set before', async (context) => {
    speak(context, german);
    const { loadValidator } = await import('../../../../src/core/schema/loadValidator.js');
    const validator = await loadValidator();
    const { problems } = validator.check({ properties: { a: { type: 'number' } } }, { a: 'x' });
    assert.deepEqual(problems.map(problemLine), ['a muss eine Zahl sein']);
  });

  test('keep braces that are not placeholders, numbers, and the texts that a bundle lacks', (context) => {
    speak(context, german);
    assert.equal(t('It holds {0}, written as \\u{…} here.', 0), 'It holds 0, written as \\u{…} here.');
    assert.equal(t('Written {0}. Variables like ${env:NAME}', false), 'Written false. Variables like ${env:NAME}');
    assert.equal(t('No place', 'unused'), 'No place');
    assert.equal(t('{0} and {1}', '{1}', 'b'), '{1} and b');
  });
});

describe('the package', () => {
  const shipped = JSON.parse(readFileSync('dist/shipped.json', 'utf8')) as Record<string, string[]>;

  test('has texts only in bundles that set the language, not in files loaded separately', () => {
    const withTexts = Object.entries(shipped)
      .filter(([, sources]) => sources.some((source) => source.includes('node_modules/@vscode/l10n/')))
      .map(([file]) => file.replace(/-\w{8}\.js$/, '.js'));
    assert.deepEqual(withTexts.sort(), [
      'dist/deck.js',
      // A worker thread, which gets the texts with its data.
      'dist/lib/testReader.js',
      // The pages with forms, results or Markdown share theirs.
      ...['app', 'shared', 'trace'].map((page) => `dist/webview/${page}.js`),
    ]);
  });

  test('reads the bundle of VS Code before it creates anything', async () => {
    const read = new Error('the bundle was read');
    const l10n = Object.defineProperty({}, 'bundle', {
      get: () => {
        throw read;
      },
    });
    const { openDeck } = loadWith(path.resolve('dist/deck.js'), { l10n }) as {
      openDeck: (at: object) => Promise<void>;
    };
    const touched: PropertyKey[] = [];
    const surroundings = new Proxy(
      {},
      {
        get: (_, name) => {
          touched.push(name);
          return undefined;
        },
      },
    );
    await assert.rejects(openDeck(surroundings), read);
    // Only the destructuring of the argument came before.
    assert.deepEqual(touched, [
      'extension',
      'view',
      'runsView',
      'onDidChangeTree',
      'onDidChangeRuns',
      'onDidChangeRules',
      'onDidChangeGateway',
      'ownAgent',
    ]);
  });

  test('draws a page in the language of the bundle that the page receives', async () => {
    const browser = await startBrowser();
    const panel = await PanelPage.open(browser, { schema: { type: 'object' }, bundle: german });
    try {
      assert.equal(await panel.page.getByRole('button', { name: 'Ausführen' }).count(), 1);
    } finally {
      await panel.close();
      await browser.close();
    }
  });
});

/** Loads a file that requires `vscode`; members missing in `api` are empty classes. */
function loadWith(file: string, api: object): unknown {
  const vscode: unknown = new Proxy(api, {
    get: (target, name) => Reflect.get(target, name) ?? anything,
  });
  const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
  const load = loader._load;
  loader._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
  try {
    return createRequire(file)(file);
  } finally {
    loader._load = load;
  }
}

const anything: unknown = new Proxy(function () {}, {
  apply: () => anything,
  get: (target, name) =>
    name === Symbol.toPrimitive ? () => '' : name === 'prototype' ? (target.prototype as object) : anything,
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authError } from '../../../src/core/auth/authProblem.js';
import { HostError } from '../../../src/core/base/hostError.js';
import type { StdioDefinition } from '../../../src/core/config/serverDefinition.js';
import type { DetailsReading } from '../../../src/core/details/serverDetails.js';
import { goneDetails, serverDetails } from '../../../src/core/details/serverDetails.js';
import type { HostSettings } from '../../../src/core/config/hostSettings.js';
import { countTools } from '../../../src/core/present/text/toolTokens.js';
import { serverTooltip } from '../../../src/core/present/tree/serverTooltip.js';
import { ServerStats } from '../../../src/core/stats/serverStats.js';
import type { ViewParts } from '../../support/serverViews.js';
import { needsTrust, serverView, tool } from '../../support/serverViews.js';

const settings: HostSettings = {
  autoStart: 'never',
  maxMessageBytes: 1,
  requestTimeoutMs: 60_000,
  startTimeoutMs: 90_000,
  stopGraceMs: 2_500,
  builtInServer: true,
  trace: 'off',
  restartOnCrash: true,
};
const stdio = (parts: Partial<StdioDefinition> = {}): StdioDefinition => ({
  type: 'stdio',
  command: 'node',
  args: [],
  env: {},
  ...parts,
});

function details(parts: ViewParts = {}, more: Partial<DetailsReading> = {}) {
  return serverDetails(
    {
      view: serverView('s', parts),
      figures: new ServerStats().figures,
      settings,
      isSet: () => false,
      usage: [],
      secrets: [],
      ...more,
    },
    10_000,
  );
}

describe('the details of a server', () => {
  test('offer the actions that fit its state, and always the diagnostic ones', () => {
    const error = new HostError('exited', 'It ended.');
    const actions = (parts: ViewParts) => details(parts).actions.join(' ');
    const looks = 'debugServer editServer showLog showTrace diagnoseServer';
    assert.equal(actions({}), `startServer ${looks}`);
    assert.equal(actions({ features: {} }), `restartServer stopServer ${looks}`);
    assert.equal(actions({ state: { kind: 'starting', since: 0, attempt: 1 } }), `stopServer ${looks}`);
    // The card of this failure has these buttons.
    const noEdit = looks.replace('editServer ', '');
    assert.equal(actions({ state: { kind: 'failed', error, at: 0 } }), noEdit);
    assert.equal(actions({ state: { kind: 'failed', error, at: 0, retryAt: 1 } }), `stopServer ${noEdit}`);
    // A definition in memory has no edit page.
    assert.match(actions({ source: { id: 'scratch', kind: 'scratch', label: 'This window' } }), / openConfiguration /);
    assert.equal(actions({ state: needsTrust }), `reviewTrust ${looks}`);
    const key = authError('sign-in-needed', { server: 's', keyHeader: 'X-Api-Key' });
    assert.equal(
      actions({
        definition: { type: 'http', url: 'https://mcp.example/mcp', headers: {} },
        state: { kind: 'needsSignIn', error: key },
        auth: { isPersonal: true, host: 'mcp.example', state: { kind: 'signInNeeded', error: key } },
      }),
      'startServer showLog showTrace diagnoseServer',
    );
    assert.equal(actions({ isEnabled: false }), 'enableServer editServer showLog diagnoseServer');
    assert.equal(
      actions({ definition: stdio({ command: './server' }) }),
      'startServer editServer showLog showTrace diagnoseServer',
    );
    assert.equal(actions({ definition: { type: 'builtin' } }), 'startServer showLog showTrace diagnoseServer');
  });

  test('show what the enabled tools cost in each request to a model, after they were counted', async () => {
    const tools = [tool('one'), tool('two'), tool('off')];
    const view = serverView('s', { features: { tools } });
    const models = (reading: Partial<DetailsReading>) =>
      details({}, reading).groups.find(({ title }) => title === 'Language models')?.facts;
    assert.equal(models({ view }), undefined);
    await countTools(tools, (texts) => Promise.resolve(texts.map((_, at) => (at + 1) * 1_000)));
    assert.deepEqual(models({ view }), [{ name: 'Tools', values: ['about 6,000 tokens in each request to a model'] }]);
    const switches = { whyOff: (name: string) => (name === 'off' ? ('user' as const) : undefined), isLeftOut: false };
    const less = models({ view: { ...view, switches } });
    assert.deepEqual(less, [{ name: 'Tools', values: ['about 3,000 tokens in each request to a model'] }]);
  });

  test('show the state as the tree does, and the protocol', () => {
    const running = details({ features: {} });
    assert.deepEqual(
      [running.state, running.badge, running.figures.runningSince],
      [{ kind: 'running', text: 'running' }, 'stdio · MCP 2025-11-25', 0],
    );
    assert.deepEqual(details({ features: {}, silentSince: 4_000 }).state, {
      kind: 'waiting',
      text: 'not responding for 6 s',
    });
    assert.deepEqual(details({ state: { kind: 'starting', since: 7_000, attempt: 1 } }).state, {
      kind: 'busy',
      text: 'starting, 3 s',
    });
    assert.equal(goneDetails('x').state.kind, 'gone');
  });

  test('show each limit with its source', () => {
    const limits = (definition: StdioDefinition, isSet: DetailsReading['isSet']) =>
      details({ definition }, { isSet })
        .groups.at(-1)
        ?.facts.map(({ values, from }) => `${values.join(' ').slice(0, 7)} (${from})`);
    assert.deepEqual(
      limits(stdio(), () => false),
      ['yes, af (default)', '1 min (default)', '1 min (default)', '2.5 s (default)'],
    );
    assert.deepEqual(
      limits(
        stdio({ timeoutMs: 1_500, startTimeoutMs: 200, restartOnCrash: false, maxMessagesPerSecond: 5 }),
        () => true,
      ),
      [
        'no (definition, "restartOnCrash")',
        '1.5 s (definition, "timeoutMs")',
        '200 ms (definition, "startTimeoutMs")',
        '2.5 s (settings)',
        'at most (definition, "maxMessagesPerSecond")',
      ],
    );
  });

  test('show the full last error, masked, with the output of the server while it is down', () => {
    const stats = new ServerStats();
    stats.recordError(new HostError('exited', 'It ended: key-123456 was refused.', { data: { code: 1 } }), 5);
    const state = { kind: 'failed' as const, error: new Error('x'), at: 5 };
    const reading = { figures: stats.figures, secrets: ['key-123456'] };
    const stderr = ['using key-123456', 'bye\u202e'];
    const { lastError } = details({ stderr }, reading);
    // While it is failed, the card shows the error.
    const down = details({ state, stderr }, reading);
    assert.deepEqual([down.card?.lines, down.lastError], [['using •••', 'bye\\u{202e}'], undefined]);
    assert.ok(lastError && !JSON.stringify(lastError).includes('key-123456'));
    assert.deepEqual([lastError.at, lastError.output], [5, ['using •••', 'bye\\u{202e}']]);
    assert.deepEqual(
      details({ features: {}, stderr: ['all is well'] }, { figures: stats.figures }).lastError?.output,
      [],
    );
    stats.recordError(new HostError('timeout', 'No answer.'), 6, 'find');
    assert.deepEqual(
      [details({}, { figures: stats.figures }).lastError?.about, details({}).lastError],
      ['find', undefined],
    );
  });

  test('show processes while it runs, with charts over time', () => {
    const look = (cpu: number | undefined, memoryBytes: number) => ({
      cpu,
      memoryBytes,
      processes: [{ pid: 7, name: 'node\u001b[31m', depth: 0, cpu, memoryBytes }],
    });
    const usage = [look(undefined, 10e6), look(0.034, 20e6), look(1.5, 20e6)];
    const shown = details({ features: {} }, { usage }).processes;
    assert.deepEqual(
      [shown?.cpu, shown?.memory, shown?.cpuHistory, shown?.memoryHistory],
      ['150%', '20 MB', [0.034, 1.5], [10e6, 20e6, 20e6]],
    );
    assert.ok(!shown?.lines[0]?.name.includes('\u001b'));
    assert.deepEqual(
      [
        details({ features: {} }, { usage: usage.slice(0, 1) }).processes?.cpu,
        details({ features: {} }, { usage: usage.slice(0, 2) }).processes?.cpu,
      ],
      ['…', '3.4%'],
    );
    assert.equal(details({}, { usage }).processes, undefined);
  });

  test('name the transport of a raw socket, as its tooltip does', () => {
    const definition = { type: 'socket', url: 'unix:///run/x.sock', headers: {} } as const;
    const start = details({ definition })
      .groups.find(({ title }) => title === 'Start')
      ?.facts.slice(0, 2)
      .map(({ name, values }) => [name, ...values]);
    assert.deepEqual(start, [
      ['Transport', 'JSON lines over a socket, without HTTP'],
      ['URL', 'unix:///run/x.sock'],
    ]);
    assert.match(serverTooltip(serverView('s', { definition }), 0), /JSON lines over a socket/);
  });

  test('show no password of an address, and only the names of headers', () => {
    const { groups, environment } = details({
      definition: { type: 'http', url: 'https://me:pw@h.example/mcp?key=1', headers: { Authorization: 'Bearer abc' } },
    });
    const text = JSON.stringify(groups);
    assert.ok(
      text.includes('https://h.example/mcp?…') &&
        text.includes('Authorization') &&
        !text.includes('pw@') &&
        !text.includes('Bearer'),
      text,
    );
    assert.equal(environment, undefined);
  });
});

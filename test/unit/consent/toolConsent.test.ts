import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { HostError } from '../../../src/core/base/hostError.js';
import type { AuditRecord, CallRecord } from '../../../src/core/consent/audit.js';
import { RuleBook, workspaceRulesKey } from '../../../src/core/consent/ruleBook.js';
import type { CallAnswer, CallQuestion, RequestedCall } from '../../../src/core/consent/callConsent.js';
import { ToolConsent } from '../../../src/core/consent/toolConsent.js';
import { ScopedPins, pinsKey, ToolPins } from '../../../src/core/consent/toolPins.js';
import { admit, call, echo, open } from './openConsent.js';

describe('[C5] a call of a model', () => {
  test('runs once when the user allows it once, and needs a question again', async () => {
    const made = open({ answer: { effect: 'allow' } });
    await admit(made);
    await admit(made);
    assert.equal(made.asked.length, 2);
    assert.deepEqual(made.asked[0], {
      server: 'srv',
      tool: echo,
      arguments: { text: 'hi' },
      caller: 'model',
      isAfterLoss: false,
      hasSecrets: false,
    });
  });

  test('is refused when the user denies it', async () => {
    await assert.rejects(admit(open({ answer: { effect: 'deny' } })), {
      code: 'call-refused',
      data: { server: 'srv', tool: 'echo', by: 'user' },
    });
  });

  test('whose caller has just asked needs no question, but can still be denied', async () => {
    const made = open();
    await admit(made, { caller: 'app', isAnswered: true });
    assert.deepEqual([made.asked.length, (await made.entries()).length], [0, 0]);
    await assert.rejects(admit(open({ user: [{ effect: 'deny' }] }), { caller: 'app', isAnswered: true }), {
      code: 'call-refused',
    });
  });

  test('that was allowed in advance needs a question if a rule asks', async () => {
    const inAdvance = { caller: 'app', isAnswered: 'inAdvance' } as const;
    const made = open({ answer: { effect: 'allow' } });
    await admit(made, inAdvance);
    assert.equal(made.asked.length, 0);
    const strict = open({ answer: { effect: 'allow' }, user: [{ effect: 'ask', tool: 'echo' }] });
    await admit(strict, inAdvance);
    assert.equal(strict.asked.length, 1);
  });

  test('[V8] of a page is checked against the rules in advance: allowed and denied ones need no question, and nothing is consumed or written', async () => {
    const made = open({
      user: [
        { effect: 'allow', server: 'srv', tool: 'echo', callers: ['app'] },
        { effect: 'deny', tool: 'wipe' },
      ],
    });
    const preview = (name: string, caller: RequestedCall['caller'] = 'app') =>
      made.consent.preview({ server: call.server, tool: { ...echo, name }, arguments: {}, caller });
    assert.deepEqual(
      [preview('echo'), preview('echo', 'model'), preview('other'), preview('wipe')],
      ['allow', 'ask', 'ask', 'deny'],
    );
    assert.deepEqual(
      [made.asked, await made.entries(), made.rules.rules.map((rule) => made.rules.lastUsed(rule))],
      [[], [], [undefined, undefined]],
    );
    await admit(made, { caller: 'app' });
    assert.equal(made.asked.length, 0);
  });

  test('is not made without an answer', async () => {
    await assert.rejects(admit(open()), { code: 'cancelled' });
  });

  test('needs no question during a session in which the user allowed exactly this tool', async () => {
    const made = open({ answer: { effect: 'allow', remember: { lifetime: 'session', onlyTheseArguments: false } } });
    await admit(made);
    await admit(made, { arguments: { text: 'other' } });
    assert.equal(made.asked.length, 1);
    await admit(made, { tool: { ...echo, name: 'other' } });
    assert.equal(made.asked.length, 2);
    assert.deepEqual([made.written.user, made.state.has(workspaceRulesKey)], [undefined, false]);
  });

  test('is made without a question for exactly these arguments', async () => {
    const made = open({ answer: { effect: 'allow', remember: { lifetime: 'workspace', onlyTheseArguments: true } } });
    await admit(made);
    await admit(made);
    assert.equal(made.asked.length, 1);
    await admit(made, { arguments: { text: 'hi', more: 1 } });
    assert.equal(made.asked.length, 2);
  });

  test('no secret becomes a part of a rule', async () => {
    const made = open({ answer: { effect: 'allow', remember: { lifetime: 'always', onlyTheseArguments: true } } });
    await admit(made, { arguments: { password: 'hunter2' }, secretArguments: new Set(['password']) });
    assert.equal(made.asked[0]?.hasSecrets, true);
    assert.doesNotMatch(JSON.stringify([made.written.user, made.lines]), /hunter2/);
  });

  test('a rule that would need a secret is not created, and neither is a wider one', async () => {
    for (const remember of [
      { onlyTheseArguments: true },
      { onlyTheseArguments: false, where: { '/text': { wildcard: 'h*' } } },
    ]) {
      const made = open({ answer: { effect: 'allow', remember: { lifetime: 'session', ...remember } } });
      await admit(made, { arguments: { text: 'hi', password: 'hunter2' }, secretArguments: new Set(['password']) });
      assert.deepEqual(made.rules.rules, []);
    }
  });

  test('is made without a question if its arguments match a pattern', async () => {
    const made = open({
      answer: {
        effect: 'allow',
        remember: { lifetime: 'session', onlyTheseArguments: false, where: { '/text': { wildcard: 'h*' } } },
      },
    });
    await admit(made);
    await admit(made, { arguments: { text: 'hello' } });
    assert.equal(made.asked.length, 1);
    await admit(made, { arguments: { text: 'other' } });
    assert.equal(made.asked.length, 2);
  });

  test('[C3] an allowance ends when the definition of the server changes, and a refusal does not', async () => {
    const always = (effect: 'allow' | 'deny') =>
      open({ answer: { effect, remember: { lifetime: 'always', onlyTheseArguments: false } } });
    const moved = { server: { ...call.server, hash: 'another command' } };
    const allowed = always('allow');
    await admit(allowed);
    await admit(allowed, moved);
    assert.equal(allowed.asked.length, 2);
    const denied = always('deny');
    await assert.rejects(admit(denied));
    await assert.rejects(admit(denied, moved), {
      data: { server: 'srv', tool: 'echo', by: 'rule', rule: 'deny "echo" of "srv"' },
    });
    assert.equal(denied.asked.length, 1);
  });
});

test('[GW14] before a start, a call is refused if a rule denies it regardless of the tool definition, and this is recorded', async () => {
  const unlisted = { ...call, tool: { name: 'echo', inputSchema: {} }, isListed: false };
  for (const rule of [
    { effect: 'deny', tool: 'ec*' },
    { effect: 'deny', annotations: { readOnly: false } },
  ]) {
    const made = open({ user: [rule] });
    assert.throws(() => made.consent.refuseEarly(unlisted), { code: 'call-refused' });
    const [record] = (await made.entries()) as CallRecord[];
    assert.deepEqual([record?.decidedBy, record?.outcome], ['rule', 'refused']);
  }
  for (const rule of [{ effect: 'ask' }, { effect: 'deny', server: 'other' }, { effect: 'deny', callers: ['agent'] }]) {
    const made = open({ user: [rule] });
    made.consent.refuseEarly(unlisted);
    assert.deepEqual([made.asked, await made.entries()], [[], []]);
  }
  // A tool of the built-in server may turn out to read only.
  const builtin = { ...unlisted, server: { ...call.server, origin: 'builtin' as const } };
  open({ user: [{ effect: 'deny', annotations: { readOnly: false } }] }).consent.refuseEarly(builtin);
});

test('a rule that denies, written while the question was open, applies', async () => {
  const made: ReturnType<typeof open> = open({
    answer: () => {
      void made.rules.add({ effect: 'deny', tool: 'echo' }, 'session');
      return { effect: 'allow' };
    },
  });
  await assert.rejects(admit(made), { code: 'call-refused' });
});

describe('[C21] a call of a command', () => {
  const byScript = { caller: 'script' } as const;

  test('needs a question, and shows whether the caller waits', async () => {
    const made = open({ answer: { effect: 'allow' } });
    await admit(made, byScript);
    await admit(made, { ...byScript, asksAtOnce: 'command' });
    assert.deepEqual(
      made.asked.map(({ caller, asksAtOnce }) => [caller, asksAtOnce]),
      [
        ['script', undefined],
        ['script', 'command'],
      ],
    );
  });

  test('needs a question once if the answer is remembered, which allows only commands to run it', async () => {
    const made = open({ answer: { effect: 'allow', remember: { lifetime: 'workspace', onlyTheseArguments: false } } });
    await admit(made, byScript);
    await admit(made, byScript);
    assert.equal(made.asked.length, 1);
    await admit(made, { caller: 'model' });
    assert.deepEqual(
      made.asked.map(({ caller }) => caller),
      ['script', 'model'],
    );
    const [rule] = made.rules.rules;
    assert.deepEqual(rule?.rule.callers, ['script']);
  });

  test('of a changed tool or server needs a question again', async () => {
    const made = open({ answer: { effect: 'allow', remember: { lifetime: 'workspace', onlyTheseArguments: false } } });
    await admit(made, byScript);
    await admit(made, { ...byScript, server: { ...call.server, hash: 'other' } });
    assert.equal(made.asked.length, 2);
  });

  test('by the API of the extension needs no question, and is denied by a rule against scripts', async () => {
    const made = open();
    await admit(made, { ...byScript, isApi: true });
    assert.equal(made.asked.length, 0);
    await assert.rejects(
      admit(open({ user: [{ effect: 'deny', callers: ['script'] }] }), { ...byScript, isApi: true }),
      { code: 'call-refused' },
    );
  });
});

describe('[C5] a call that waits for the user', () => {
  /** Asks as the Requests view does: waits for an answer, or until the question is withdrawn. */
  function openWaiting(user: unknown) {
    const state = new Map<string, unknown>();
    const store = {
      get: (key: string) => state.get(key),
      set: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
    };
    const written = { user: user as readonly unknown[] };
    const changed = new Emitter<void>();
    const rules = new RuleBook(
      {
        read: () => ({ user: written.user, workspace: [] }),
        write: (list) => Promise.resolve(void (written.user = list)),
        onDidChange: changed.event,
      },
      store,
    );
    const records: AuditRecord[] = [];
    const asked: { question: CallQuestion; isOpen: boolean }[] = [];
    const asker = {
      ask: (question: CallQuestion, signal: AbortSignal | undefined) =>
        new Promise<CallAnswer>((_resolve, reject) => {
          const entry = { question, isOpen: true };
          asked.push(entry);
          signal?.addEventListener('abort', () => {
            entry.isOpen = false;
            reject(signal.reason as Error);
          });
        }),
    };
    const consent = new ToolConsent({
      rules,
      pins: new ScopedPins(new ToolPins(store), new ToolPins(store)),
      audit: { note: (record) => void records.push(record) },
      asker,
      trustedAnnotations: () => [],
      now: () => 0,
    });
    const write = (list: readonly unknown[]) => {
      written.user = list;
      changed.fire();
    };
    return { consent, asked, records, write };
  }

  test('no longer waits when the rule that held it is removed, and is sent if no other rule asks', async () => {
    const { consent, asked, write } = openWaiting([{ effect: 'ask', tool: 'echo' }]);
    let questions = 0;
    const admission = consent.admit({ ...call, caller: 'user', onAsk: () => questions++ }, () => echo);
    assert.deepEqual([asked.map(({ isOpen }) => isOpen), questions], [[true], 1]);
    write([]);
    assert.equal(asked[0]?.isOpen, false);
    await admission;
    assert.equal(asked.length, 1);
  });

  test('needs a new question, without the rule, if the default of its caller asks', async () => {
    const { consent, asked, write } = openWaiting([{ effect: 'ask', tool: 'echo' }]);
    const stop = new AbortController();
    const admission = consent.admit(call, () => echo, stop.signal);
    assert.match(asked[0]?.question.rule ?? '', /ask/);
    write([]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      asked.map(({ isOpen, question }) => [isOpen, question.rule === undefined]),
      [
        [false, false],
        [true, true],
      ],
    );
    stop.abort(new HostError('cancelled', 'Enough.'));
    await assert.rejects(admission, { code: 'cancelled' });
  });

  test('is refused by a rule that is written in the meantime, with one entry in the audit log', async () => {
    const { consent, records, write } = openWaiting([]);
    const admission = consent.admit(call, () => echo);
    write([{ effect: 'deny', tool: 'echo' }]);
    await assert.rejects(admission, { code: 'call-refused' });
    assert.deepEqual(
      records.map((record) => (record as CallRecord).decidedBy),
      ['rule'],
    );
  });
});

describe('a caller that can ask the user itself', () => {
  const byAgent: RequestedCall = { ...call, caller: 'agent', client: 'Code' };
  const lost = { [pinsKey]: 'unreadable' };
  const rows: [what: string, options: Parameters<typeof open>[0], expected: string][] = [
    ['asks about a call that no rule decides', {}, 'default'],
    ['does not ask about an allowed call', { user: [{ effect: 'allow', callers: ['agent'] }] }, 'no'],
    ['does not ask about a denied call', { user: [{ effect: 'deny' }] }, 'no'],
    ['does not ask if a rule asks', { user: [{ effect: 'ask' }] }, 'here'],
    ['does not ask if a rule of the workspace asks', { workspace: [{ effect: 'ask' }] }, 'here'],
    ['does not ask if approvals were lost', { state: lost }, 'here'],
  ];
  for (const [what, options, expected] of rows)
    test(`[LM2] ${what}`, () => assert.equal(open(options).consent.questionAbout(byAgent), expected));

  test('[LM2] does not ask about a changed tool, which is refused', async () => {
    const { consent } = open({ user: [{ effect: 'allow', callers: ['agent'] }] });
    (await consent.admit(byAgent, () => echo)).finish('ok');
    const changed = { ...byAgent, tool: { ...echo, description: 'other' } };
    assert.equal(consent.questionAbout(changed), 'no');
  });
});

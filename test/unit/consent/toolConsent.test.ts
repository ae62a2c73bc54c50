import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { ManualClock } from '../../support/manualClock.js';
import { AuditLog } from '../../../src/core/consent/auditLog.js';
import type { AuditRecord, CallRecord } from '../../../src/core/consent/audit.js';
import { callers } from '../../../src/core/consent/rule.js';
import { RuleBook, workspaceRulesKey } from '../../../src/core/consent/ruleBook.js';
import type { CallAnswer, CallQuestion, RequestedCall } from '../../../src/core/consent/toolConsent.js';
import { ToolConsent } from '../../../src/core/consent/toolConsent.js';
import { approvalOf, toolHash } from '../../../src/core/consent/toolDefinition.js';
import { ScopedPins, pinsKey, ToolPins } from '../../../src/core/consent/toolPins.js';
import type { PinStore } from '../../../src/core/consent/toolPins.js';
import type { Tool } from '../../../src/core/protocol/mcp.js';

const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };
const call: RequestedCall = {
  server: { id: 'srv', hash: 'h', origin: 'user' },
  tool: echo,
  isListed: true,
  arguments: { text: 'hi' },
  caller: 'model',
  secretArguments: new Set(),
  secrets: [],
};

function open(
  options: {
    user?: unknown;
    workspace?: unknown;
    state?: Record<string, unknown>;
    userStore?: PinStore;
    answer?: CallAnswer | (() => CallAnswer);
  } = {},
) {
  const state = new Map(Object.entries(options.state ?? {}));
  const store = {
    get: (key: string) => state.get(key),
    set: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
  };
  const written = { user: options.user as readonly unknown[] | undefined };
  const changed = new Emitter<void>();
  const rules = new RuleBook(
    {
      read: () => ({ user: written.user, workspace: [options.workspace] }),
      write: (list) => Promise.resolve(void (written.user = list)),
      onDidChange: changed.event,
    },
    store,
  );
  const lines: string[] = [];
  const audit = new AuditLog(
    { append: (text) => Promise.resolve(lines.push(text)), rotate: () => Promise.resolve() },
    () => undefined,
  );
  const asked: CallQuestion[] = [];
  const asker = {
    ask: async (question: CallQuestion) => {
      asked.push(question);
      const { answer } = options;
      if (answer === undefined) throw new HostError('cancelled', 'Nobody answers.');
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  const pins = new ScopedPins(new ToolPins(store), new ToolPins(options.userStore ?? store));
  const consent = new ToolConsent({ rules, pins, audit, asker, trustedAnnotations: () => [], now: () => 0 });
  const entries = async () => {
    await audit.flushed();
    return lines.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as AuditRecord);
  };
  return { consent, rules, pins, asked, entries, lines, written, state, audit };
}
const admit = (
  made: ReturnType<typeof open>,
  more: Partial<RequestedCall> = {},
  current: Tool | undefined = more.tool ?? echo,
) => made.consent.admit({ ...call, ...more }, () => current);

test('[C6] a call whose tool cannot be stored is not sent: the next window would not detect a change', async () => {
  const made = open({ userStore: { get: () => undefined, set: () => Promise.reject(new Error('full')) } });
  await assert.rejects(admit(made, { caller: 'user' }), /full/);
});

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

  test('is made without a question for a session, exactly this tool', async () => {
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

describe('[C6] a changed tool', () => {
  const other = { ...echo, description: 'Sends your files away.' };
  for (const caller of ['user', 'model', 'app', 'task', 'script'] as const) {
    test(`does not run for ${caller}, for any rules, until the change is accepted`, async () => {
      const made = open({ user: [{ effect: 'allow' }], answer: { effect: 'allow' } });
      await admit(made);
      await assert.rejects(admit(made, { tool: other, caller }), { code: 'tool-changed' });
      assert.deepEqual([...made.consent.changed({ hash: 'h', origin: 'user' }, [other])], ['echo']);
      await made.consent.acceptChange(call.server, other);
      await admit(made, { tool: other, caller });
    });
  }

  test('an allowance for it ends with the change', async () => {
    const made = open({ answer: { effect: 'allow', remember: { lifetime: 'always', onlyTheseArguments: false } } });
    await admit(made);
    await made.consent.acceptChange(call.server, other);
    await admit(made, { tool: other });
    assert.equal(made.asked.length, 2);
  });

  test('does not run when it changes while the question is open', async () => {
    const made = open({ answer: { effect: 'allow' } });
    await assert.rejects(admit(made, {}, other), { code: 'tool-changed' });
    assert.equal(made.pins.of(call.server).verdict('h', echo).kind, 'new');
  });

  for (const [what, stored] of [
    ['was lost', 'broken'],
    ['of its server was dropped', { version: 1, servers: {}, forgotten: ['h'] }],
  ] as const)
    test(`after the record ${what} even a call of the user needs a question once`, async () => {
      const made = open({ state: { [pinsKey]: stored }, answer: { effect: 'allow' } });
      await admit(made, { caller: 'user' });
      await admit(made, { caller: 'user' });
      assert.deepEqual(
        made.asked.map(({ isAfterLoss }) => isAfterLoss),
        [true],
      );
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

test('a tool that refused calls does not count as approved', async () => {
  const made = open({ user: [{ effect: 'deny' }] });
  await assert.rejects(admit(made, { caller: 'user' }), { code: 'call-refused' });
  assert.equal(made.pins.of(call.server).verdict('h', echo).kind, 'new');
});

describe('rules by lifetime', () => {
  test("the user's list keeps its entries, valid or not", async () => {
    const notes = [{ effect: 'ask', tool: 'x', note: 'mine' }, { effect: 'oops' }];
    const made = open({ user: notes });
    await made.consent.addRule({ effect: 'deny', tool: 'y' }, 'always');
    assert.deepEqual(made.written.user, [...notes, { effect: 'deny', tool: 'y' }]);
    const added = made.rules.rules.find(({ rule }) => rule.tool === 'y');
    assert.ok(added);
    await made.consent.removeRule(added);
    assert.deepEqual(made.written.user, notes);
  });

  test('an invalid list is not overwritten', async () => {
    const made = open({ user: 'oops' });
    await assert.rejects(made.consent.addRule({ effect: 'deny' }, 'always'), /not a list/);
    assert.equal(made.written.user, 'oops');
  });

  test('resetting removes rules from questions and keeps rules that the user wrote', async () => {
    const own = { effect: 'deny', tool: 'own' };
    const made = open({
      user: [own, { effect: 'allow', tool: 'echo', approval: 'x' }],
      state: { [workspaceRulesKey]: [{ effect: 'allow' }] },
    });
    await made.rules.add({ effect: 'allow' }, 'session');
    await made.consent.reset();
    assert.deepEqual([made.written.user, made.rules.rules.map(({ rule }) => rule.tool)], [[own], ['own']]);
  });
});

test('[C6] a server of the user that changes a tool between two workspaces is detected in both, a server of a workspace only in its own', async () => {
  const userStore = new Map<string, unknown>();
  const shared: PinStore = {
    get: (key) => userStore.get(key),
    set: (key, value) => Promise.resolve(void userStore.set(key, value)),
  };
  const [here, there] = [
    open({ userStore: shared, user: [{ effect: 'allow' }] }),
    open({ userStore: shared, user: [{ effect: 'allow' }] }),
  ];
  const other = { ...echo, description: 'Also sends it away.' };
  (await admit(here, { caller: 'user' })).finish('ok');
  await assert.rejects(admit(there, { caller: 'user', tool: other }), { code: 'tool-changed' });
  assert.deepEqual([...there.consent.changed({ hash: 'h', origin: 'user' }, [other])], ['echo']);
  // Accepting in one workspace also accepts in the other.
  await there.consent.acceptChange(call.server, other);
  (await admit(here, { caller: 'user', tool: other })).finish('ok');
  await assert.rejects(admit(here, { caller: 'user' }), { code: 'tool-changed' });
  // A workspace's server with the same definition is a different server.
  const own = { server: { ...call.server, origin: 'workspace' as const }, caller: 'user' as const };
  (await admit(here, own)).finish('ok');
  (await admit(there, { ...own, tool: other })).finish('ok');
  await here.consent.reset();
  assert.deepEqual([...there.consent.changed({ hash: 'h', origin: 'user' }, [other])], []);
});

describe('the audit log', () => {
  test('records the caller, the call, the decision and the outcome', async () => {
    const made = open({ user: [{ effect: 'allow', tool: 'echo', callers: ['app'] }], answer: { effect: 'deny' } });
    (await admit(made, { caller: 'app' })).finish('tool-error');
    await assert.rejects(admit(made));
    const [first, second] = (await made.entries()) as CallRecord[];
    assert.deepEqual(
      [first?.caller, first?.decidedBy, first?.rule, first?.outcome, first?.arguments],
      ['app', 'rule', 'allow "echo" of any server for app', 'tool-error', '{"text":"hi"}'],
    );
    assert.deepEqual(
      [second?.caller, second?.effect, second?.decidedBy, second?.outcome],
      ['model', 'deny', 'user', 'refused'],
    );
  });

  test("[S2, S3] contains no secret of arguments or of the server's environment", async () => {
    const made = open({ answer: { effect: 'allow' } });
    const values = { token: 'abc123', deep: { list: ['x s3cr"et y'] } };
    (await admit(made, { arguments: values, secretArguments: new Set(['token']), secrets: ['s3cr"et'] })).finish('ok');
    const [entry] = (await made.entries()) as CallRecord[];
    assert.equal(entry?.arguments, '{"token":"•••","deep":{"list":["x ••• y"]}}');
    assert.doesNotMatch(made.lines.join(''), /abc123|s3cr/);
  });

  test('[S2] limits every text and list of a record, and masks known secrets', async () => {
    const made = open();
    made.audit.note(
      {
        event: 'server-added',
        servers: Array.from({ length: 5_000 }, (_, i) => `s${i}`),
        to: `x hunter2 ${'y'.repeat(100_000)}`,
        caller: 'user',
        outcome: 'allowed',
      },
      ['hunter2'],
    );
    await made.entries();
    assert.ok(made.lines.join('').length < 5_000);
    assert.match(made.lines.join(''), /x ••• yyy/);
  });

  test('is written in few pieces and in order, and at once if a caller waits for it or it is disposed', async () => {
    const clock = new ManualClock();
    const pieces: string[] = [];
    const log = new AuditLog(
      { append: (text) => Promise.resolve(pieces.push(text)), rotate: () => Promise.resolve() },
      () => undefined,
      { clock },
    );
    const note = (tool: string) => log.note({ event: 'call', caller: 'user', server: 's', tool, arguments: '{}' });
    const tools = () => pieces.map((piece) => [...piece.matchAll(/"tool":"(.)"/g)].map((match) => match[1]).join(''));
    note('a');
    note('b');
    await clock.advance(0);
    note('c');
    note('d');
    await clock.advance(49);
    assert.deepEqual(tools(), ['ab']);
    await clock.advance(1);
    assert.deepEqual(tools(), ['ab', 'cd']);
    note('e');
    await log.flushed();
    assert.deepEqual(tools(), ['ab', 'cd', 'e']);
    note('f');
    log.dispose();
    await log.flushed();
    assert.deepEqual([tools(), clock.pending], [['ab', 'cd', 'e', 'f'], 0]);
  });

  test('is rotated at its size limit, and a full disk does not prevent calls', async () => {
    let size = 0;
    let rotations = 0;
    const failures: unknown[] = [];
    const file = {
      append: (text: string) =>
        text.includes('full') ? Promise.reject(new Error('ENOSPC')) : Promise.resolve((size += text.length)),
      rotate: () => {
        size = 0;
        rotations++;
        return Promise.resolve();
      },
    };
    const log = new AuditLog(file, (error) => failures.push(error), { maxBytes: 1_000 });
    const note = (tool: string) => log.note({ event: 'call', caller: 'user', server: 's', tool, arguments: '{}' });
    for (let i = 0; i < 100; i++) note('x'.repeat(50));
    note('full');
    note('full');
    note('last');
    await log.flushed();
    assert.ok(rotations > 5 && size < 1_200);
    assert.equal(failures.length, 1);
  });
});

describe('[C31] an answer that allows applies only to the kind of caller in the question', () => {
  const remembered: [string, NonNullable<CallAnswer['remember']>][] = [
    ['for the session', { lifetime: 'session', onlyTheseArguments: false }],
    ['in this workspace', { lifetime: 'workspace', onlyTheseArguments: false }],
    ['everywhere', { lifetime: 'always', onlyTheseArguments: false }],
    ['for these arguments', { lifetime: 'workspace', onlyTheseArguments: true }],
    ['for a pattern', { lifetime: 'session', onlyTheseArguments: false, where: { '/text': { wildcard: 'h*' } } }],
  ];
  for (const [what, remember] of remembered)
    for (const caller of callers)
      test(`${what}: after ${caller}, each other kind is asked about`, async () => {
        // A rule that asks everyone, so that the user's own calls are asked about as well.
        const made = open({ user: [{ effect: 'ask' }], answer: { effect: 'allow', remember } });
        await admit(made, { caller });
        await admit(made, { caller });
        assert.deepEqual(
          made.asked.map((question) => question.caller),
          [caller],
        );
        for (const other of callers.filter((one) => one !== caller)) await admit(made, { caller: other });
        assert.deepEqual(
          made.asked.map((question) => question.caller),
          [caller, ...callers.filter((one) => one !== caller)],
        );
      });

  for (const [what, remember] of remembered)
    test(`${what}: the rule can be removed, and the call is asked about again`, async () => {
      const made = open({ answer: { effect: 'allow', remember } });
      await admit(made);
      const [rule] = made.rules.rules;
      assert.ok(rule);
      await made.consent.removeRule(rule);
      assert.deepEqual(made.rules.rules, []);
      await admit(made);
      assert.equal(made.asked.length, 2);
    });

  test('an approval that an earlier version stored without a kind counts for calls of the user only', async () => {
    const approval = approvalOf(call.server.hash, toolHash(echo));
    const stored = { effect: 'allow', server: 'srv', tool: 'echo', approval };
    for (const made of [
      open({ user: [{ effect: 'ask' }, stored], answer: { effect: 'allow' } }),
      open({ user: [{ effect: 'ask' }], state: { [workspaceRulesKey]: [stored] }, answer: { effect: 'allow' } }),
    ]) {
      for (const caller of callers) await admit(made, { caller });
      assert.deepEqual(
        made.asked.map(({ caller }) => caller),
        callers.filter((one) => one !== 'user'),
      );
    }
    const named = open({ user: [{ ...stored, callers: ['model', 'task'] }], answer: { effect: 'allow' } });
    for (const caller of ['model', 'task'] as const) await admit(named, { caller });
    assert.deepEqual(named.asked, []);
  });

  test('an answer that denies counts for every caller', async () => {
    const made = open({ answer: { effect: 'deny', remember: { lifetime: 'session', onlyTheseArguments: false } } });
    await assert.rejects(admit(made, { caller: 'task' }));
    for (const caller of callers) await assert.rejects(admit(made, { caller }), { code: 'call-refused' });
    assert.equal(made.asked.length, 1);
  });
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

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callers } from '../../../src/core/consent/rule.js';
import { workspaceRulesKey } from '../../../src/core/consent/ruleBook.js';
import type { CallAnswer } from '../../../src/core/consent/callConsent.js';
import { approvalOf, toolHash } from '../../../src/core/consent/toolDefinition.js';
import { pinsKey } from '../../../src/core/consent/toolPins.js';
import type { PinStore } from '../../../src/core/consent/toolPins.js';
import { admit, call, echo, open } from './openConsent.js';

test('[C6] a call whose tool cannot be stored is not sent: the next window would not detect a change', async () => {
  const made = open({ userStore: { get: () => undefined, set: () => Promise.reject(new Error('full')) } });
  await assert.rejects(admit(made, { caller: 'user' }), /full/);
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

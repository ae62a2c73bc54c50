import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRules } from '../../../src/core/consent/readRules.js';
import { ruleText } from '../../../src/core/consent/rule.js';
import { clientName } from '../../../src/core/gateway/gatewayClients.js';
import { ruleFindings } from '../../../src/core/consent/ruleFindings.js';
import type { CallFacts } from '../../../src/core/consent/ruleSet.js';
import { RuleSet } from '../../../src/core/consent/ruleSet.js';

const call: CallFacts = {
  server: 'db',
  origin: 'user',
  hasTrustedAnnotations: false,
  tool: 'drop_table',
  arguments: {},
  caller: 'agent',
  client: 'claude-code',
  approval: 'now',
};
const decide = (rules: readonly object[], more: Partial<CallFacts> = {}) =>
  new RuleSet(readRules(rules, 'always')).decide({ ...call, ...more }).effect;
const allowed = { effect: 'allow', callers: ['agent'], clients: ['claude-code'] };

test('[GW11] a rule with "clients" applies to these agents only', () => {
  assert.deepEqual(
    [
      decide([]),
      decide([allowed]),
      decide([{ effect: 'allow', clients: ['claude-code'] }]),
      decide([{ effect: 'allow', callers: ['agent'] }], { client: 'anything' }),
      decide([allowed], { client: 'codex' }),
      decide([allowed], { client: 'claude-code-2' }),
      decide([allowed], { caller: 'model' }),
      decide([{ effect: 'deny', clients: ['codex'] }], { caller: 'user', client: 'codex' }),
      decide([{ effect: 'ask', callers: ['agent'] }, allowed]),
    ],
    ['ask', 'allow', 'allow', 'allow', 'ask', 'ask', 'ask', 'allow', 'allow'],
  );
});

test('[GW11] "clients" matches the name as the client states it and as questions show it', () => {
  const names = [
    'acme "dev"',
    'C:\\agent',
    'Agent  X',
    ' padded',
    'e\u0301diteur',
    'non\u2011breaking',
    'x'.repeat(61),
  ];
  for (const name of names) {
    const client = clientName({ name, version: '1' });
    assert.equal(decide([{ effect: 'deny', clients: [name] }], { client }), 'deny', name);
    assert.equal(decide([{ effect: 'deny', clients: [client] }], { client }), 'deny', client);
    assert.equal(decide([{ effect: 'allow', clients: [name] }], { client: 'other' }), 'ask', name);
  }
});

test('[GW11] unreadable clients allow nothing, and a rule that asks or denies then applies to all callers', () => {
  for (const clients of ['claude-code', [], [1], {}]) {
    assert.equal(decide([{ effect: 'allow', clients }]), 'ask');
    assert.equal(decide([{ effect: 'deny', clients }], { caller: 'model' }), 'deny');
  }
  const [contradiction] = readRules([{ effect: 'deny', callers: ['model'], clients: ['codex'] }], 'always');
  assert.equal(contradiction?.problem, '"clients" requires "agent" in "callers"');
  assert.equal(decide([{ effect: 'deny', callers: ['model'], clients: ['codex'] }], { caller: 'model' }), 'deny');
});

test('[GW12] a rule that allows and names no callers does not allow agents; ask and deny include them', () => {
  const everything = { effect: 'allow', server: 'db' };
  assert.deepEqual(
    [
      decide([everything]),
      decide([everything], { caller: 'model' }),
      decide([{ ...everything, callers: ['agent'] }]),
      decide([{ ...everything, clients: ['claude-code'] }]),
      decide([{ ...everything, callers: ['model'] }]),
      decide([
        { effect: 'ask', tool: 'drop_table' },
        { ...everything, callers: ['agent'] },
      ]),
      decide([{ effect: 'deny' }, { ...everything, callers: ['agent'] }]),
    ],
    ['ask', 'allow', 'allow', 'allow', 'ask', 'ask', 'deny'],
  );
});

test('[GW12] "clients" limits the agents of a rule, and no other caller that the rule names', () => {
  const denied = { effect: 'deny', callers: ['model', 'agent'], clients: ['codex'] };
  assert.deepEqual(
    [
      decide([denied], { caller: 'model' }),
      decide([denied], { client: 'codex' }),
      decide([denied], { client: 'claude-code' }),
      decide([denied], { caller: 'user' }),
    ],
    ['deny', 'deny', 'ask', 'allow'],
  );
  const misspelled = { effect: 'deny', callers: ['modle', 'agent'], clients: ['codex'] };
  assert.deepEqual([decide([misspelled], { caller: 'model' }), decide([misspelled])], ['deny', 'deny']);
  const rules = readRules([denied, { effect: 'allow', callers: ['model'] }], 'always');
  const [, model] = rules;
  assert.ok(model);
  const findings = ruleFindings(rules, { servers: new Map(), trustedAnnotations: [] });
  assert.equal(findings.get(model)?.kind, 'denied-by', 'the denial covers language models');
});

test('a rule with clients says so in one line, and is covered only by a denial of all of its clients', () => {
  const [placed] = readRules([allowed], 'always');
  assert.ok(placed);
  assert.equal(ruleText(placed.rule), 'allow any tool of any server for agent from "claude-code"');
  const finding = (denial: object) => {
    const rules = readRules([{ effect: 'deny', ...denial }, allowed], 'always');
    const [, rule] = rules;
    return rule && ruleFindings(rules, { servers: new Map(), trustedAnnotations: [] }).get(rule)?.kind;
  };
  assert.deepEqual(
    [finding({ clients: ['codex'] }), finding({ clients: ['codex', 'claude-code'] }), finding({ callers: ['agent'] })],
    [undefined, 'denied-by', 'denied-by'],
  );
});

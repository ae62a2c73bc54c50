import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redactor } from '../../../src/core/trace/redactor.js';
import { SecretFinder } from '../../../src/core/base/secretFinder.js';
import { secretPlaces } from '../../../src/core/trace/secretPlaces.js';

/** Random numbers determined only by the seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const secrets = [
  's3cr3t-value',
  'with "quotes" and \\',
  'line\nbreak!',
  'ünïcödé-key',
  '4242424242',
  'abcabcabd',
  'tokenABC+/=',
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  '🔑🔑🔑',
];
const harmless = [
  'plain',
  'two words',
  'ünïcödé',
  'a"b\\c\n',
  '',
  '0',
  'https://example.org/a?page=2#top',
  'Bearer of news',
  'name@example.org',
  '{"a":1',
  '[1,2]',
  'tokens are counted',
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf',
  '\u2028',
  '•••',
];
const names = [
  'a',
  'text',
  'name',
  'maxTokens',
  'progressToken',
  'nextCursor',
  'type',
  '__proto__',
  'with "quotes"',
  'required',
  'secretary',
];

/** A text and its decoded forms: JSON, percent-encoding and base64 in it. */
function readings(text: string): string[] {
  const strings: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value);
    else if (typeof value !== 'object' || value === null) strings.push(String(value));
    else
      for (const [name, inner] of Object.entries(value)) {
        strings.push(name);
        walk(inner);
      }
  };
  walk(JSON.parse(text));
  const nested = strings.flatMap((one) => {
    if (!/^[{["]/.test(one)) return [];
    try {
      return readings(one);
    } catch {
      return [];
    }
  });
  const encoded = strings.flatMap((one) =>
    [...one.matchAll(/(?:%[0-9a-f]{2}|[\w.~+-])+/gi)].map(([run]) => {
      try {
        return decodeURIComponent(run.replaceAll('+', ' '));
      } catch {
        return '';
      }
    }),
  );
  const decoded = strings.flatMap((one) =>
    [...one.matchAll(/[A-Za-z0-9+/_-]{8,}/g)].map(([run]) => Buffer.from(run, 'base64').toString('utf8')),
  );
  return [text, ...strings, ...nested, ...encoded, ...decoded];
}

function randomValue(next: (below: number) => number, depth: number): unknown {
  switch (next(depth > 3 ? 4 : 6)) {
    case 0:
      return [null, true, false, 1.5, -7, 1e21][next(6)];
    case 4:
      return Array.from({ length: next(4) }, () => randomValue(next, depth + 1));
    case 5:
      return Object.fromEntries(
        Array.from({ length: next(5) }, () => [names[next(names.length)] ?? '', randomValue(next, depth + 1)]),
      );
    default:
      return harmless[next(harmless.length)];
  }
}

/** The forms of a secret in a message: a separate text, or part of one. */
const carriers: ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `before ${secret} after`,
  (secret) => `https://example.org/${encodeURIComponent(secret)}/x`,
  (secret) =>
    encodeURIComponent(secret).toLowerCase() === encodeURIComponent(secret)
      ? secret
      : encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(`user:${secret}`).toString('base64'),
  (secret) => Buffer.from(`u:${secret} and more`).toString('base64'),
  (secret) => Buffer.from(`xx:${secret}:y`).toString('base64url'),
  (secret) => JSON.stringify({ deep: [secret] }),
  (secret) => JSON.stringify(JSON.stringify({ deep: secret })),
  (secret) => `${secret}${secret}`,
];

/** Inserts `planted` at a random position of the value, as a member or an item. */
function plant(value: unknown, planted: string, next: (below: number) => number): unknown {
  if (Array.isArray(value)) {
    const at = next(value.length + 1);
    return [
      ...value.slice(0, at),
      value.length > 0 && next(2) === 0 ? plant(value[at % value.length], planted, next) : planted,
      ...value.slice(at),
    ];
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length > 0 && next(2) === 0) {
      const at = next(entries.length);
      return Object.fromEntries(
        entries.map(([name, inner], index) => [name, index === at ? plant(inner, planted, next) : inner]),
      );
    }
    return next(4) === 0 ? { ...value, [planted]: 1 } : { ...value, planted };
  }
  return planted;
}

test('property: a secret anywhere in a message, in any form, is absent from the stored text [S2] [S3]', () => {
  const redactor = new Redactor(secrets);
  for (let seed = 1; seed <= 3_000; seed++) {
    const next = randomNumbers(seed);
    const secret = secrets[next(secrets.length)] ?? '';
    const carried = (carriers[next(carriers.length)] ?? String)(secret);
    const message = plant({ jsonrpc: '2.0', id: 1, method: 'a/b', params: randomValue(next, 0) }, carried, next);
    const text = next(3) === 0 ? JSON.stringify(message, undefined, 2) : JSON.stringify(message);
    const written =
      next(4) === 0
        ? text.replace(/[a-z](?=[^"\\]*")/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
        : text;
    let value: unknown;
    try {
      value = JSON.parse(written);
    } catch {
      value = undefined;
    }
    const decoded = readings(redactor.message(value === undefined ? text : written));
    assert.deepEqual(
      decoded.filter((one) => one.includes(secret)),
      [],
      `seed ${seed}: ${carried} in ${written}`,
    );
  }
});

test('property: text without secrets stays unchanged, byte for byte', () => {
  const redactor = new Redactor(secrets);
  for (let seed = 1; seed <= 3_000; seed++) {
    const next = randomNumbers(seed);
    const text = JSON.stringify({ jsonrpc: '2.0', id: seed, result: randomValue(next, 0) }, undefined, next(3));
    assert.equal(redactor.message(text), text);
  }
});

test('property: the text around a secret stays unchanged', () => {
  const redactor = new Redactor(['s3cr3t-value']);
  for (let seed = 1; seed <= 1_000; seed++) {
    const next = randomNumbers(seed);
    const text = JSON.stringify(plant({ params: randomValue(next, 0) }, 'left s3cr3t-value right', next));
    assert.equal(redactor.message(text), text.replaceAll('s3cr3t-value', '•••'));
  }
});

test('numbers of any length, duplicate names and odd spaces are kept around a secret', () => {
  const text =
    '{ "big": 12345678901234567890.10, "password":"one",\n "password" : "two", "x":"\\u00e9\\/", "token":"t" ,"a":[1.0,-0] }';
  assert.equal(
    new Redactor([]).message(text),
    '{ "big": 12345678901234567890.10, "password":"•••",\n "password" : "•••", "x":"\\u00e9\\/", "token":"•••" ,"a":[1.0,-0] }',
  );
});

test('property: for any cut of a message, at most two characters of a secret are left', () => {
  for (const secret of secrets) {
    const redactor = new Redactor([secret]);
    const unicode = [...Array(secret.length).keys()]
      .map((at) => `\\u${secret.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
    for (const written of [JSON.stringify(secret).slice(1, -1), unicode, encodeURIComponent(secret)]) {
      const text = `{"jsonrpc":"2.0","id":1,"result":{"text":"before ${written} after"}}`;
      for (let length = 1; length < text.length; length++) {
        const kept =
          redactor
            .beginning(text.slice(0, length))
            .split('before ')[1]
            ?.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))) ?? '';
        assert.ok(!kept.includes(secret.slice(0, 3)) || kept === '', `${kept} of ${text.slice(0, length)}`);
      }
    }
  }
});

test('names identify secrets: members of any depth, lists, pairs of name and value, JSON in texts', () => {
  const redacted = (value: unknown) => JSON.parse(new Redactor([]).message(JSON.stringify(value))) as unknown;
  assert.deepEqual(
    redacted({
      password: 'p',
      passcode: 1234,
      deep: [
        { Authorization: 'Bearer abc', 'X-API-Key': 'k', access_token: 't', refreshToken: 't', clientSecret: 's' },
      ],
      cookies: ['a', 'b'],
      headers: [{ name: 'Cookie', value: 'a=b' }],
      body: '{"id_token":"x","expires_in":5}',
    }),
    {
      password: '•••',
      passcode: '•••',
      deep: [
        { Authorization: '•••', 'X-API-Key': '•••', access_token: '•••', refreshToken: '•••', clientSecret: '•••' },
      ],
      cookies: ['•••', '•••'],
      headers: [{ name: 'Cookie', value: '•••' }],
      body: '{"id_token":"•••","expires_in":5}',
    },
  );
  const kept = {
    progressToken: 'p',
    maxTokens: 100,
    tokens: 5,
    nextPageToken: 'n',
    password: null,
    secret: true,
    token: '',
    properties: { password: { type: 'string', format: 'password' } },
    required: ['password'],
    tools: [{ name: 'get_token', title: 'Password of the day' }],
  };
  assert.deepEqual(redacted(kept), kept);
});

test('addresses, header lines and bearer tokens in texts lose their secrets', () => {
  const redactor = new Redactor([]);
  for (const [text, expected] of [
    ['see https://user:pa55@example.org/x', 'see https://•••@example.org/x'],
    [
      'https://ghp_abc@github.com/a/b.git and ssh://git@github.com/a',
      'https://•••@github.com/a/b.git and ssh://git@github.com/a',
    ],
    ['postgres://app:pw@db:5432/x', 'postgres://•••@db:5432/x'],
    ['https://x.org/?a=1&token=abc&b=2', 'https://x.org/?a=1&token=•••&b=2'],
    ['/files?key=abc#access_token=def', '/files?key=•••#access_token=•••'],
    ['https://x.org/?sig=a%2Bb&X-Amz-Signature=0123&page=2', 'https://x.org/?sig=•••&X-Amz-Signature=•••&page=2'],
    ['<a href="https://x.org/?a=1&amp;api_key=abc">', '<a href="https://x.org/?a=1&amp;api_key=•••">'],
    [
      'GET / HTTP/1.1\r\nAuthorization: Basic dXNlcjpwdw==\r\nCookie: a=b; c=d\r\nAccept: */*',
      'GET / HTTP/1.1\r\nAuthorization: •••\r\nCookie: •••\r\nAccept: */*',
    ],
    ['curl -H "Authorization: Bearer abc123def456"', 'curl -H "Authorization: •••"'],
    ['Bearer abcdef.123456', 'Bearer •••'],
    ['Authorization: needed for this call', 'Authorization: needed for this call'],
    ['name@example.org wrote to https://example.org/@name', 'name@example.org wrote to https://example.org/@name'],
  ] as const) {
    assert.equal(redactor.line(text), expected);
    assert.deepEqual(JSON.parse(redactor.message(JSON.stringify({ text }))), { text: expected });
  }
});

test('a schema identifies secrets: format, writeOnly, names, in lists, branches and references', () => {
  const schema = {
    type: 'object',
    properties: {
      plain: { type: 'string' },
      pass: { type: 'string', format: 'password' },
      once: { writeOnly: true },
      apiToken: {},
      list: { type: 'array', items: { $ref: '#/$defs/account' } },
      odd: { oneOf: [{ properties: { pw: { format: 'password' } } }] },
    },
    additionalProperties: { properties: { hidden: { writeOnly: true } } },
    $defs: { account: { properties: { user: {}, pin: { type: 'number' }, again: { $ref: '#/$defs/account' } } } },
  };
  const value = {
    plain: 'a',
    pass: 'b',
    once: { x: 1, y: ['z', true, null] },
    apiToken: 'd',
    list: [{ user: 'e', pin: 77, again: { pin: 8 } }],
    odd: { pw: 'f', other: 'g' },
    more: { hidden: 'h' },
  };
  assert.deepEqual(JSON.parse(new Redactor([]).message(JSON.stringify(value), secretPlaces(schema))), {
    plain: 'a',
    pass: '•••',
    once: { x: '•••', y: ['•••', true, null] },
    apiToken: '•••',
    list: [{ user: 'e', pin: '•••', again: { pin: '•••' } }],
    odd: { pw: '•••', other: 'g' },
    more: { hidden: '•••' },
  });
});

test('schemas of any shape are read, including those that contain themselves many times', () => {
  const many = {
    properties: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, { $ref: '#' }])),
  };
  for (const schema of [
    null,
    7,
    'x',
    [],
    {},
    { $ref: '#' },
    { $ref: '#/a/b' },
    { properties: 5, items: 'x', allOf: [1, null] },
    many,
  ])
    secretPlaces(schema);
});

test('overlapping secrets are masked as one, and no part of them is left', () => {
  assert.equal(new SecretFinder(['abcdef', 'defghi']).mask('x abcdefghi y'), 'x ••• y');
  assert.equal(new SecretFinder(['aaaa']).mask('baaaaaab'), 'b•••b');
  assert.equal(new SecretFinder(['abc', '']).mask('abc'), 'abc');
});

test('a message of 16 MiB is processed at once, and decoding work beyond its length is skipped', () => {
  const redactor = new Redactor(secrets);
  const fill = (piece: string, length = 1 << 20) => piece.repeat(Math.floor(length / piece.length));
  assert.equal(redactor.message(`{"a":"${fill('a-', 16 << 20)}","b":"s3cr3t-value"}`).slice(-12), '","b":"•••"}');
  for (const text of [
    `[${fill('"a",')}1]`,
    fill('['),
    fill('{"a":'),
    `"${fill('\\\\')}`,
    `["${fill('\\"')}"]`,
    `["${fill('://a@')}"]`,
    `["${fill('?a=')}"]`,
    `["${fill('Bearer ')}"]`,
    fill('Authorization: '),
    `["${fill('s3cr3t-valu')}"]`,
    fill('"'),
    fill(' '),
    `["${fill('{')}"]`,
  ]) {
    assert.equal(redactor.message(text), text);
    assert.ok(redactor.beginning(text).length > 0);
  }
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Zone } from '../../../src/core/auth/urlSafety.js';
import { hostOf, targetProblem, urlFormProblem, zoneOfAddress, zoneOfHost } from '../../../src/core/auth/urlSafety.js';

const zoneOf = (url: string) => zoneOfHost(hostOf(new URL(url)));
const policy = (serverZone: Zone, serverHost = 'mcp.example', trusted: string[] = []) => ({
  serverHost,
  serverZone,
  trustedHosts: new Set(trusted),
});

suite('[A4] zones of addresses in every notation', () => {
  const table: Record<Zone, string[]> = {
    loopback: [
      'http://127.0.0.1/',
      'http://127.1/',
      'http://0x7f.1/',
      'http://2130706433/',
      'http://0177.0.0.1/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:7f00:1]/',
      'http://localhost/',
      'http://localhost./',
      'http://a.localhost/',
      'http://①②⑦.0.0.1/',
    ],
    private: [
      'http://10.0.0.1/',
      'http://0xa000001/',
      'http://172.16.9.9/',
      'http://192.168.0.1/',
      'http://100.64.1.1/',
      'http://[fd12::1]/',
      'http://[::ffff:10.0.0.1]/',
    ],
    forbidden: [
      'http://169.254.169.254/',
      'http://2852039166/',
      'http://[::ffff:169.254.169.254]/',
      'http://[fe80::1]/',
      'http://0.0.0.0/',
      'http://[::]/',
      'http://[fd00:ec2::254]/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      'http://[64:ff9b::a9fe:a9fe]/',
      'https://[::ffff:0:169.254.169.254]/',
      'http://[2002:7f00:1::]/',
      'http://168.63.129.16/',
      'http://[::7f00:1]/',
    ],
    public: ['http://8.8.8.8/', 'http://[2606:4700::1111]/', 'http://172.32.0.1/', 'http://[::ffff:8.8.8.8]/'],
  };
  for (const [zone, urls] of Object.entries(table))
    for (const url of urls) test(`${url} is ${zone}`, () => assert.equal(zoneOf(url), zone));
  test('a name must be resolved', () => assert.equal(zoneOf('https://example.com'), undefined));
});

suite('[A1, A4] URLs that may be contacted or opened', () => {
  const table: [url: string, zones: Zone[], server: ReturnType<typeof policy>, isAllowed: boolean][] = [
    ['https://login.example/a', ['public'], policy('public'), true],
    ['https://login.example/a', [], policy('public'), true],
    ['http://login.example/a', ['public'], policy('public'), false],
    ['http://localhost:9/a', ['loopback'], policy('public'), false],
    ['https://localhost:9/a', ['loopback'], policy('public'), false],
    ['http://localhost:9/a', ['loopback'], policy('loopback', '127.0.0.1'), true],
    ['http://192.168.0.9/a', ['private'], policy('private', '192.168.0.9'), false],
    ['https://sso.corp/a', ['private'], policy('private'), true],
    ['https://sso.corp/a', ['private'], policy('loopback', 'localhost'), false],
    ['https://sso.corp/a', ['private'], policy('public', 'mcp.example', ['sso.corp']), true],
    ['https://sso.corp/a', ['public', 'private'], policy('public'), false],
    ['https://x.example/latest', ['forbidden'], policy('private'), false],
    ['https://mcp.example/a', ['private'], policy('public'), true],
    ['https://user:pw@login.example/a', ['public'], policy('public'), false],
    ['https://user@login.example/a', ['public'], policy('public'), false],
    ...[
      'javascript:alert(1)//https://ok.example',
      'data:text/html,x',
      'file:///etc/passwd',
      'vbscript:x',
      'vscode://x/y',
      'command:x',
      'ftp://a.example',
    ].map((url): [string, Zone[], ReturnType<typeof policy>, boolean] => [url, ['public'], policy('public'), false]),
  ];
  for (const [url, zones, server, isAllowed] of table) {
    test(`${url} (${zones.join(', ') || 'unknown'}) for a ${server.serverZone} server: ${isAllowed ? 'yes' : 'no'}`, () => {
      assert.equal(targetProblem(new URL(url), zones, server) === undefined, isAllowed);
    });
  }
});

test('[A4] every notation of an IPv4 address has the zone of the address', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), (number) => {
      const dotted = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
      const expected = zoneOfAddress(dotted.join('.'));
      const hex = dotted.map((part) => part.toString(16).padStart(2, '0'));
      for (const host of [
        String(number),
        `0x${number.toString(16)}`,
        dotted.map((part) => `0${part.toString(8)}`).join('.'),
        `[::ffff:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}]`,
      ]) {
        assert.equal(zoneOf(`http://${host}/`), expected, host);
      }
    }),
  );
});

test('[A1] for any input, only web URLs without credentials pass', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc
          .tuple(fc.constantFrom('javascript', 'data', 'file', 'https', 'HTTP', 'vscode'), fc.string())
          .map(([scheme, rest]) => `${scheme}:${rest}`),
      ),
      (text) => {
        if (!URL.canParse(text)) return;
        const url = new URL(text);
        if (urlFormProblem(url) === undefined) assert.match(url.href, /^https?:\/\/[^@/]+(\/|$)/);
      },
    ),
  );
});

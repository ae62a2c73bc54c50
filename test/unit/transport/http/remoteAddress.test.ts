import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertLinear } from '../../../support/linearWork.js';
import { parseRemoteAddress } from '../../../../src/core/transport/http/remoteAddress.js';

describe('a remote address', () => {
  test('is parsed', () => {
    assert.deepEqual(parseRemoteAddress('https://Host.example/a/b?key=1#x'), {
      protocol: 'https:',
      hostname: 'host.example',
      port: 443,
      path: '/a/b?key=1',
      origin: 'https://host.example',
      isLoopback: false,
      label: 'https://host.example/a/b',
    });
    const { hostname, port, origin, isLoopback } = parseRemoteAddress('ws://[::1]:81');
    assert.deepEqual(
      { hostname, port, origin, isLoopback },
      { hostname: '::1', port: 81, origin: 'ws://[::1]:81', isLoopback: true },
    );
  });

  test('may name a Unix socket or a Windows pipe', () => {
    const { socketPath, path, label, hostname } = parseRemoteAddress('unix:///run/my%20server.sock#/sub?x=1');
    assert.deepEqual(
      { socketPath, path, label, hostname },
      {
        socketPath: '/run/my server.sock',
        path: '/sub?x=1',
        label: 'unix:///run/my server.sock',
        hostname: 'localhost',
      },
    );
    assert.equal(parseRemoteAddress('unix:///a.sock').path, '/');
    assert.equal(parseRemoteAddress('pipe:///mcp').socketPath, '\\\\.\\pipe\\mcp');
    assert.equal(parseRemoteAddress('pipe:///pipe/mcp#/x').socketPath, '\\\\.\\pipe\\mcp');
  });

  test('recognizes the local machine', () => {
    const isLoopback = (host: string) => parseRemoteAddress(`http://${host}/`).isLoopback;
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.8.9.10', '[::1]', '0x7f.1'])
      assert.ok(isLoopback(host), host);
    for (const host of ['localhost.example', '128.0.0.1', '127.0.0.1.nip.io', '[::2]', '10.0.0.1'])
      assert.ok(!isLoopback(host), host);
  });

  test('is refused in linear time', () => {
    assertLinear((text) => assert.throws(() => parseRemoteAddress(`https://[${text}`)));
  });

  test('is refused when it is invalid, without repeating credentials', () => {
    for (const url of [
      '',
      'x',
      'ftp://a',
      'file:///a',
      'javascript:alert(1)',
      'unix://host/a.sock',
      'unix:///',
      'pipe://name',
      'https:/\t/a.example/',
      'https://a.exa\nmple/',
    ]) {
      assert.throws(() => parseRemoteAddress(url), { code: 'bad-configuration' }, url);
    }
    assert.throws(
      () => parseRemoteAddress('https://user:hunter2@a.example/'),
      (error: any) => error.code === 'bad-configuration' && !`${error.message}${error.hint}`.includes('hunter2'),
    );
  });
});

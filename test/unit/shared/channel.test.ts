import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Guards, Handlers, ChannelContract } from '../../../src/shared/channel.js';
import { Channel } from '../../../src/shared/channel.js';

type Asking = {
  notices: { said: { text: string } };
  requests: { double: { body: { number: number }; reply: number } };
};
type Silent = { notices: Record<never, object>; requests: Record<never, { body: object; reply: unknown }> };

const silent: Handlers<Silent> = { notices: {}, requests: {} };

/** Two ends connected as `postMessage` connects them: messages are copied. */
function joined<V extends ChannelContract>(handlers: Handlers<V>, guards?: Guards<V>) {
  const bad: string[] = [];
  const page: Channel<V, Silent> = new Channel<V, Silent>({
    post: (frame) => host.receive(structuredClone(frame)),
    handlers: silent,
    onBadFrame: (reason) => bad.push(`page: ${reason}`),
  });
  const host: Channel<Silent, V> = new Channel<Silent, V>({
    post: (frame) => page.receive(structuredClone(frame)),
    handlers,
    ...(guards ? { guards } : {}),
    onBadFrame: (reason) => bad.push(reason),
  });
  return { page, host, bad };
}

const guards: Guards<Asking> = {
  notices: { said: (body): body is { text: string } => typeof (body as { text?: unknown } | null)?.text === 'string' },
  requests: {
    double: (body): body is { number: number } => typeof (body as { number?: unknown } | null)?.number === 'number',
  },
};

function asking(said: string[] = []): Handlers<Asking> {
  return { notices: { said: ({ text }) => said.push(text) }, requests: { double: ({ number }) => number * 2 } };
}

describe('Channel', () => {
  test('a notice reaches the other end', () => {
    const texts: string[] = [];
    joined(asking(texts), guards).page.notify('said', { text: 'hello' });
    assert.deepEqual(texts, ['hello']);
  });

  test('requests get their own replies, in any order of arrival', async () => {
    const waiting: (() => void)[] = [];
    const { page } = joined<Asking>({
      ...asking(),
      requests: { double: ({ number }) => new Promise((resolve) => waiting.push(() => resolve(number * 2))) },
    });
    const replies = [1, 2, 3].map((number) => page.request('double', { number }));
    for (const answer of waiting.reverse()) answer();
    assert.deepEqual(await Promise.all(replies), [2, 4, 6]);
  });

  test('an error of the handler rejects the request with its message', async () => {
    const { page } = joined<Asking>({ ...asking(), requests: { double: () => Promise.reject(new Error('too many')) } });
    await assert.rejects(page.request('double', { number: 1 }), { message: 'too many' });
  });

  test('[V5] frames before the first notice come from an earlier page and are dropped', () => {
    const said: string[] = [];
    const bad: string[] = [];
    const host = new Channel<Silent, Asking>({
      post: () => assert.fail('nothing is answered'),
      handlers: asking(said),
      guards,
      firstNotice: 'said',
      onBadFrame: (reason) => bad.push(reason),
    });
    const page = new Channel<Asking, Silent>({
      post: (frame) => host.receive(structuredClone(frame)),
      handlers: silent,
      onBadFrame: () => undefined,
    });
    void page.request('double', { number: 2 }).catch(() => undefined);
    page.notify('said', { text: 'hello' });
    page.notify('said', { text: 'again' });
    assert.deepEqual([said, bad], [['hello', 'again'], []]);
  });

  test('closing rejects pending and later requests', async () => {
    const { page } = joined<Asking>({ ...asking(), requests: { double: () => new Promise(() => undefined) } });
    const pending = page.request('double', { number: 1 });
    page.close();
    await assert.rejects(pending, /closed/);
    await assert.rejects(page.request('double', { number: 1 }), /closed/);
  });

  test('a reply to the previous page is not treated as a reply to this one', async () => {
    let answer: (value: number) => void = () => assert.fail('nothing was asked');
    const handlers: Handlers<Asking> = {
      ...asking(),
      requests: { double: () => new Promise<number>((resolve) => (answer = resolve)) },
    };
    let current: Channel<Asking, Silent>;
    const host = new Channel<Silent, Asking>({
      post: (frame) => current.receive(frame),
      handlers,
      onBadFrame: assert.fail,
    });
    const load = () =>
      new Channel<Asking, Silent>({ post: (frame) => host.receive(frame), handlers: silent, onBadFrame: assert.fail });
    current = load();
    void current.request('double', { number: 1 });
    const answerFirst = answer;
    current = load();
    const second = current.request('double', { number: 50 });
    answerFirst(2);
    answer(100);
    assert.equal(await second, 100);
  });

  test('[V5] messages outside the contract are dropped: unknown names, wrong bodies, names of Object members, non-frames', async () => {
    const texts: string[] = [];
    const { host, page, bad } = joined(asking(texts), guards);
    for (const data of [
      undefined,
      null,
      'said',
      { kind: 'notice' },
      { kind: 'command', name: 'said', body: { text: 'x' } },
      { kind: 'notice', name: 'executeCommand', body: { command: 'x' } },
      { kind: 'notice', name: 'constructor', body: {} },
      { kind: 'notice', name: '__proto__', body: {} },
      { kind: 'notice', name: 'said', body: { text: 7 } },
      { kind: 'notice', name: 'said', body: null },
    ]) {
      host.receive(data);
    }
    assert.deepEqual([texts, bad.length], [[], 10]);
    await assert.rejects(
      page.request('double', { number: 'two' } as never),
      /the body of the request "double" is invalid/,
    );
    await assert.rejects(page.request('toString' as never, {} as never), /no request "toString"/);
  });
});

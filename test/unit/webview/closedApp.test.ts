import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Frame } from 'playwright-core';
import { AppPage } from '../../support/appPage.js';
import { startBrowser } from '../../support/panelPage.js';

const begun = "<script>parent.postMessage({jsonrpc:'2.0',method:'test/begun'},'*')</script>";

describe('an app without network access', () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());

  const shown = async (html: string) => {
    const page = await AppPage.open(browser);
    await page.show(`${html}${begun}`);
    const frame = page.page.frames()[1];
    assert.ok(frame);
    return { page, frame };
  };
  /** Runs in the app; the evaluated code is a script of the app. */
  const inApp = <T>(frame: Frame, act: () => T) => frame.evaluate(act);

  test('draws markup, runs scripts that it adds, and keeps their texts as they are', async () => {
    const { page, frame } = await shown(
      '<!doctype html><title>t</title><div id=a></div><script type="application/json" id=data>{"a":1}</script>',
    );
    const seen = await inApp(frame, () => {
      const place = document.getElementById('a') as HTMLElement;
      place.innerHTML = '<p title="srcdocument">a <b onclick="this.dataset.clicked=1">b</b></p>';
      place.querySelector('b')?.click();
      const script = document.createElement('script');
      script.textContent = 'window.ran = "<link" + document.createElement("p").tagName';
      document.body.append(script);
      const data = document.createElement('script');
      data.type = 'application/json';
      data.text = '{"a":[1]}';
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
      customElements.define('own-one', class extends HTMLElement {});
      const button = document.createElement('button', { is: 'x-y' });
      return {
        markup: place.innerHTML,
        ran: (window as unknown as { ran: string }).ran,
        data: JSON.parse(data.text) as unknown,
        written: JSON.parse(document.getElementById('data')?.textContent ?? '') as unknown,
        svg: svg instanceof SVGCircleElement,
        own: document.createElement('own-one').constructor === customElements.get('own-one'),
        button: button instanceof HTMLButtonElement,
        mode: document.compatMode,
      };
    });
    assert.deepEqual(seen, {
      markup: '<p title="srcdocument">a <b onclick="this.dataset.clicked=1" data-clicked="1">b</b></p>',
      ran: '<linkP',
      data: { a: [1] },
      written: { a: 1 },
      svg: true,
      own: true,
      button: true,
      mode: 'CSS1Compat',
    });
    await page.page.close();
  });

  test('shows a document in a frame that its script creates, with scripts and without WebRTC', async () => {
    const { page, frame } = await shown('<p>app</p>');
    await inApp(frame, () => {
      const inner = document.createElement('iframe');
      inner.srcdoc =
        '<p id="inner">-</p><script>document.getElementById("inner").textContent = typeof RTCPeerConnection + " " + document.compatMode</script>';
      document.body.append(inner);
    });
    await page.page.frameLocator('.app-frame').frameLocator('iframe').getByText('undefined CSS1Compat').waitFor();
    await page.page.close();
  });

  test('runs workers', async () => {
    const { page, frame } = await shown('<p>app</p>');
    const answer = await inApp(
      frame,
      () =>
        new Promise((resolve) => {
          const worker = new Worker(URL.createObjectURL(new Blob(['onmessage = ({ data }) => postMessage(data + 1)'])));
          worker.onmessage = ({ data }) => resolve(data);
          worker.postMessage(1);
        }),
    );
    assert.equal(answer, 2);
    await page.page.close();
  });

  test('[V9] has no link element, created in any way, because hints make the browser look up names', async () => {
    const { page, frame } = await shown(
      '<head><link rel=icon href=x><LINK rel=dns-prefetch href=//a.test></head><body><div></div>',
    );
    const found = await inApp(frame, () => {
      const xhtml = 'http://www.w3.org/1999/xhtml';
      const prefixed = `<h:link xmlns:h="${xhtml}" rel="preconnect" href="https://a.test"/>`;
      const parsed = (text: string) => new DOMParser().parseFromString(text, 'application/xml').documentElement;
      let inside: Element;
      let range: Range;
      const attempts: (() => unknown)[] = [
        () => document.createElement('LiNk'),
        () => document.createElement({ toString: () => 'link' } as unknown as string),
        () => document.createElementNS(xhtml, 'link'),
        () => document.createElementNS(xhtml, 'x:link'),
        () => document.implementation.createDocument(xhtml, 'link').documentElement,
        () => document.implementation.createHTMLDocument().createElement('link'),
        () => (document.body.insertAdjacentHTML('beforeend', '<LINK rel=dns-prefetch href=//a.test>'), undefined),
        () => ((document.body.firstElementChild as HTMLElement).innerHTML = '<p><link/rel=preconnect></p>'),
        () => document.createRange().createContextualFragment('<link rel=preconnect>').firstChild,
        () =>
          new DOMParser().parseFromString('<x:link xmlns:x="http://www.w3.org/1999/xhtml"/>', 'application/xhtml+xml')
            .documentElement,
        () =>
          (document.body as unknown as { setHTML(text: string, options: object): void }).setHTML(
            '<link rel=preconnect>',
            { sanitizer: { elements: ['link'] } },
          ),
        () => {
          class Own extends HTMLLinkElement {}
          customElements.define('own-link', Own, { extends: 'link' });
          return new Own();
        },
        ...[() => parsed('<x/>'), () => document.implementation.createDocument(null, 'x').documentElement].flatMap(
          (made) => [
            () => ((inside = made()), (inside.innerHTML = prefixed), inside.firstChild),
            () => ((inside = made()), inside.insertAdjacentHTML('beforeend', prefixed), inside.firstChild),
            () => (
              (range = document.createRange()),
              range.selectNodeContents(made()),
              range.createContextualFragment(prefixed)
            ),
          ],
        ),
        () => (
          (inside = parsed(`<x xmlns:h="${xhtml}"/>`)),
          (inside.innerHTML = '<h:link rel="preconnect"/>'),
          inside.firstChild
        ),
        () => (
          (inside = parsed('<x/>')),
          (inside.innerHTML = `<link xmlns="${xhtml}" rel="preconnect"/>`),
          inside.firstChild
        ),
        // Last, because it replaces the document.
        () => document.write('<li', 'nk rel=preconnect>'),
      ];
      const made: string[] = [];
      for (const [at, attempt] of attempts.entries()) {
        try {
          const node = attempt();
          if (node instanceof Node) document.body.append(document.adoptNode(node));
        } catch {
          // A refusal is fine too.
        }
        if (document.querySelectorAll('link').length > 0 || document.getElementsByTagNameNS(xhtml, 'link').length > 0)
          made.push(String(at));
      }
      return made;
    });
    assert.deepEqual(found, []);
    await page.page.close();
  });

  test('[V9] turns name lookups off first in each document of a frame', async () => {
    const { page, frame } = await shown('<p>app</p>');
    const off = 'meta[http-equiv="x-dns-prefetch-control"][content="off"]';
    const own = await inApp(frame, () => document.head.children[1]?.outerHTML);
    assert.equal(own, '<meta http-equiv="x-dns-prefetch-control" content="off">');
    await inApp(frame, () => {
      const on = '<meta http-equiv="x-dns-prefetch-control" content="on"><p>frame</p>';
      const property = document.createElement('iframe');
      property.srcdoc = on;
      const attribute = document.createElement('iframe');
      attribute.setAttribute('srcdoc', on);
      const nested = document.createElement('iframe');
      nested.srcdoc = `<body><script>const f=document.createElement('iframe');f['srcdoc']='${on}';document.body.append(f)</${'script'}>`;
      document.body.append(property, attribute, nested);
    });
    const app = page.page.frameLocator('.app-frame');
    for (const inner of [
      app.frameLocator('iframe >> nth=0'),
      app.frameLocator('iframe >> nth=1'),
      app.frameLocator('iframe >> nth=2').frameLocator('iframe'),
    ]) {
      await inner.getByText('frame').waitFor();
      const first = inner.locator('head > :first-child');
      assert.equal(await first.evaluate((node, wanted) => node.matches(wanted), off), true);
      assert.equal(await inner.locator('meta').count(), 2);
    }
    await page.page.close();
  });

  test('[V9] is shown only after the user agrees if the browser cannot block its network access', async () => {
    const page = await AppPage.open(
      browser,
      () => delete (window as unknown as Record<string, unknown>)['trustedTypes'],
    );
    await page.tell({
      kind: 'app',
      frame: 1,
      html: `<p>app</p>${begun}`,
      policy: "default-src 'none'; script-src 'unsafe-inline'",
      isClosed: true,
      hasBorder: false,
      isFilled: false,
    });
    await page.page.getByText('This browser does not support Trusted Types').waitFor();
    assert.equal(await page.page.locator('.app-frame').count(), 0);
    await page.page.getByRole('button', { name: 'Show App' }).click();
    await page.page.frameLocator('.app-frame').getByText('app').waitFor();
    await page.page.close();
  });

  test('[V9] shows why an app with documents in its own frames waits', async () => {
    const page = await AppPage.open(browser);
    await page.tell({ kind: 'ask', domains: [], hasFrames: true });
    await page.page.getByText('From a frame, it can connect to any address with WebRTC').waitFor();
    await page.page.getByRole('button', { name: 'Show App' }).click();
    const { body } = await page.heard(({ name }) => name === 'act');
    assert.deepEqual(body, { action: 'allow' });
    await page.page.close();
  });
});

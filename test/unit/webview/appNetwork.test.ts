import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AppPage, keepFrames } from '../../support/appPage.js';
import { startBrowser } from '../../support/panelPage.js';
import type { Trap } from '../../support/trapServer.js';
import { openTrap } from '../../support/trapServer.js';

/** Opens a WebRTC connection in the given window; the same text runs in apps, in frames and in the control. */
const connect = ({ udpPort, tcpPort }: Trap) =>
  `(function(w){const peer=new w.RTCPeerConnection({iceServers:[{urls:"stun:127.0.0.1:${udpPort}"},{urls:"turn:127.0.0.1:${tcpPort}?transport=tcp",username:"secret",credential:"x"}]});peer.createDataChannel("x");peer.createOffer().then(function(offer){peer.setLocalDescription(offer)})})`;

interface Parts {
  /** Source of a function that connects from the given window. */
  connect: string;
  /** A document whose script connects, as the content of a single-quoted JavaScript string. */
  page: string;
  /** The same as the value of a double-quoted attribute. */
  value: string;
  http: string;
}

/**
 * The script of an app; `append(element)` puts one into the document. DNS lookups are not among them: this browser makes
 * none for a hint, even in a page without a guard. `closedApp.test.ts` shows that the elements that cause them cannot
 * exist, and that lookups are turned off.
 */
const scripts: Record<string, (parts: Parts) => string> = {
  'its own window': ({ connect }) => `${connect}(window)`,
  'its own window, by the older name': ({ connect }) =>
    `window.RTCPeerConnection=webkitRTCPeerConnection;${connect}(window)`,
  'an empty frame': ({ connect }) => `${connect}(append(make('iframe')).contentWindow)`,
  'an empty frame that asks for the same origin': ({ connect }) =>
    `const f=make('iframe');f.sandbox='allow-scripts allow-same-origin';${connect}(append(f).contentWindow)`,
  'a frame of markup, by its number': ({ connect }) =>
    `document.body.innerHTML='<iframe></iframe>';${connect}(window[0])`,
  'a frame of markup, by its name': ({ connect }) =>
    `document.body.insertAdjacentHTML('beforeend','<iframe name=a></iframe>');${connect}(window.a)`,
  'a frame in a shadow tree': ({ connect }) =>
    `const d=append(make('div')).attachShadow({mode:'closed'});d.innerHTML='<iframe></iframe>';${connect}(d.firstChild.contentWindow)`,
  'an object': ({ connect }) =>
    `document.body.innerHTML='<object data="about:blank"></object><embed src="about:blank">';${connect}(window[0])`,
  'a frameset': ({ connect }) =>
    `document.documentElement.innerHTML='<frameset><frame></frameset>';${connect}(window[0])`,
  'the opener of a window': ({ connect }) => `${connect}(window.open('about:blank'))`,
  'srcdoc as a property': ({ page }) => `const f=make('iframe');f.srcdoc='${page}';append(f)`,
  'srcdoc as an attribute': ({ page }) => `const f=make('iframe');f.setAttribute('SrcDoc','${page}');append(f)`,
  'srcdoc as an attribute without a namespace': ({ page }) =>
    `const f=make('iframe');f.setAttributeNS(null,'srcdoc','${page}');append(f)`,
  'srcdoc as a node': ({ page }) =>
    `const f=make('iframe'),a=document.createAttribute('srcdoc');a.value='${page}';f.setAttributeNode(a);append(f)`,
  'srcdoc as a named item': ({ page }) =>
    `const f=make('iframe'),a=document.createAttributeNS(null,'srcdoc');a.nodeValue='${page}';f.attributes.setNamedItemNS(a);append(f)`,
  'the value of an existing srcdoc': ({ page }) =>
    `const f=make('iframe'),a=document.createAttribute('srcdoc');f.setAttributeNode(a);append(f);a.textContent='${page}'`,
  'srcdoc in a frame from a template': ({ page }) =>
    `const t=make('template');t.innerHTML='<iframe></iframe>';const f=t.content.firstChild.cloneNode();f.srcdoc='${page}';append(f)`,
  'srcdoc in markup': ({ value }) => `append(make('div')).innerHTML='<iframe sRcDoC="${value}"></iframe>'`,
  'srcdoc in markup without a space': ({ value }) =>
    `append(make('div')).innerHTML='<iframe title=""srcdoc="${value}"></iframe>'`,
  'srcdoc in a fragment': ({ value }) =>
    `append(document.createRange().createContextualFragment('<iframe srcdoc="${value}"></iframe>'))`,
  'srcdoc in a declared shadow tree': ({ value }) =>
    `append(make('div')).setHTMLUnsafe('<p><template shadowrootmode=closed><iframe srcdoc="${value}"></iframe></template></p>')`,
  'srcdoc in another document': ({ value }) =>
    `append(document.adoptNode(new DOMParser().parseFromString('<iframe srcdoc="${value}"></iframe>','text/html').body))`,
  'srcdoc in a document without a window': ({ page }) =>
    `const d=document.implementation.createHTMLDocument('');const f=d.createElement('iframe');f.srcdoc='${page}';append(f)`,
  'markup in a document without a window': ({ value }) =>
    `const d=document.implementation.createHTMLDocument('');d.body.innerHTML='<iframe srcdoc="${value}"></iframe>';append(document.adoptNode(d.body.firstChild))`,
  'srcdoc in a new document of XML': ({ page }) =>
    `const f=new Document().createElementNS('http://www.w3.org/1999/xhtml','iframe');f.setAttribute('srcdoc','${page}');append(f)`,
  'srcdoc in a document written without a window': ({ value }) =>
    `const d=document.implementation.createHTMLDocument('');d.open();d.write('<iframe src'+'doc="${value}"></iframe>');d.close();append(document.adoptNode(d.body))`,
  'srcdoc in an entity of XML': ({ page }) =>
    `append(document.adoptNode(new DOMParser().parseFromString('<!DOCTYPE html [<!ENTITY a "<iframe &#115;rcdoc=\\''+'${page}'.replaceAll('<','&#38;lt;').replaceAll('"','&#38;quot;')+'\\'/>">]><html xmlns="http://www.w3.org/1999/xhtml"><body>&a;</body></html>','application/xhtml+xml').documentElement))`,
  'srcdoc written in pieces': ({ value }) => `document.write('<iframe src');document.write('doc="${value}"></iframe>')`,
  'a tag written in pieces': ({ value }) =>
    `document.write('<ifr');document.write('ame src');document.write('doc="${value}"></iframe>')`,
  'srcdoc inserted by execCommand': ({ value }) =>
    `document.body.contentEditable=true;document.body.focus();document.execCommand('insertHTML',false,'<iframe srcdoc="${value}"></iframe>')`,
  'srcdoc created by an XSLT style sheet': ({ page }) =>
    `const p=new XSLTProcessor();p.importStylesheet(new DOMParser().parseFromString('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><iframe xmlns="http://www.w3.org/1999/xhtml"><xsl:attribute name="{concat(\\'src\\',\\'doc\\')}">'+'${page}'.replaceAll('<','&lt;')+'</xsl:attribute></iframe></xsl:template></xsl:stylesheet>','text/xml'));append(p.transformToFragment(new DOMParser().parseFromString('<x/>','text/xml'),document))`,
  'a frame in a frame': ({ page }) =>
    `const f=make('iframe');f.srcdoc='<body><script>const f=document.createElement("iframe");f.srcdoc=atob("'+btoa('${page}')+'");document.body.append(f)</'+'script>';append(f)`,
  'an own policy': ({ page }) =>
    `const f=make('iframe');f.srcdoc=trustedTypes.createPolicy('mine',{createHTML:x=>x}).createHTML('${page}');append(f)`,
  'replaced prototypes': ({ page }) =>
    `String.prototype.slice=()=>'';String.prototype.concat=()=>'';RegExp.prototype.exec=()=>null;Array.prototype[Symbol.iterator]=()=>({next:()=>({done:true})});Function.prototype.apply=()=>'';Function.prototype.call=()=>'';Object.prototype.srcdoc=1;const f=document.createElement('iframe');f.srcdoc='${page}';document.body.appendChild(f)`,
  'javascript: in a frame': ({ connect }) =>
    `const f=make('iframe');f.src='javascript:'+encodeURIComponent('${connect}(window)');append(f)`,
  'javascript: that becomes a document': ({ page }) =>
    `const f=make('iframe');f.src='javascript:'+encodeURIComponent(JSON.stringify('${page}'));append(f)`,
  'javascript: in a frame of markup': ({ connect }) =>
    `append(make('div')).innerHTML='<iframe src="&#106;avascript:'+'${connect}(window)'.replaceAll('"','&quot;')+'"></iframe>'`,
  'javascript: by a link to a frame': ({ connect }) =>
    `append(make('iframe')).name='b';const a=append(make('a'));a.target='b';a.href='javascript:'+encodeURIComponent('${connect}(window)');a.click()`,
  'javascript: that replaces the app': ({ page }) =>
    `location='javascript:'+encodeURIComponent(JSON.stringify('${page}'))`,
  'a frame of a blob': ({ page }) =>
    `const f=make('iframe');f.src=URL.createObjectURL(new Blob(['${page}'],{type:'text/html'}));append(f)`,
  'a frame of data': ({ page }) =>
    `const f=make('iframe');f.src='data:text/html,'+encodeURIComponent('${page}');append(f)`,
  'going to data': ({ page }) => `location='data:text/html,'+encodeURIComponent('${page}')`,
  'navigating to a blob': ({ page }) => `location=URL.createObjectURL(new Blob(['${page}'],{type:'text/html'}))`,
  'a reopened document': ({ page }) => `setTimeout(()=>{document.open();document.write('${page}');document.close()})`,
  'a worker': ({ connect, http }) =>
    `new Worker(URL.createObjectURL(new Blob(['try{${connect}(self)}catch{};fetch("${http}/worker");try{importScripts("${http}/scripts")}catch{};new WebSocket("${http}/socket".replace("http","ws"))'])))`,
  'a shared worker': ({ http }) => `new SharedWorker(URL.createObjectURL(new Blob(['fetch("${http}/shared")'])))`,
  'a service worker': ({ http }) => `navigator.serviceWorker.register('${http}/service.js')`,
  'a fenced frame': ({ http }) =>
    `const f=make('fencedframe');f.config=new FencedFrameConfig('${http}/fenced');append(f)`,
  'another page': ({ http }) => `location='${http}/away'`,
  'navigating to another page later': ({ http }) =>
    `const m=make('meta');m.httpEquiv='refresh';m.content='0;url=${http}/refresh';document.head.append(m)`,
  'the page above': ({ http }) => `top.location='${http}/top'`,
  'a new window': ({ http }) =>
    `const a=make('a');a.href='${http}/window';a.target='_blank';append(a);a.click();window.open('${http}/opened')`,
  'a download': ({ http }) => `const a=make('a');a.href='${http}/download';a.download='x';append(a);a.click()`,
  'a ping': ({ http }) => `const a=make('a');a.href='#x';a.ping='${http}/ping';append(a);a.click()`,
  'a form': ({ http }) => `const f=make('form');f.action='${http}/form';append(f);f.submit()`,
  WebTransport: ({ http }) => `new WebTransport('${http}/'.replace('http','https'))`,
  requests: ({ http }) =>
    `fetch('${http}/fetch').catch(()=>0);navigator.sendBeacon('${http}/beacon','x');new EventSource('${http}/events');new WebSocket('${http}/ws'.replace('http','ws'));const x=new XMLHttpRequest();x.open('GET','${http}/xhr');x.send();if(window.fetchLater)fetchLater('${http}/later',{activateAfter:0})`,
  'a module': ({ http }) =>
    `import('${http}/module.js').catch(()=>0);const s=make('script');s.type='importmap';s.textContent='{"imports":{"a":"${http}/map.js"}}';append(s)`,
  styles: ({ http }) =>
    `document.head.innerHTML+='<style>@import "${http}/css";@font-face{font-family:a;src:url(${http}/font)}body{font-family:a;background:url(${http}/image);cursor:url(${http}/cursor),auto}</style>'`,
  media: ({ http }) =>
    `document.body.innerHTML='a<img src="${http}/img" srcset="${http}/srcset"><video src="${http}/video" poster="${http}/poster"></video><audio src="${http}/audio"></audio><svg><image href="${http}/svg"/><use href="${http}/use#x"/></svg><input type=image src="${http}/input"><track src="${http}/track">'`,
  hints: ({ http }) =>
    `for(const rel of ['preconnect','prefetch','preload','modulepreload','stylesheet','icon','manifest','prerender']){const l=make('link');l.rel=rel;l.as='script';l.href='${http}/'+rel;document.head.append(l)}`,
  'speculation rules': ({ http }) =>
    `const s=make('script');s.type='speculationrules';s.textContent='{"prefetch":[{"source":"list","urls":["${http}/prefetch"],"eagerness":"immediate"}],"prerender":[{"source":"list","urls":["${http}/prerender"],"eagerness":"immediate"}]}';document.head.append(s)`,
  reports: ({ http }) =>
    `const m=make('meta');m.httpEquiv='Content-Security-Policy';m.content="img-src 'none'; report-uri ${http}/report";document.head.append(m);new Image().src='data:image/png,x'`,
};

const begun = "parent.postMessage({jsonrpc:'2.0',method:'test/begun'},'*')";
const app = (script: string) =>
  `<!doctype html><head><title>x</title></head><body><script>${begun};const make=(name)=>document.createElement(name),append=(node)=>{document.body.append(node);return node};${script}</script>`;

/** The HTML of an app without a script; `PAGE` is a document that connects, `HTTP` the trap. */
const texts: Record<string, (parts: Parts) => string> = {
  'a frame in the HTML with javascript:': ({ connect }) =>
    `<iframe src="&#x6a;avascript:${connect.replaceAll('"', '&quot;')}(window)"></iframe>`,
  'links of the text': ({ http }) =>
    `<link rel=preconnect href="${http}/a"><LINK/rel="preload"as="script"href="${http}/b"><link rel=stylesheet href="${http}/c"><link\nrel=prefetch href="${http}/d">`,
  'half of a tag, written, before the text': ({ value }) =>
    `<script>document.write('<ifr'+'ame ')</script> srcdoc="${value}"></iframe>`,
};

const partsOf = (trap: Trap): Parts => {
  const page = `<body><script>${connect(trap)}(window)<\\/script>`;
  return {
    connect: connect(trap),
    page,
    value: page.replaceAll('"', '&quot;'),
    http: `http://127.0.0.1:${trap.tcpPort}`,
  };
};

describe('an app without declared origins reaches nothing', () => {
  const traps = new Map<string, Trap>();
  const controls: Trap[] = [];

  before(async () => {
    const browser = await startBrowser();
    const page = await AppPage.open(browser, keepFrames);
    for (const [name, script] of Object.entries(scripts)) {
      const trap = await openTrap();
      traps.set(name, trap);
      await page.show(app(script(partsOf(trap))));
    }
    for (const [name, text] of Object.entries(texts)) {
      const trap = await openTrap();
      traps.set(name, trap);
      const parts = partsOf(trap);
      await page.show(`${text({ ...parts, value: parts.value.replace('<\\/', '</') })}<script>${begun}</script>`);
    }
    // Control: frames that a user allowed, opened after all others. Their connections show that the traps work and that
    // enough time has passed.
    for (let i = 0; i < 2; i++) {
      const trap = await openTrap();
      controls.push(trap);
      await page.show(app(scripts['srcdoc as a property']?.(partsOf(trap)) ?? ''), { isClosed: false });
      await trap.datagram;
    }
    await browser.close();
  });
  after(() => {
    for (const trap of [...traps.values(), ...controls]) trap.close();
  });

  for (const name of [...Object.keys(scripts), ...Object.keys(texts)])
    test(`[V9] by ${name}`, () => assert.deepEqual(traps.get(name)?.reached, []));
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { iconData } from '../../../../src/core/details/iconData.js';
import { isPlainSvg, maxSvgLength } from '../../../../src/core/present/result/plainSvg.js';

const svg = (inside: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"${attributes}>${inside}</svg>`;

describe('an SVG that is drawn without a question', () => {
  for (const [title, text] of Object.entries({
    'shapes with presentation attributes': svg(
      '<path d="M0 0h9" fill="none" stroke-width=\'2\'/><circle r="3"></circle>',
    ),
    'an XML declaration with UTF-8, a comment and text': `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- made by a program -->\n${svg('<title>a &amp; b</title><text x="1">1 &lt; 2<tspan> ok</tspan></text>')}\n`,
    'a gradient of the same drawing': svg(
      '<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient><linearGradient id="b" href="#a"/></defs><rect width="9" height="9" fill="url(#b) none"/>',
    ),
    'a clipping path of the same drawing': svg(
      '<g clip-path="url(#c)"><path d="M0 0"/></g><defs><clipPath id="c"><rect width="24" height="24"/></clipPath></defs>',
    ),
    'a style of listed properties': svg(
      '<path style="fill:#fff; stroke : url(#a);font-family:\'Burlington\';" d="M0 0"/>',
    ),
  }))
    test(title, () => assert.equal(isPlainSvg(text), true));

  for (const [title, text] of Object.entries({
    'a text that is not an SVG': 'plain <b>text</b>',
    'no text': '',
    'an element that is not closed': '<svg><g></svg>',
    marker: svg('<marker id="m"><path d="M0 0"/></marker>'),
    animate: svg('<rect><animate attributeName="x" dur="1s"/></rect>'),
    animateTransform: svg('<rect><animateTransform/></rect>'),
    animateMotion: svg('<rect><animateMotion/></rect>'),
    set: svg('<rect><set attributeName="x"/></rect>'),
    style: svg('<style>*{filter:blur(9px)}</style>'),
    use: svg('<use href="#a"/>'),
    'an element with a prefix': svg('<s:use href="#a"/>', ' xmlns:s="http://www.w3.org/2000/svg"'),
    'an element that an XML parser does not know': svg('<\u0455cript/>'),
    'a filter as an attribute': svg('<rect filter="url(#f)"/>'),
    'a filter in a style': svg('<rect style="fill:red;filter:blur(99px)"/>'),
    'a filter in a style with an escape': svg('<rect style="f\\69lter:blur(99px)"/>'),
    'a filter in a style with a character reference': svg('<rect style="&#102;ilter:blur(99px)"/>'),
    'an animation in a style': svg('<rect style="animation:a 1s infinite"/>'),
    'a mask in a style': svg('<rect style="mask:url(#m)"/>'),
    'a line of millions of dashes': svg('<path d="M0 0H800" stroke-dasharray="0.001"/>'),
    'a line of millions of dashes in a style': svg('<path d="M0 0H800" style="stroke-dasharray:.001"/>'),
    'an offset of dashes': svg('<path d="M0 0H800" stroke-dashoffset="1"/>'),
    'a marker as an attribute': svg('<path marker-mid="url(#m)"/>'),
    'an event handler': svg('<rect onload="alert(1)"/>'),
    'an address of another host': svg('<rect fill="url(https://acme.test/a.svg#b)"/>'),
    'an address with an escape': svg('<rect fill="u\\72l(https://acme.test/)"/>'),
    'an address with a character reference': svg('<rect fill="&#117;rl(https://acme.test/)"/>'),
    'a link to another document': svg('<linearGradient href="https://acme.test/a#b"/>'),
    'a clipping path inside a clipping path': svg('<clipPath id="a"><rect clip-path="url(#b)"/></clipPath>'),
    'a long clipping path that is used often': svg(
      `<clipPath id="a"><path d="${'M0 0'.repeat(3_000)}"/></clipPath>${'<g clip-path="url(#a)"/>'.repeat(100)}`,
    ),
    'very deep groups': svg('<g opacity=".5">'.repeat(60) + '</g>'.repeat(60)),
    'another namespace': '<svg xmlns="http://www.w3.org/1999/xhtml"/>',
    'a document type': `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`,
    'a style sheet': `<?xml-stylesheet href="https://acme.test/a.css"?>${svg('')}`,
    'a section of characters': svg('<![CDATA[<use/>]]>'),
    'a comment that does not end': svg('<!-- <use/>'),
    'UTF-7 as its encoding': `<?xml version="1.0" encoding="UTF-7"?>${svg("+ADw-use href='#a'/+AD4-")}`,
    'UTF-16 as its encoding': `<?xml version='1.0' encoding='utf-16'?>${svg('')}`,
    'two encodings': `<?xml version=" encoding='utf-8'" encoding="UTF-7"?>${svg('')}`,
    'a NUL': svg('\0'),
    'a long text': svg(' '.repeat(maxSvgLength)),
  }))
    test(`[svg.plain] not one with ${title}`, () => assert.equal(isPlainSvg(text), false));
});

test('[V7] an icon in another encoding than UTF-8 is not drawn', () => {
  const address = (bytes: Uint8Array) => `data:image/svg+xml;base64,${Buffer.from(bytes).toString('base64')}`;
  const text = svg('<path d="M0 0"/>');
  assert.ok(iconData(address(Buffer.from(text))));
  assert.ok(iconData(address(Buffer.from(`\ufeff${text}`))));
  for (const bytes of [
    Buffer.from(`\ufeff${text}`, 'utf16le'),
    Buffer.from(text, 'utf16le'),
    Buffer.from(svg('<text>\u00e9</text>'), 'latin1'),
    Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`),
  ])
    assert.equal(iconData(address(bytes)), undefined);
});

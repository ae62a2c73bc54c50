import { openMethod } from '../../shared/app/appPanel.js';
import { guardPolicy, guardScript } from './guard.js';

/** Hands one end of a channel to the page and answers at the other as long as the document lives. */
const openScript = `{const{port1,port2}=new MessageChannel;port1.onmessage=()=>port1.postMessage(0);parent.postMessage({jsonrpc:'2.0',method:'${openMethod}'},'*',[port2])}`;

/** WebRTC, for apps that are not closed: nothing of theirs needs it, and the policy would not govern it. */
const removeWebRtc =
  'for(const name of Object.getOwnPropertyNames(window))if(/^(?:webkit)?RTC/.test(name))delete window[name];';

/** What the document of an app is made of. */
export interface AppParts {
  /** The server's text. */
  html: string;
  policy: string;
  /** The app may reach nothing at all: what the policy does not govern is closed too (see `guardApp`). */
  isClosed: boolean;
}

/**
 * The document that the frame of an app loads: the policy and the guard stand before anything of the server, so that they
 * hold for all of it, and a policy once read cannot be taken back. What the server has as its doctype and head goes on
 * after ours.
 *
 * The script beside them lets the page see that this document is the one that loaded: a frame that went elsewhere before
 * it had looks the same from outside, but nobody answers. The name of the message is one of those that the extension
 * keeps for the page around an app.
 */
export function appDocument({ html, policy, isClosed }: AppParts): string {
  const guarded = isClosed
    ? `<meta http-equiv="Content-Security-Policy" content="${guardPolicy}">${guardScript}`
    : `<script>${removeWebRtc}</script>`;
  const text = isClosed ? withoutLinks(html) : html;
  return `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta http-equiv="x-dns-prefetch-control" content="off">${guarded}<script>${openScript}</script>${text}`;
}

/** A `<meta>` may stand wherever a `<link>` may, and has no content either. */
function withoutLinks(html: string): string {
  return html.replace(/<link(?=[\s/>]|$)/gi, '<meta');
}

import { openMethod } from '../../shared/app/appPanel.js';
import { guardPolicy, guardScript } from './guard.js';

/** Sends one port of a channel to the page, and answers on the other port as long as the document exists. */
const openScript = `{const{port1,port2}=new MessageChannel;port1.onmessage=()=>port1.postMessage(0);parent.postMessage({jsonrpc:'2.0',method:'${openMethod}'},'*',[port2])}`;

/**
 * Removes WebRTC from apps that may reach origins. They do not need it, and the content security policy does not
 * restrict it.
 */
const removeWebRtc =
  'for(const name of Object.getOwnPropertyNames(window))if(/^(?:webkit)?RTC/.test(name))delete window[name];';

/** The parts of an app's document. */
export interface AppParts {
  /** The HTML of the server. */
  html: string;
  policy: string;
  /** The app may not reach any origin. Channels that the policy does not restrict are closed too (see `guardApp`). */
  isClosed: boolean;
}

/**
 * The document that the frame of an app loads. The content security policy and the guard come before all server
 * content, so that they apply to all of it. A policy cannot be removed after it was parsed. The doctype and head of the
 * server follow.
 *
 * The script lets the page check that this document was loaded. If the frame navigated before, it looks the same from
 * outside, but does not answer. The method name of the message is reserved for the page around an app.
 */
export function appDocument({ html, policy, isClosed }: AppParts): string {
  const guarded = isClosed
    ? `<meta http-equiv="Content-Security-Policy" content="${guardPolicy}">${guardScript}`
    : `<script>${removeWebRtc}</script>`;
  const text = isClosed ? withoutLinks(html) : html;
  return `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta http-equiv="x-dns-prefetch-control" content="off">${guarded}<script>${openScript}</script>${text}`;
}

/** Replaces `<link>` by `<meta>`, which is allowed in the same places and has no content either. */
function withoutLinks(html: string): string {
  return html.replace(/<link(?=[\s/>]|$)/gi, '<meta');
}

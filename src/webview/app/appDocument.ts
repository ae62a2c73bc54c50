import { openMethod } from '../../shared/app/appPage.js';
import { guardPolicy, guardScript } from './guard.js';

/**
 * Sends one port of a new channel to the page, and answers each message on the other port for as long as the document
 * exists. The function is bound first, so that the app cannot replace it and answer while it is busy.
 */
const openScript = `{const{port1,port2}=new MessageChannel;const answer=port1.postMessage.bind(port1,0);port1.onmessage=()=>answer();parent.postMessage({jsonrpc:'2.0',method:'${openMethod}'},'*',[port2])}`;

/**
 * Removes WebRTC from apps that are allowed to reach origins, because the content security policy does not restrict it.
 * The guard removes it from all other apps.
 */
const removeWebRtc =
  'for(const name of Object.getOwnPropertyNames(window))if(/^(?:webkit)?RTC/.test(name))delete window[name];';

/** The parts of an app's document. */
export interface AppParts {
  /** The HTML from the server. */
  html: string;
  policy: string;
  /**
   * Whether the app is not allowed to reach any origin. If so, channels that the policy does not restrict are closed as
   * well (see `guardApp`).
   */
  isClosed: boolean;
}

/**
 * The document that the frame of an app loads. The content security policy and the guard come before all server
 * content, so that they apply to all of it; a policy cannot be removed after it was parsed. The doctype and the head
 * from the server follow. The script lets the page check that the frame still shows this document: from outside, a
 * frame that has navigated away looks the same, but it does not answer. Apps cannot use the method name of this message
 * for their own messages.
 */
export function appDocument({ html, policy, isClosed }: AppParts): string {
  const guarded = isClosed
    ? `<meta http-equiv="Content-Security-Policy" content="${guardPolicy}">${guardScript}`
    : `<script>${removeWebRtc}</script>`;
  const text = isClosed ? withoutLinks(html) : html;
  return `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${policy}"><meta http-equiv="x-dns-prefetch-control" content="off">${guarded}<script>${openScript}</script>${text}`;
}

/**
 * Replaces each `<link>` element by a `<meta>` element, which is allowed in the same places and also has no content.
 */
function withoutLinks(html: string): string {
  return html.replace(/<link(?=[\s/>]|$)/gi, '<meta');
}

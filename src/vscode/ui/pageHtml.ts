/** What the frame of a page is made of: addresses of our own files, and nothing that a server had a part in. */
export interface PageFrame {
  /** The origin that files of the extension come from in this webview. */
  cspSource: string;
  script: string;
  styles: readonly string[];
  /** Fresh for each page, so that no other script can be run in it. */
  nonce: string;
  /** Language of the window, as `vscode.env.language`. */
  language: string;
  /** Our own words: what the page is. */
  title: string;
}

/**
 * The document of a page. It is the same for whatever the page shows: data comes by message. Nothing is allowed but our
 * script, our styles and our icons; pictures and sounds are those that the extension hands over (security requirements V1 and V4).
 */
export function pageHtml({ cspSource, script, styles, nonce, language, title }: PageFrame): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    'img-src blob: data:',
    'media-src blob: data:',
    "connect-src 'none'",
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return documentOf({ script, styles, language, title }, policy, nonce);
}

/**
 * A document that loads a script and styles of the extension under a content security policy.
 *
 * @param nonce of the script, where the policy asks for one.
 */
export function documentOf(
  { script, styles, language, title }: Pick<PageFrame, 'script' | 'styles' | 'language' | 'title'>,
  policy: string,
  nonce?: string,
): string {
  const links = styles.map((style) => `<link rel="stylesheet" href="${attribute(style)}">`).join('\n');
  const nonceAttribute = nonce === undefined ? '' : ` nonce="${attribute(nonce)}"`;
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${attribute(title)}</title>
${links}
</head>
<body>
<script type="module"${nonceAttribute} src="${attribute(script)}"></script>
</body>
</html>
`;
}

/** Text as the value of an attribute. */
function attribute(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The parts of a page's HTML document. They contain only addresses of extension files and no server content. */
export interface PageFrame {
  /** The origin of extension files in this webview. */
  cspSource: string;
  script: string;
  styles: readonly string[];
  /** A new random value for each page, so that only the script of the page can run. */
  nonce: string;
  /** Display language of the window, as in `vscode.env.language`. */
  language: string;
  /** The title of the page. Never contains server content. */
  title: string;
}

/**
 * The HTML document of a page. It does not depend on the data that the page shows, because that data arrives in
 * messages. The content security policy allows only the script, styles, and icons of the extension, and the images and
 * audio that the extension sends (security requirements V1 and V4).
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
 * An HTML document that loads a script and styles of the extension under a content security policy.
 *
 * @param nonce the nonce of the script, if the policy requires one.
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

/** Escapes text for an HTML attribute. */
function attribute(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

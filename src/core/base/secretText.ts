/** Texts that are secrets by their look. */

const secretName = /token|api[-_]?key|secret|passw|credential|authorization|^x-.*key$|_key$|(?:^|_)pat$/i;
/** Tokens that tell by their beginning what they are, and what is too random to be anything else. */
const tokenText = /^(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]*|npm_\w{30,}|hf_\w{20,}|[0-9a-f]{32,}|[0-9A-Za-z+/]{40,}={0,2})$/;
/** Shorter ones are names, switches and paths. */
const minLength = 8;

/** True for a text that somebody would mind to see published. Linear in the text. */
export function looksSecret(name: string, text: string): boolean {
  if (text.length < minLength || text.length > 10_000 || text.includes('${') || /\s/.test(text)) return false;
  // An address or a path.
  if (/^[a-z][a-z0-9+.-]*:\/\/|^[./~]|^[A-Za-z]:\\/i.test(text)) return false;
  return tokenText.test(text) || (secretName.test(name) && !/_(?:FILE|PATH|URL|HOST|PORT|NAME|USER|ID)$/i.test(name));
}

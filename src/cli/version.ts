/** Set by the build. */
declare const deckVersion: string;

/** The version in package.json. */
export const version = deckVersion;

/** Styles that the script of a page imports are bundled with it. */
declare module '*.css';

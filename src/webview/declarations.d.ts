/** Styles that the script of a page imports are bundled with the script. */
declare module '*.css';

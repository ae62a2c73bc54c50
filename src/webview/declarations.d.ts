/** Styles that a page's script names are bundled beside it. */
declare module '*.css';

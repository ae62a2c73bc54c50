import { isObject } from '../json.js';

/**
 * The part of an app's `hostContext` that only the page knows: theme, colors, fonts, available size, time zone, and
 * kinds of input. The colors come from the theme, under the variable names of the MCP Apps extension (MCP Apps
 * 2026-01-26, "Theming").
 */

export interface PageContext {
  theme: 'light' | 'dark';
  /** CSS variables with the names that the MCP Apps extension defines, for example `--color-text-primary`. */
  variables: Readonly<Record<string, string>>;
  /** Available size for the app, in CSS pixels. */
  width: number;
  height: number;
  timeZone: string;
  touch: boolean;
  hover: boolean;
}

/** The VS Code colors for each variable. The first one that the theme defines is used. */
const sources: Readonly<Record<string, readonly string[]>> = {
  '--color-background-primary': ['editor-background'],
  '--color-background-secondary': ['sideBar-background', 'editorWidget-background'],
  '--color-background-tertiary': ['editorWidget-background', 'input-background'],
  '--color-background-inverse': ['editor-foreground'],
  '--color-background-info': ['inputValidation-infoBackground', 'textBlockQuote-background'],
  '--color-background-danger': ['inputValidation-errorBackground'],
  '--color-background-success': ['diffEditor-insertedTextBackground'],
  '--color-background-warning': ['inputValidation-warningBackground'],
  '--color-background-disabled': ['input-background'],
  '--color-text-primary': ['foreground', 'editor-foreground'],
  '--color-text-secondary': ['descriptionForeground'],
  '--color-text-tertiary': ['input-placeholderForeground', 'descriptionForeground'],
  '--color-text-inverse': ['editor-background'],
  '--color-text-info': ['textLink-foreground'],
  '--color-text-danger': ['errorForeground'],
  '--color-text-success': ['charts-green'],
  '--color-text-warning': ['editorWarning-foreground'],
  '--color-text-disabled': ['disabledForeground'],
  '--color-border-primary': ['contrastBorder', 'panel-border', 'widget-border'],
  '--color-border-secondary': ['contrastBorder', 'widget-border', 'panel-border'],
  '--color-border-tertiary': ['contrastBorder', 'editorGroup-border', 'panel-border'],
  '--color-border-inverse': ['editor-foreground'],
  '--color-border-info': ['inputValidation-infoBorder'],
  '--color-border-danger': ['inputValidation-errorBorder'],
  '--color-border-success': ['charts-green'],
  '--color-border-warning': ['inputValidation-warningBorder'],
  '--color-border-disabled': ['disabledForeground'],
  '--color-ring-primary': ['focusBorder'],
  '--color-ring-secondary': ['focusBorder'],
  '--color-ring-inverse': ['editor-background'],
  '--color-ring-info': ['inputValidation-infoBorder'],
  '--color-ring-danger': ['inputValidation-errorBorder'],
  '--color-ring-success': ['charts-green'],
  '--color-ring-warning': ['inputValidation-warningBorder'],
  '--font-sans': ['font-family'],
  '--font-mono': ['editor-font-family'],
};

/** Values that do not depend on the theme: transparent colors, font weights, corner radii, and the border width. */
const fixed: Readonly<Record<string, string>> = {
  '--color-background-ghost': 'transparent',
  '--color-text-ghost': 'transparent',
  '--color-border-ghost': 'transparent',
  '--font-weight-normal': '400',
  '--font-weight-medium': '500',
  '--font-weight-semibold': '600',
  '--font-weight-bold': '700',
  '--border-radius-xs': '2px',
  '--border-radius-sm': '3px',
  '--border-radius-md': '4px',
  '--border-radius-lg': '6px',
  '--border-radius-xl': '8px',
  '--border-radius-full': '9999px',
  '--border-width-regular': '1px',
};

/** Text sizes relative to the font size of the window. */
const sizes: Readonly<Record<string, readonly [size: number, lineHeight: number]>> = {
  '--font-text-xs': [0.85, 1.4],
  '--font-text-sm': [0.92, 1.4],
  '--font-text-md': [1, 1.4],
  '--font-text-lg': [1.15, 1.4],
  '--font-heading-xs': [1, 1.3],
  '--font-heading-sm': [1.1, 1.3],
  '--font-heading-md': [1.25, 1.3],
  '--font-heading-lg': [1.4, 1.3],
  '--font-heading-xl': [1.7, 1.25],
  '--font-heading-2xl': [2, 1.2],
  '--font-heading-3xl': [2.4, 1.2],
};

/**
 * @param colour returns a VS Code color or font by its name without `--vscode-`, or an empty string if the theme does
 * not define it.
 */
export function styleVariables(colour: (name: string) => string): Record<string, string> {
  const variables: Record<string, string> = { ...fixed };
  for (const [name, candidates] of Object.entries(sources)) {
    const value = candidates.map((candidate) => colour(candidate).trim()).find((one) => one !== '');
    if (value !== undefined) variables[name] = value;
  }
  const base = Number.parseFloat(colour('font-size')) || 13;
  for (const [name, [size, lineHeight]] of Object.entries(sizes)) {
    variables[`${name}-size`] = `${Math.round(base * size * 10) / 10}px`;
    variables[`${name}-line-height`] = String(lineHeight);
  }
  const shadow = colour('widget-shadow').trim();
  if (shadow !== '')
    Object.assign(variables, {
      '--shadow-hairline': `0 0 0 1px ${shadow}`,
      '--shadow-sm': `0 1px 2px ${shadow}`,
      '--shadow-md': `0 2px 8px ${shadow}`,
      '--shadow-lg': `0 4px 16px ${shadow}`,
    });
  return variables;
}

const maxVariables = 200;
const maxValueLength = 1_000;

/** Whether a value from a page is a valid context. */
export function isPageContext(value: unknown): value is PageContext {
  if (!isObject(value)) return false;
  const { theme, variables, width, height, timeZone, touch, hover } = value;
  return (
    (theme === 'light' || theme === 'dark') &&
    isObject(variables) &&
    Object.keys(variables).length <= maxVariables &&
    Object.values(variables).every((text) => typeof text === 'string' && text.length <= maxValueLength) &&
    Number.isFinite(width) &&
    Number.isFinite(height) &&
    typeof timeZone === 'string' &&
    timeZone.length <= 100 &&
    typeof touch === 'boolean' &&
    typeof hover === 'boolean'
  );
}

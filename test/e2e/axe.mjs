import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations that axe-core finds in the page of a webview: rule, and the elements concerned. */
export async function axeViolations(frameLocator) {
  const frame = await (await frameLocator.owner().elementHandle()).contentFrame();
  await frame.evaluate(source);
  const { violations } = await frame.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 300)} ${failureSummary}`),
  }));
}

/**
 * The contrast of an icon with the background of its page, from 1 to 21. WCAG 1.4.11 demands 3. axe-core measures the
 * contrast of texts only.
 */
export function iconContrast(icon) {
  return icon.evaluate((element) => {
    const luminance = (color) => {
      const [red, green, blue] = color.match(/[\d.]+/g).map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const background = getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background');
    const probe = document.createElement('i');
    probe.style.color = background;
    document.body.append(probe);
    const [light, dark] = [getComputedStyle(element).color, getComputedStyle(probe).color]
      .map(luminance)
      .sort((one, other) => other - one);
    probe.remove();
    return (light + 0.05) / (dark + 0.05);
  });
}

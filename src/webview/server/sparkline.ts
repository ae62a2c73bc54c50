const width = 120;
const height = 28;

/**
 * A small line chart of values over time. Screen readers ignore it, because the number beside it shows the latest
 * value. The scale starts at zero.
 *
 * @param atLeast the value at full height if all values are smaller.
 */
export function sparkline(values: readonly number[], atLeast: number): SVGElement {
  const svg = shape('svg', {
    class: 'sparkline',
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
    focusable: 'false',
  });
  const highest = values.reduce((most, value) => Math.max(most, value), atLeast);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) => `${(index * step).toFixed(1)},${(height - 1 - (value / highest) * (height - 2)).toFixed(1)}`,
  );
  if (points.length > 1) {
    svg.append(
      shape('polygon', { class: 'spark-area', points: [`0,${height}`, ...points, `${width},${height}`].join(' ') }),
      shape('polyline', { class: 'spark-line', points: points.join(' ') }),
    );
  }
  return svg;
}

function shape(tag: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

import type { Field, Form } from '../../src/shared/form/form.js';

/**
 * A form as text, a line per field: `*` for required, the name if the label differs, the kind and its details. A node
 * that contains itself is printed as `…` the second time.
 */
export function drawnForm(form: Form): string {
  const lines: string[] = [];
  const draw = (field: Field, lead: string, name: string, above: readonly number[]): void => {
    const node = form.nodes[field.node];
    if (!node) throw new Error(`no node ${field.node}`);
    const { kind, ...rest } = node;
    const facts = Object.entries(rest).flatMap(([key, value]) =>
      typeof value === 'object' ? [] : value === true ? [key] : [`${key}=${String(value)}`],
    );
    if (node.kind === 'choice')
      facts.push(
        node.options
          .map(({ label, description }) => (description === undefined ? label : `${label} (${description})`))
          .join('|'),
      );
    if (node.kind === 'text' && node.suggestions) facts.push(`suggests ${node.suggestions.join('|')}`);
    const { label, isRequired, condition, ...hints } = field;
    for (const [key, value] of Object.entries(hints))
      if (key !== 'name' && key !== 'node') facts.push(value === true ? key : `${key}=${JSON.stringify(value)}`);
    if (condition !== undefined) facts.push(`(${condition})`);
    lines.push(
      [`${lead}${isRequired ? '*' : ''}${name}${label === '' ? '' : ` "${label}"`}`, kind, ...facts].join(' '),
    );
    if (above.includes(field.node)) return void lines.push(`${lead}  …`);
    if (node.kind === 'variant' && node.isAny) return;
    const inside = (inner: Field, innerName: string) => draw(inner, `${lead}  `, innerName, [...above, field.node]);
    if (node.kind === 'object') {
      for (const property of node.properties) inside(property, property.name);
      for (const { pattern, field: inner } of node.more?.patterns ?? []) inside(inner, `/${pattern}/`);
      if (node.more?.isDeclared)
        inside(node.more.field, `{${(node.more.names ?? [node.more.namePattern ?? '…']).join('|')}}`);
    } else if (node.kind === 'list') {
      node.prefix.forEach((inner, index) => inside(inner, `[${index}]`));
      if (node.items) inside(node.items, '[…]');
    } else if (node.kind === 'variant') {
      for (const inner of node.variants) inside(inner, 'or');
    }
  };
  draw(form.root, '', '.', []);
  return lines.join('\n');
}

import type { TreeNode } from './treeNode.js';

/** A tree as indented text, one line per node: `(icon) label  description`. What tests compare and problem reports show. */
export function drawNodes(nodes: readonly TreeNode[], maxDepth = 10): string {
  return draw(nodes, 0, maxDepth).join('\n');
}

function draw(nodes: readonly TreeNode[], depth: number, maxDepth: number): string[] {
  return nodes.flatMap((node) => {
    const icon = node.icon ? `(${node.icon.name}) ` : '';
    const line = `${'  '.repeat(depth)}${icon}${node.label}${node.description === undefined ? '' : `  ${node.description}`}`;
    const children = depth + 1 < maxDepth ? (node.children?.() ?? []) : [];
    return [line, ...draw(children, depth + 1, maxDepth)];
  });
}

/** Pictures of graphs, in the language of Graphviz; runs on the thread that calls. */
import { type Draft, GATE, LAST, MERGE, NO_ARM, SWITCH } from './draft.js';

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** The nodes of each arm, and those outside of all. */
function nodesByArm(draft: Draft): Map<number, number[]> {
  const nodes = new Map<number, number[]>([[NO_ARM, []]]);
  for (const arm of draft.around.keys()) nodes.set(arm, []);
  for (let node = 0; node < draft.size; node++) {
    const arm = draft.work[node] === GATE ? draft.gates.indexOf(node) : (draft.arm[node] as number);
    nodes.get(arm)?.push(node);
  }
  return nodes;
}

/** Solid edges carry results, dashed ones only say what comes first, and dotted ones lead to the arms of a choice. */
export function dotOf(draft: Draft): string {
  const lines: string[] = [];
  const nodes = nodesByArm(draft);
  const put = (arm: number, indent: string): void => {
    for (const node of nodes.get(arm) as number[]) {
      const work = draft.work[node] as number;
      const shape = work === SWITCH ? 'diamond' : work === GATE || work === LAST || work === MERGE ? 'point' : 'box';
      lines.push(`${indent}n${node} [label=${quoted(draft.nameOf(node))}, shape=${shape}];`);
    }
    for (const [inner, around] of draft.around.entries()) {
      if (around !== arm) continue;
      lines.push(
        `${indent}subgraph cluster_${inner} {`,
        `${indent}  label=${quoted(draft.armNames[inner] as string)};`,
      );
      put(inner, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  put(NO_ARM, '  ');
  for (let node = 0; node < draft.size; node++)
    for (const code of new Set(draft.argsOf(node))) if (code >= 0) lines.push(`  n${code} -> n${node};`);
  for (const [node, { gates }] of draft.choices)
    for (const gate of gates) lines.push(`  n${node} -> n${gate} [style=dotted];`);
  for (let k = 0; k < draft.order.length; k += 2)
    lines.push(`  n${draft.order[k]} -> n${draft.order[k + 1]} [style=dashed];`);
  return [`digraph ${quoted(draft.name)} {`, ...lines, '}', ''].join('\n');
}

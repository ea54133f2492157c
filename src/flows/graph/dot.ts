/** Pictures of graphs, in the language of Graphviz; runs on the thread that calls. */
import { ALL, type Draft, GATE, LAST, MERGE, NO_ARM, SWITCH } from './draft.js';

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

/**
 * Edges that lead to each node: from results (true), and from nodes that only come first (false). A list of results that one node takes is left out, and so
 * is what stands between others: edges lead from what is in them.
 */
function edgesOf(draft: Draft): readonly { readonly hidden: boolean; readonly from: ReadonlyMap<number, boolean> }[] {
  const before: number[][] = Array.from({ length: draft.size }, () => []);
  draft.eachOrder((first, node) => before[node]?.push(first));
  const direct = before.map((firsts, node) => {
    const from = new Map<number, boolean>(firsts.map((first) => [first, false]));
    for (const code of draft.argsOf(node)) if (code >= 0) from.set(code, true);
    return from;
  });
  const takers = new Int32Array(draft.size);
  for (const from of direct) for (const first of from.keys()) takers[first]++;
  const isHidden = (node: number): boolean => draft.work[node] === ALL && takers[node] === 1;
  return direct.map((from, node) => {
    const shown = new Map<number, boolean>();
    const left = [...from];
    const seen = new Set<number>();
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [first, carries] = next;
      if (!isHidden(first)) shown.set(first, carries || shown.get(first) === true);
      else if (!seen.has(first)) {
        seen.add(first);
        for (const [inner, inside] of direct[first] ?? []) left.push([inner, carries && inside]);
      }
    }
    return { hidden: isHidden(node), from: new Map([...shown].sort(([a], [b]) => a - b)) };
  });
}

/** Solid edges carry results, dashed ones only say what comes first, and dotted ones lead to the arms of a choice. */
export function dotOf(draft: Draft): string {
  const lines: string[] = [];
  const edges = edgesOf(draft);
  const nodes = nodesByArm(draft);
  const put = (arm: number, indent: string): void => {
    for (const node of nodes.get(arm) as number[]) {
      if (edges[node]?.hidden === true) continue;
      const work = draft.work[node] as number;
      const shape = work === SWITCH ? 'diamond' : [ALL, GATE, LAST, MERGE].includes(work) ? 'point' : 'box';
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
  for (const [node, { hidden, from }] of edges.entries())
    for (const [first, carries] of hidden ? [] : from)
      lines.push(`  n${first} -> n${node}${carries ? '' : ' [style=dashed]'};`);
  for (const [node, { gates }] of draft.choices)
    for (const gate of gates) lines.push(`  n${node} -> n${gate} [style=dotted];`);
  return [`digraph ${quoted(draft.name)} {`, ...lines, '}', ''].join('\n');
}

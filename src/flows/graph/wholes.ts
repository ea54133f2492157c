/**
 * Nodes that consist of nodes: graphs within graphs, and choices; runs on the thread that builds.
 *
 * `g.after` orders such a node as a whole. What it runs after comes before the first of its nodes, and what runs after it comes after the last ones,
 * whether or not its result depends on these.
 */
import { ALL, type Draft, GATE, SWITCH } from './draft.js';

/** The nodes of one arm, or those outside of arms, in a part of a draft, and what one of them takes from another. */
function nodesIn(draft: Draft, first: number, end: number, arm: number): { all: number[]; taken: Set<number> } {
  const all: number[] = [];
  const taken = new Set<number>();
  for (let node = first; node < end; node++) {
    // The nodes of another arm may not run, and neither may the gates that lead to them.
    if (draft.arm[node] !== arm || draft.work[node] === GATE) continue;
    all.push(node);
    for (const code of draft.argsOf(node)) if (code >= first) taken.add(code);
  }
  return { all, taken };
}

/** The first of the nodes that a node consists of: all others come after one of them. */
function firstsOf(draft: Draft, code: number): number[] {
  const part = draft.parts.get(code);
  if (part === undefined) return [draft.switchOf(code) ?? code];
  const { all } = nodesIn(draft, part.first, part.end, draft.arm[code] as number);
  return all.filter((node) => draft.argsOf(node).every((arg) => arg < part.first));
}

/** The last of the nodes that a node consists of: all others come before one of them. */
function lastsOf(draft: Draft, code: number): number[] {
  const part = draft.parts.get(code);
  if (part === undefined) {
    joinArms(draft, draft.switchOf(code) ?? code, code);
    return [code];
  }
  joinArms(draft, part.first, part.end);
  const { all, taken } = nodesIn(draft, part.first, part.end, draft.arm[code] as number);
  return all.filter((node) => !taken.has(node));
}

/** Has the results of all arms in a part of a draft come after all nodes of these arms, because from outside of an arm nothing can wait for others. */
function joinArms(draft: Draft, first: number, end: number): void {
  for (let node = first; node < end; node++) {
    if (draft.work[node] !== SWITCH || draft.joined.has(node)) continue;
    draft.joined.add(node);
    const { gates, merge } = draft.choices.get(node) as { readonly gates: readonly number[]; readonly merge: number };
    const [, ...results] = draft.argsOf(merge);
    for (const [k, result] of results.entries()) {
      const { all, taken } = nodesIn(draft, gates[k] as number, result + 1, draft.arm[result] as number);
      for (const one of all) if (one !== result && !taken.has(one)) draft.order.push(one, result);
    }
  }
}

/** Has a node run after another one, all of it after all of that. */
export function order(draft: Draft, before: number, after: number): void {
  const lasts = lastsOf(draft, before);
  const firsts = firstsOf(draft, after);
  if (lasts.length > 1 && firsts.length > 1) {
    // A node between them, instead of an edge for each pair.
    const between = draft.node(ALL, [], draft.arm[after] as number);
    for (const last of lasts) draft.order.push(last, between);
    for (const first of firsts) draft.order.push(between, first);
    return;
  }
  for (const last of lasts) for (const first of firsts) draft.order.push(last, first);
}

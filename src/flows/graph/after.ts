/**
 * Nodes that consist of nodes: graphs within graphs, and choices; runs on the thread that builds.
 *
 * `g.after` orders such a node as a whole. What it runs after comes before the first of its nodes, and what runs after it comes after the last ones,
 * whether or not its result depends on these.
 */
import { ALL, type Choice, type Draft, GATE, LAST, MERGE, SWITCH } from './draft.js';

/** The nodes of one arm, or those outside of arms, and what one of them takes from another. */
interface Group {
  readonly all: number[];
  readonly taken: Set<number>;
}

/** The nodes in a part of a draft, by their arms. */
function groupsIn(draft: Draft, first: number, end: number): Map<number, Group> {
  const groups = new Map<number, Group>();
  for (let node = first; node < end; node++) {
    if (draft.work[node] === GATE) continue; // it leads to an arm that may not run
    const arm = draft.arm[node] as number;
    const group = groups.get(arm) ?? { all: [], taken: new Set() };
    groups.set(arm, group);
    group.all.push(node);
    for (const code of draft.argsOf(node)) if (code >= first) group.taken.add(code);
  }
  return groups;
}

/** The first of the nodes that a node consists of: all others come after one of them. */
function firstsOf(draft: Draft, code: number): number[] {
  const subgraph = draft.subgraphs.get(code);
  if (subgraph === undefined) return [draft.switchOf(code) ?? code];
  const { all } = groupsIn(draft, subgraph.first, subgraph.end).get(draft.arm[code] as number) as Group;
  return all.filter((node) => draft.argsOf(node).every((arg) => arg < subgraph.first));
}

/** The last of the nodes that a node consists of: all others come before one of them. */
function lastsOf(draft: Draft, code: number): number[] {
  if (code < 0) return [code]; // an input, whatever it will stand for
  const subgraph = draft.subgraphs.get(code);
  if (subgraph === undefined) {
    const node = draft.switchOf(code);
    if (node === undefined) return [code];
    if (draft.choices.get(node)?.end === undefined) endChoices(draft, groupsIn(draft, node, code));
    return [draft.choices.get(node)?.end as number];
  }
  const groups = groupsIn(draft, subgraph.first, subgraph.end);
  endChoices(draft, groups);
  return lastsIn(draft, groups.get(draft.arm[code] as number) as Group);
}

/** The last nodes of a group, whose choices have ends. */
function lastsIn(draft: Draft, { all, taken }: Group): number[] {
  const ends = all.flatMap((node) => draft.choices.get(node)?.end ?? []);
  return [...new Set([...all.filter((node) => !taken.has(node)), ...ends])];
}

/**
 * Gives choices ends: nodes that are done when all nodes of a choice are. From outside of an arm nothing can wait for a node of the arm, which may not
 * run. So each arm gets a second last node, and the choice a second merge. Its result waits for neither: what takes it runs whether or not anything is
 * ordered after the choice.
 */
function endChoices(draft: Draft, groups: ReadonlyMap<number, Group>): void {
  const nodes = [...groups.values()].flatMap(({ all }) => all.filter((node) => draft.work[node] === SWITCH));
  for (const node of nodes.sort((a, b) => b - a)) {
    // The choices in its arms were made later, and have ends by now.
    const choice = draft.choices.get(node) as Choice;
    if (choice.end !== undefined) continue;
    const [, ...results] = draft.argsOf(choice.merge);
    const ends = results.map((result) => {
      const arm = draft.arm[result] as number;
      const end = draft.node(LAST, [draft.constant(undefined)], arm);
      for (const last of lastsIn(draft, groups.get(arm) as Group)) draft.order.push(last, end);
      return end;
    });
    choice.end = draft.node(MERGE, [node, ...ends], draft.arm[node] as number);
  }
}

/** Has a node run after another one, or an input: all of it after all of that. */
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

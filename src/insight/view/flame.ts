/** Breakdown of the time of all threads, as a tree of names; in the command, and in the page that it writes. */
import { SLEEP } from '../recording/timeline-event.js';
import { kindOfSlice, type Nesting, nameOfSlice } from './nesting.js';

/** Slices that ran within the same outer ones, of one name. A function that runs within itself is one node. */
export interface FlameNode {
  readonly name: string;
  readonly kind: number;
  readonly module: string;
  /** Time of its outermost slices, and without that of its children (microseconds). */
  us: number;
  selfUs: number;
  slices: number;
  readonly children: FlameNode[];
}

/** Without sleep, which is no work. */
export function flameOf(nesting: Nesting): FlameNode {
  const root: FlameNode = { name: 'all threads', kind: 0, module: '', us: 0, selfUs: 0, slices: 0, children: [] };
  const nodes = new Array<FlameNode | undefined>(nesting.length);
  const { table } = nesting;
  for (let slice = 0; slice < nesting.length; slice++) {
    const kind = kindOfSlice(nesting, slice);
    if (kind === SLEEP) continue;
    const outer = nodes[nesting.parent[slice]] ?? root;
    const name = nameOfSlice(nesting, slice);
    const us = nesting.end[slice] - nesting.start[slice];
    const isWithinItself = outer.name === name && outer !== root;
    const node = isWithinItself
      ? outer
      : childOf(outer, name, kind, table.names[table.name[nesting.row[slice]]].module);
    nodes[slice] = node;
    node.slices++;
    node.selfUs += nesting.self[slice];
    if (!isWithinItself) node.us += us;
    if (outer === root) root.us += us;
  }
  sort(root);
  return root;
}

function childOf(outer: FlameNode, name: string, kind: number, module: string): FlameNode {
  const known = outer.children.find((child) => child.name === name);
  if (known !== undefined) return known;
  const made = { name, kind, module, us: 0, selfUs: 0, slices: 0, children: [] };
  outer.children.push(made);
  return made;
}

function sort(node: FlameNode): void {
  node.children.sort((a, b) => b.us - a.us);
  node.children.forEach(sort);
}

/** Cost of a name, wherever it ran. */
export interface NameTotal {
  readonly name: string;
  readonly module: string;
  readonly kind: number;
  slices: number;
  selfUs: number;
  longestUs: number;
}

/** By name and module, what has cost most first. Sleep counts, too. */
export function totalsOf(nesting: Nesting): NameTotal[] {
  const { table } = nesting;
  const totals = new Map<number, NameTotal>();
  for (let slice = 0; slice < nesting.length; slice++) {
    const number = table.name[nesting.row[slice]];
    let total = totals.get(number);
    if (total === undefined) {
      total = { ...table.names[number], kind: kindOfSlice(nesting, slice), slices: 0, selfUs: 0, longestUs: 0 };
      totals.set(number, total);
    }
    total.slices++;
    total.selfUs += nesting.self[slice];
    total.longestUs = Math.max(total.longestUs, nesting.end[slice] - nesting.start[slice]);
  }
  return [...totals.values()].sort((a, b) => b.selfUs - a.selfUs);
}

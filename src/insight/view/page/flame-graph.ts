/**
 * Breakdown of the time, by name, as a tree: a node is as wide as the time that it took, and what is below a node ran within it.
 */
import type { FlameNode } from '../flame.js';
import { KIND_NAMES } from '../nesting.js';
import { countOf, shareOf, timeOf } from '../words.js';
import { PLAIN_TEXT, VARIABLES } from './colours.js';
import { byId, element } from './elements.js';

const ROW = 22;
/** Narrower nodes are left out. */
const LEAST_SHARE = 0.003;
const MOST_DEPTH = 24;

interface PlacedNode {
  readonly node: FlameNode;
  readonly left: number;
  readonly width: number;
  readonly level: number;
}

function* placed(node: FlameNode, left: number, width: number, level: number): Generator<PlacedNode> {
  yield { node, left, width, level };
  if (level >= MOST_DEPTH) return;
  let at = left;
  for (const child of node.children) {
    const share = node.us === 0 ? 0 : (child.us / node.us) * width;
    if (share >= LEAST_SHARE) yield* placed(child, at, share, level + 1);
    at += share;
  }
}

const toldOf = ({ name, us, selfUs, slices, kind, module }: FlameNode, all: number): string =>
  [
    `${name}: ${timeOf(us)}, ${shareOf(us / all)}`,
    ...(slices === 0 ? [] : [countOf(slices, 'slice'), `${timeOf(selfUs)} without what is within`]),
    ...(kind === 0 ? [] : [KIND_NAMES[kind]]),
    ...(module === '' ? [] : [module]),
  ].join(', ');

export function showFlame(root: FlameNode, onChosen: (name: string) => void): void {
  const place = byId('flame');
  const told = byId('flame-told');
  let trail: FlameNode[] = [root];

  const show = (focus: boolean): void => {
    const top = trail[trail.length - 1];
    const nodes: PlacedNode[] = [
      ...trail.slice(0, -1).map((node, level) => ({ node, left: 0, width: 1, level })),
      ...placed(top, 0, 1, trail.length - 1),
    ];
    const buttons = nodes.map(({ node, left, width, level }, k) => {
      const text = toldOf(node, root.us);
      const button = element(
        'button',
        {
          type: 'button',
          title: text,
          'aria-label': text,
          tabindex: node === top ? 0 : -1,
          class: PLAIN_TEXT.includes(node.kind) || node.kind === 0 ? 'plain' : '',
          'data-place': k,
          click: () => zoom(node, level),
          focus: () => {
            told.textContent = text;
          },
        },
        width > 0.03 ? node.name : '',
      );
      Object.assign(button.style, {
        left: `${left * 100}%`,
        width: `${width * 100}%`,
        top: `${level * ROW}px`,
        background: `var(${VARIABLES[node.kind] ?? '--panel'})`,
      });
      return button;
    });
    place.style.height = `${(1 + Math.max(...nodes.map(({ level }) => level))) * ROW}px`;
    place.replaceChildren(...buttons);
    place.onkeydown = (event) => move(event, nodes, buttons);
    if (focus) buttons[trail.length - 1].focus();
  };

  /** Arrows lead to parents, children and neighbours. */
  function move(event: KeyboardEvent, nodes: readonly PlacedNode[], buttons: readonly HTMLButtonElement[]): void {
    const here = nodes[Number((event.target as HTMLElement).dataset['place'])];
    if (here === undefined) return;
    const at = nodes.indexOf(here);
    const middle = here.left + here.width / 2;
    const beside = nodes.filter(({ level }) => level === here.level);
    const found: Readonly<Record<string, PlacedNode | undefined>> = {
      ArrowUp: nodes.findLast(
        ({ level, left, width }) => level === here.level - 1 && left <= middle && left + width >= middle,
      ),
      ArrowDown: nodes.find(({ level }, k) => k > at && level === here.level + 1),
      ArrowLeft: beside[beside.indexOf(here) - 1],
      ArrowRight: beside[beside.indexOf(here) + 1],
    };
    if (event.key === 'Escape') zoom(root, 0);
    else if (!(event.key in found)) return;
    else if (found[event.key] !== undefined) buttons[nodes.indexOf(found[event.key] as PlacedNode)].focus();
    event.preventDefault();
  }

  /** Shows a node in all of the width. Those that it is within stay above it. */
  function zoom(node: FlameNode, level: number): void {
    if (node !== root) onChosen(node.name);
    trail = level < trail.length - 1 ? trail.slice(0, level + 1) : [...trail, ...pathTo(trail[trail.length - 1], node)];
    show(true);
  }

  show(false);
}

/** The nodes from one down to another, without the first. */
function pathTo(from: FlameNode, to: FlameNode): FlameNode[] {
  if (from === to) return [];
  for (const child of from.children) {
    if (child === to) return [child];
    const below = pathTo(child, to);
    if (below.length > 0) return [child, ...below];
  }
  return [];
}

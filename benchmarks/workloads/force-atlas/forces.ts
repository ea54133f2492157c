/** The steps of ForceAtlas2 in arrays that all threads share. */
import type { Make } from '../workload.js';
import type { Layout, Places } from './config.js';

export interface Forces {
  readonly steps: number;
  readonly n: number;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  /** The force on each vertex, in this step and in the one before. */
  readonly dx: Float64Array;
  readonly dy: Float64Array;
  readonly oldDx: Float64Array;
  readonly oldDy: Float64Array;
  readonly mass: Float64Array;
  readonly convergence: Float64Array;
  /** Where the neighbours of each vertex begin, and the neighbours. */
  readonly starts: Uint32Array;
  readonly targets: Uint32Array;
}

/** Even rounds compute forces, odd ones move vertices. */
export const vertices = (round: number, { n, steps }: Forces): number | undefined =>
  round < 2 * steps ? n : undefined;

export const step = (lo: number, hi: number, round: number, forces: Forces): void => {
  const { n, xs, ys, dx, dy, oldDx, oldDy, mass, convergence, starts, targets } = forces;
  for (let v = lo; v < hi; v++) {
    if (round % 2 === 0) {
      const [x, y] = [xs[v], ys[v]];
      const gravity = x === 0 && y === 0 ? 0 : mass[v] / Math.hypot(x, y);
      let [forceX, forceY] = [-x * gravity, -y * gravity];
      for (let w = 0; w < n; w++) {
        const [awayX, awayY] = [x - xs[w], y - ys[w]];
        const squared = awayX * awayX + awayY * awayY;
        const push = squared > 0 ? (mass[v] * mass[w]) / squared : 0;
        forceX += awayX * push;
        forceY += awayY * push;
      }
      for (let edge = starts[v]; edge < starts[v + 1]; edge++) {
        forceX += xs[targets[edge]] - x;
        forceY += ys[targets[edge]] - y;
      }
      [oldDx[v], oldDy[v], dx[v], dy[v]] = [dx[v], dy[v], forceX, forceY];
    } else {
      const swinging = mass[v] * Math.hypot(oldDx[v] - dx[v], oldDy[v] - dy[v]);
      const traction = Math.hypot(oldDx[v] + dx[v], oldDy[v] + dy[v]) / 2;
      const speed = (convergence[v] * Math.log(1 + traction)) / (1 + Math.sqrt(swinging));
      convergence[v] = Math.min(1, Math.sqrt((speed * (dx[v] ** 2 + dy[v] ** 2)) / (1 + Math.sqrt(swinging))));
      xs[v] += dx[v] * speed;
      ys[v] += dy[v] * speed;
    }
  }
};

/** The graph in arrays. The mass of a vertex is one more than the number of its edges. */
export function forcesIn({ graph, iterations }: Layout, make: Make): Forces {
  const names = graph.nodes();
  const n = names.length;
  const numbers = new Map(names.map((name, v) => [name, v]));
  const zeros = (): Float64Array => make(Float64Array, n);
  const forces = {
    n,
    steps: iterations,
    xs: zeros(),
    ys: zeros(),
    dx: zeros(),
    dy: zeros(),
    oldDx: zeros(),
    oldDy: zeros(),
  };
  graph.forEachNode((name, { x, y }) => {
    forces.xs[numbers.get(name)!] = x;
    forces.ys[numbers.get(name)!] = y;
  });
  const edges = names.map((): number[] => []);
  graph.forEachEdge((_, __, source, target) => {
    edges[numbers.get(source)!].push(numbers.get(target)!);
    edges[numbers.get(target)!].push(numbers.get(source)!);
  });
  const starts = make(Uint32Array, n + 1);
  for (let v = 0; v < n; v++) starts[v + 1] = starts[v] + edges[v].length;
  const mass = zeros();
  mass.set(edges.map(({ length }) => length + 1));
  const targets = make(Uint32Array, starts[n]);
  targets.set(edges.flat());
  return { ...forces, mass, convergence: zeros().fill(1), starts, targets };
}

export const placesOf = ({ graph }: Layout, { xs, ys }: Forces): Places =>
  Object.fromEntries(graph.nodes().map((name, v) => [name, { x: xs[v], y: ys[v] }]));

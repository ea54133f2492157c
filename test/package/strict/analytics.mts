/** Graph analytics over shared arrays: how many steps each vertex is away from another one, and its rank. */
import {
  free,
  parallelFilter,
  parallelFor,
  parallelForEach,
  parallelReduce,
  parallelTabulate,
  sharedArray,
} from 'furcate';

/** Vertex v is linked to targets[offsets[v]] up to targets[offsets[v + 1] - 1]. */
export interface Graph {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

const FAR = 0x7fffffff;

export async function distances({ offsets, targets }: Graph, source: number): Promise<Int32Array> {
  const steps = sharedArray(Int32Array, offsets.length - 1).fill(FAR);
  steps[source] = 0;
  let frontier: Uint32Array = Uint32Array.of(source);
  for (let step = 1; frontier.length > 0; step++) {
    await parallelForEach(
      frontier,
      (v, _, context) => {
        const end = context.offsets[v + 1] ?? 0;
        for (let k = context.offsets[v] ?? 0; k < end; k++)
          Atomics.compareExchange(context.steps, context.targets[k] ?? 0, context.far, context.step);
      },
      { context: { offsets, targets, steps, step, far: FAR } },
    );
    frontier = await parallelFilter(steps, (far, _, context) => far === context.step, {
      indices: true,
      context: { step },
    });
  }
  return steps;
}

export async function ranks({ offsets, targets }: Graph, rounds: number): Promise<Float64Array> {
  const n = offsets.length - 1;
  const damping = 0.85;
  let now = await parallelTabulate(Float64Array, n, (_, context) => 1 / context.n, { context: { n } });
  let next = sharedArray(Float64Array, n);
  for (let round = 0; round < rounds; round++) {
    await parallelFor(
      n,
      (v, context) => {
        let sum = 0;
        const end = context.offsets[v + 1] ?? 0;
        for (let k = context.offsets[v] ?? 0; k < end; k++) {
          const from = context.targets[k] ?? 0;
          sum +=
            (context.now[from] ?? 0) / Math.max(1, (context.offsets[from + 1] ?? 0) - (context.offsets[from] ?? 0));
        }
        context.next[v] = (1 - context.damping) / context.n + context.damping * sum;
      },
      { context: { offsets, targets, now, next, n, damping } },
    );
    [now, next] = [next, now];
  }
  free(next);
  const total = await parallelReduce(now, 'sum');
  if (Math.abs(total - 1) > 0.5) throw new RangeError(`the ranks add up to ${String(total)}`);
  return now;
}

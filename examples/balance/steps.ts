/** How long a step of the wave in docs/balance.md takes, and a transposition: in rows under each partition, and in tiles. */
import { type ForkJoinPool, type Partition, parallelForRange, parallelForTiles, sharedArray } from 'furcate';
import { flow, flowIn, rise, riseIn, transpose, transposeIn, type Wave } from './tasks.js';

/** One way to do a step. */
type Way = () => unknown;

/** @returns the median time of each way (milliseconds) */
async function measureWays(
  ways: ReadonlyMap<string, Way>,
  rounds: number,
  check: (name: string) => void,
): Promise<ReadonlyMap<string, number>> {
  const samples = new Map([...ways.keys()].map((name) => [name, [] as number[]]));
  for (let round = -2; round < rounds; round++)
    for (const [name, way] of ways) {
      const startMs = performance.now();
      await way();
      if (round >= 0) samples.get(name)?.push(performance.now() - startMs);
      check(name);
    }
  return new Map([...samples].map(([name, times]) => [name, times.sort((a, b) => a - b)[times.length >> 1]]));
}

function newWave(width: number, height: number): Wave {
  const level = sharedArray(Float64Array, width * height);
  level[(height >> 1) * width + (width >> 1)] = 1;
  const zeros = (): Float64Array => sharedArray(Float64Array, width * height);
  return { width, level, east: zeros(), south: zeros() };
}

/** Time steps of a wave, in two passes each. Every way makes the same wave, to the last bit. */
export async function measureSteps(pool: ForkJoinPool, width: number, height: number, rounds: number) {
  const rows = (wave: Wave, partition: Partition) => async (): Promise<void> => {
    const right = width - 1;
    const options = { pool, partition, context: { flow, rise, right, wave } };
    await parallelForRange(
      height - 1,
      (top, bottom, { flow, right, wave }) => flow(top, bottom, 0, right, wave),
      options,
    );
    await parallelForRange(
      height - 2,
      (top, bottom, { rise, right, wave }) => rise(top + 1, bottom + 1, 1, right, wave),
      options,
    );
  };
  const waves = new Map<string, Wave>();
  const ways = new Map<string, Way>();
  const add = (name: string, make: (wave: Wave) => Way): void => {
    const wave = newWave(width, height);
    waves.set(name, wave);
    ways.set(name, make(wave));
  };
  add('a plain loop', (wave) => () => {
    flowIn(0, height - 1, 0, width - 1, wave);
    riseIn(1, height - 1, 1, width - 1, wave);
  });
  add('rows, static', (wave) => rows(wave, 'static'));
  add('rows, adaptive', (wave) => rows(wave, 'adaptive'));
  add('tiles', (wave) => async () => {
    await parallelForTiles(height - 1, width - 1, flow, { pool, context: wave });
    await parallelForTiles([1, height - 1], [1, width - 1], rise, { pool, context: wave });
  });
  return measureWays(ways, rounds, (name) => {
    const [wave, plain] = [waves.get(name) as Wave, waves.get('a plain loop') as Wave];
    if (wave.level.some((x, i) => x !== plain.level[i])) throw new Error(`${name}: another wave`);
  });
}

/** A transposition reads along rows and writes along columns: a tile stays in the cache for both. */
export async function measureTransposition(pool: ForkJoinPool, side: number, rounds: number) {
  const input = sharedArray(
    Float64Array,
    Float64Array.from({ length: side * side }, (_, i) => i),
  );
  const out = sharedArray(Float64Array, side * side);
  const context = { input, out, side };
  const rows = (partition: Partition) => () =>
    parallelForRange(side, (top, bottom, { transpose, ...matrix }) => transpose(top, bottom, 0, matrix.side, matrix), {
      pool,
      partition,
      context: { transpose, ...context },
    });
  const ways = new Map<string, Way>([
    ['a plain loop', () => transposeIn(0, side, 0, side, context)],
    ['rows, static', rows('static')],
    ['rows, adaptive', rows('adaptive')],
    ['tiles', () => parallelForTiles(side, side, transpose, { pool, context })],
    ['tiles of 32 by 32', () => parallelForTiles(side, side, transpose, { pool, context, tile: 32 })],
  ]);
  return measureWays(ways, rounds, (name) => {
    for (let i = 0; i < side; i++)
      for (let j = 0; j < side; j++)
        if (out[j * side + i] !== i * side + j) throw new Error(`${name}: wrong at ${i}, ${j}`);
    out.fill(0);
  });
}

/** Measures candidates in turn and checks every answer; runs on the main thread of a benchmark. */

/** One way to do the work. */
export interface Candidate {
  readonly name: string;
  /** Does the work once; returns its duration in milliseconds and its answer. */
  run(): Sample | Promise<Sample>;
  /** The right answer. */
  readonly expected: unknown;
}

export interface Sample {
  readonly ms: number;
  /** Processor time of all threads, where a lane has measured it. */
  readonly cpuMs?: number;
  readonly answer: unknown;
}

export interface Effort {
  readonly rounds: number;
  /** Rounds before the first one that counts. */
  readonly warmUps: number;
}

/** Samples by candidate (ms), one for each round. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/** A candidate that runs in this process. */
export function candidate<T>(name: string, expected: T, work: () => T | Promise<T>): Candidate {
  return {
    name,
    expected,
    async run() {
      const start = performance.now();
      const result = work();
      // Awaits promises only, because a turn of the event loop is not part of a synchronous call.
      const answer = result instanceof Promise ? await result : result;
      return { ms: performance.now() - start, answer };
    },
  };
}

/** Runs every candidate once in each round. Rounds begin with different candidates, so no candidate always follows the same one. */
export async function compare(candidates: readonly Candidate[], { rounds, warmUps }: Effort): Promise<Samples> {
  const samples = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
  if (samples.size < candidates.length) throw new Error('Two candidates have the same name: each needs its own.');
  for (let round = -warmUps; round < rounds; round++) {
    for (let k = 0; k < candidates.length; k++) {
      const { name, expected, run } = candidates[(k + round + warmUps) % candidates.length];
      const { ms, answer } = await run();
      checkAnswer(name, answer, expected);
      if (round >= 0) samples.get(name)!.push(ms);
    }
  }
  return samples;
}

/** @throws Error that names the candidate, if the answer is wrong */
export function checkAnswer(name: string, answer: unknown, expected: unknown): void {
  if (Object.is(answer, expected)) return;
  throw new Error(`${name} answered ${String(answer)}; the right answer is ${String(expected)}.`);
}

/** The samples of one candidate. */
export function of(samples: Samples, name: string): readonly number[] {
  const found = samples.get(name);
  if (found === undefined)
    throw new Error(`There is no candidate '${name}'. The candidates are ${[...samples.keys()].join(', ')}.`);
  return found;
}

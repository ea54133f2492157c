/** Measures candidates in turn, round after round, and checks every answer; runs on the main thread of a benchmark. */

/** One way to do the work. */
export interface Candidate {
  readonly name: string;
  /** Does it once and returns how long it took, in milliseconds, and what came out. */
  run(): Sample | Promise<Sample>;
  /** What must come out. */
  readonly expected: unknown;
}

export interface Sample {
  readonly ms: number;
  readonly answer: unknown;
}

export interface Effort {
  readonly rounds: number;
  /** Rounds before, which do not count. */
  readonly warmUps: number;
}

/** Samples by candidate, in milliseconds, one a round. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/** A candidate that runs in this process. */
export function candidate<T>(name: string, expected: T, work: () => T | Promise<T>): Candidate {
  return {
    name,
    expected,
    async run() {
      const start = performance.now();
      const result = work();
      // Not awaited unless it is a promise: a turn of the event loop is no part of a synchronous call.
      const answer = result instanceof Promise ? await result : result;
      return { ms: performance.now() - start, answer };
    },
  };
}

/** Runs every candidate once a round; each round begins with another one, so that none always follows the same. */
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

/** @throws Error naming the candidate, when the answer is not what it must be */
export function checkAnswer(name: string, answer: unknown, expected: unknown): void {
  if (Object.is(answer, expected)) return;
  throw new Error(`${name} answered ${String(answer)}; the right answer is ${String(expected)}.`);
}

/** The samples of one candidate. */
export function of(samples: Samples, name: string): readonly number[] {
  const found = samples.get(name);
  if (found === undefined)
    throw new Error(`There is no candidate '${name}'; there are ${[...samples.keys()].join(', ')}.`);
  return found;
}

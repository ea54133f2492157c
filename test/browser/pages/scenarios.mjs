/** What the pages do. Each scenario returns what the test compares; what it throws counts as its result. */

const library = () => import('/dist/index.js');
const tasks = () => import('./tasks.mjs');

const outcomeOf = async (act) => {
  try {
    return await act();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};

/** Every kind of work once, in a pool with these options. */
async function everything(options = {}, { inline = true } = {}) {
  const { ForkJoinPool, parallelMap, parallelReduce, parallelSort, sharedArray } = await library();
  const { Fib, fails, isOnPage, sum, twice, waits } = await tasks();
  const pool = new ForkJoinPool({ parallelism: 2, ...options });
  const xs = Float64Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 200_003);
  const sorted = await parallelSort(sharedArray(Float64Array, xs), { pool });
  const results = {
    fib: await pool.invoke(new Fib(15)),
    sum: await pool.invoke(sum, 100),
    waits: await pool.invoke(waits, 5),
    fails: await outcomeOf(() => pool.invoke(fails, 'as it was told')),
    isOnPage: await pool.invoke(isOnPage),
    reduced: await parallelReduce(xs, 'sum', { pool }),
    isSorted: sorted.every((x, i) => i === 0 || sorted[i - 1] <= x),
    values: await parallelMap(['a', 'b'], twice, { pool, graceMs: 60_000 }),
    inline: inline
      ? (await parallelMap(xs, (x) => 2 * x, { pool, graceMs: 60_000 }))[1]
      : await outcomeOf(() => parallelMap(xs, (x) => 2 * x, { pool })),
  };
  await pool.close();
  return results;
}

const workerOf = (file) => () => new Worker(new URL(file, import.meta.url), { type: 'module', name: 'furcate' });

/** How long a call takes to fail, and how. */
async function refusal(options) {
  const { ForkJoinPool } = await library();
  const pool = new ForkJoinPool({ parallelism: 2, ...options });
  const startMs = performance.now();
  const error = await outcomeOf(() => pool.ready());
  return { error, isPrompt: performance.now() - startMs < 5_000 };
}

/** What the doctor says: what it found for each check that is no `yes`, and whether calls run on threads. */
async function examined(pool = {}) {
  const { doctor } = await import('/dist/doctor.js');
  const { ok, checks, roundTripUs } = await doctor({ pool });
  const wanting = checks.filter(({ verdict }) => verdict !== 'yes');
  const lines = wanting.map(({ name, verdict, finding, advice }) => [name, `${verdict}: ${finding} ${advice}`]);
  return { ok, isMeasured: roundTripUs > 0, ...Object.fromEntries(lines) };
}

export const scenarios = {
  doctor: () => examined(),
  doctorWithFile: () => examined({ createWorker: workerOf('complete-worker.mjs') }),
  /** May a page compile WebAssembly, and what do the operations that have kernels of it give? */
  async kernels() {
    const { parallelReduce, parallelScan, parallelSort, sharedArray } = await library();
    const xs = sharedArray(
      Float64Array,
      Array.from({ length: 300_000 }, (_, i) => Math.sin(i)),
    );
    let isWasm = true;
    try {
      new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    } catch {
      isWasm = false;
    }
    const sum = await parallelReduce(xs, 'sum');
    const scanned = await parallelScan(xs, 'sum');
    await parallelSort(xs);
    return { isWasm, results: [sum, scanned.at(-1), xs[1000]] };
  },
  everything: () => everything(),
  withoutInline: () => everything({}, { inline: false }),
  createWorker: () => everything({ createWorker: workerOf('library-worker.mjs') }),
  createCompleteWorker: () => everything({ createWorker: workerOf('complete-worker.mjs') }, { inline: false }),
  workerUrl: () => everything({ browser: { workerUrl: '/dist/worker.js' } }),
  completeWorkerUrl: () => everything({ browser: { workerUrl: '/dist/completeWorker.js' } }, { inline: false }),
  async withoutWaitAsync() {
    delete Atomics.waitAsync;
    return everything({ createWorker: workerOf('late-worker.mjs') });
  },
  /** Calls with plain values until one succeeds. */
  async fetchesLater() {
    const { ForkJoinPool, parallelMap } = await library();
    const { twice } = await tasks();
    const pool = new ForkJoinPool({ parallelism: 2 });
    const outcomes = [];
    while (typeof outcomes.at(-1) !== 'object' && outcomes.length < 10)
      outcomes.push(await outcomeOf(() => parallelMap(['a', 'b'], twice, { pool, graceMs: 60_000 })));
    return outcomes;
  },
  refused: () => refusal({}),
  missing: () => refusal({ createWorker: () => new Worker('/nowhere.mjs', { type: 'module' }) }),
  async alone() {
    const warnings = [];
    const { warn } = console;
    console.warn = (text) => warnings.push(text);
    const results = await everything();
    await everything();
    console.warn = warn;
    return { results, warnings };
  },
  async mustNotBlock() {
    const { ForkJoinPool, parallelReduceSync } = await library();
    const { sum } = await tasks();
    const pool = new ForkJoinPool({ parallelism: 2 });
    return [
      await outcomeOf(() => pool.invokeSync(sum, 3)),
      await outcomeOf(() => parallelReduceSync(Float64Array.of(1), 'sum', { pool })),
    ];
  },
  /** Under the name of a worker's scenario, `inWorker` runs it in a dedicated worker. */
  async inWorker() {
    const worker = new Worker(new URL('caller-worker.mjs', import.meta.url), { type: 'module', name: 'caller' });
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  },
  async closes() {
    const { ForkJoinPool } = await library();
    const { closes, sum } = await tasks();
    const pool = new ForkJoinPool({ parallelism: 1, name: 'closing' });
    const lost = await outcomeOf(() => pool.invoke(closes));
    return { lost, next: await pool.invoke(sum, 3) };
  },
  /** An array for which there is no room. */
  async lacksRoom() {
    const { ForkJoinPool } = await library();
    const { fills, sum } = await tasks();
    const pool = new ForkJoinPool({ parallelism: 1 });
    const lost = await outcomeOf(() => pool.invoke(fills, 2 ** 45));
    return { lost, next: await pool.invoke(sum, 3) };
  },
  /** Objects for which there is no room: nothing that the page waits for comes. */
  async lacksRoomForObjects() {
    const { ForkJoinPool } = await library();
    const { hoards } = await tasks();
    fetch('/alive').catch(() => {});
    return outcomeOf(() => new ForkJoinPool({ parallelism: 1 }).invoke(hoards));
  },
  async terminates() {
    const { ForkJoinPool, sharedArray, task } = await library();
    const { counts } = await tasks();
    const words = sharedArray(Int32Array, 1);
    const pool = new ForkJoinPool({ parallelism: 1 });
    const lost = outcomeOf(() => pool.invoke(task(counts, words, 20_000)));
    while (Atomics.load(words, 0) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await pool.terminate();
    const seen = Atomics.load(words, 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { lost: await lost, wentOn: Atomics.load(words, 0) - seen };
  },
  async bareNames() {
    const { ForkJoinPool, forkable } = await library();
    const one = forkable(new URL('bare-names.mjs', import.meta.url).href, 'one', () => 1);
    const pool = new ForkJoinPool({ parallelism: 1 });
    return outcomeOf(() => pool.invoke(one));
  },
  /** How deep tasks nest in a worker, and what a task gets that goes too deep. */
  async depth() {
    const { ForkJoinPool } = await library();
    const { down } = await tasks();
    const pool = new ForkJoinPool({ parallelism: 1 });
    const reaches = (n) =>
      pool.invoke(down, n).then(
        (got) => got === n,
        () => false,
      );
    let deepest = 0;
    for (let step = 2 ** 16; step >= 64; step /= 2) if (await reaches(deepest + step)) deepest += step;
    const error = await outcomeOf(() => pool.invoke(down, 1_000_000));
    const after = await pool.invoke(down, 100);
    await pool.close();
    return { deepest, error, after };
  },
  /** Has used a pool in all ways, and waits for what comes next. The pool stays open. */
  async rests() {
    const { ForkJoinPool, parallelReduce } = await library();
    const { Fib, waits } = await tasks();
    const pool = new ForkJoinPool({ parallelism: 2 });
    const xs = Float64Array.from({ length: 1_000_000 }, (_, i) => i);
    await Promise.all([pool.invoke(new Fib(20)), pool.invoke(waits, 5), parallelReduce(xs, 'sum', { pool })]);
    return (await locksHeld()).length;
  },
  /** As if the workers of a pool looked for work every millisecond. */
  async restsBadly() {
    const text = 'for (const word = new Int32Array(new SharedArrayBuffer(4)); ; ) Atomics.wait(word, 0, 0, 1);';
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    for (let k = 0; k < 2; k++) new Worker(url);
    return 2;
  },
  /** Leaves workers behind, one of which computes, for the next page to look for. */
  async leavesWorkers() {
    const { ForkJoinPool, sharedArray, task } = await library();
    const { counts } = await tasks();
    const words = sharedArray(Int32Array, 1);
    const pool = new ForkJoinPool({ parallelism: 2 });
    await pool.ready();
    pool.invoke(task(counts, words, 600_000)).catch(() => {});
    while (Atomics.load(words, 0) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return (await locksHeld()).length;
  },
  async nothingIsLeft() {
    for (let left = 100; left > 0; left--) {
      if ((await locksHeld()).length === 0) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return locksHeld();
  },
};

async function locksHeld() {
  const { held } = await navigator.locks.query();
  return held.map(({ name }) => name).filter((name) => name.startsWith('furcate '));
}

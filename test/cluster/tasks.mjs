/** What the hosts of the cluster's tests know. */
import { asyncForkable, forkable, parallelReduce, RecursiveTask } from 'furcate';
import { hostFunction } from 'furcate/cluster';

export class Sum extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Sum');
  }
  constructor(lo, hi) {
    super();
    this.lo = lo;
    this.hi = hi;
  }
  compute() {
    if (this.hi - this.lo < 1000) {
      let sum = 0;
      for (let i = this.lo; i < this.hi; i++) sum += 1 / (i + 1);
      return sum;
    }
    const middle = (this.lo + this.hi) >>> 1;
    const left = new Sum(this.lo, middle).fork();
    const right = new Sum(middle, this.hi).compute();
    return left.join() + right;
  }
}

export const square = forkable(import.meta.url, 'square', (x) => x * x);

export const later = asyncForkable(import.meta.url, 'later', async (_scope, x, ms) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return x;
});

/** Says which host has run it. */
export const where = hostFunction(import.meta.url, 'where', async (ms, { host, signal }) => {
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return host;
});

export const fails = hostFunction(import.meta.url, 'fails', (text) => {
  throw new RangeError(text);
});

export const sumOf = hostFunction(import.meta.url, 'sumOf', (n, { pool }) =>
  parallelReduce(
    Float64Array.from({ length: n }, (_, i) => 1 / (i + 1)),
    'sum',
    { pool },
  ),
);

/** Resolves when jobs of as many hosts have begun; the folder is where they tell. */
export const meet = hostFunction(import.meta.url, 'meet', async ([folder, hosts], { host, signal }) => {
  const { mkdirSync, readdirSync, watch } = await import('node:fs');
  const watching = watch(folder);
  mkdirSync(`${folder}/${host}`, { recursive: true });
  while (readdirSync(folder).length < hosts && !signal.aborted)
    await new Promise((resolve) => {
      watching.once('change', resolve);
      signal.addEventListener('abort', resolve, { once: true });
    });
  watching.close();
  return host;
});

/** Tells that it has begun, and runs until it is aborted; then it tells that, too. */
export const runsUntilAborted = hostFunction(import.meta.url, 'runsUntilAborted', async (folder, { signal }) => {
  const { mkdtempSync } = await import('node:fs');
  mkdtempSync(`${folder}/begun-`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  mkdtempSync(`${folder}/aborted-`);
});

/** Counts its runs in the folder. */
export const counted = hostFunction(import.meta.url, 'counted', async ([folder, k]) => {
  const { mkdtempSync } = await import('node:fs');
  mkdtempSync(`${folder}/${k}-`);
  return k * k;
});

/** As `counted`, and takes a while. */
export const countedSlowly = hostFunction(import.meta.url, 'countedSlowly', async ([folder, k]) => {
  const { mkdtempSync } = await import('node:fs');
  mkdtempSync(`${folder}/${k}-`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  return k * k;
});

export const fraction = hostFunction(import.meta.url, 'fraction', (k) => 1 / (k + 1));
export const itself = hostFunction(import.meta.url, 'itself', (value) => value);
export const textOf = forkable(import.meta.url, 'textOf', (length) => 'x'.repeat(length));

/** Counts its runs in the folder, and ends when the folder has an entry `open`. */
export const gated = hostFunction(import.meta.url, 'gated', async ([folder, k], { host, signal }) => {
  const { existsSync, mkdtempSync, watch } = await import('node:fs');
  const watching = watch(folder);
  mkdtempSync(`${folder}/${k}-`);
  while (!existsSync(`${folder}/open`) && !signal.aborted)
    await new Promise((resolve) => {
      watching.once('change', resolve);
      signal.addEventListener('abort', resolve, { once: true });
    });
  watching.close();
  return [k, host];
});

/** Kills its host. */
export const kills = hostFunction(import.meta.url, 'kills', () => process.kill(process.pid, 'SIGKILL'));

/** Ends the worker that runs it, and counts its runs in the folder. */
export const endsWorker = forkable(import.meta.url, 'endsWorker', (folder) => {
  process.getBuiltinModule('node:fs').mkdtempSync(`${folder}/run-`);
  process.exit(1);
});

/** Blocks the main thread of its host, and counts its runs in the folder. */
export const blocks = hostFunction(import.meta.url, 'blocks', async ([folder, ms]) => {
  const { mkdtempSync } = await import('node:fs');
  mkdtempSync(`${folder}/run-`);
  sleep(ms);
});

/** A sum that hosts share; each job leaves its mark in the folder. */
export class Fractions extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Fractions');
  }
  constructor(lo, hi, folder) {
    super();
    this.lo = lo;
    this.hi = hi;
    this.folder = folder;
  }
  split() {
    if (this.hi - this.lo < 10) return undefined;
    const middle = (this.lo + this.hi) >>> 1;
    return [new this.constructor(this.lo, middle, ''), new this.constructor(middle, this.hi, '')].map((part) =>
      Object.assign(part, { folder: this.folder }),
    );
  }
  combine([left, right]) {
    return left + right;
  }
  compute() {
    if (this.folder !== '') process.getBuiltinModule('node:fs').mkdirSync(`${this.folder}/${this.lo}-${this.hi}`);
    this.folder = ''; // what is below is no job
    const parts = this.split();
    if (parts !== undefined) return this.combine(parts.map((part) => part.fork()).map((part) => part.join()));
    return this.loop();
  }
  loop() {
    let sum = 0;
    for (let i = this.lo; i < this.hi; i++) sum += 1 / (i + 1);
    return sum;
  }
}

/** Its compute() adds in another order than its combine(). */
export class Careless extends Fractions {
  static {
    this.register(import.meta.url, 'Careless');
  }
  compute() {
    return this.loop();
  }
}

/** Keeps a thread busy, and no core. */
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

export const pause = forkable(import.meta.url, 'pause', (ms) => {
  sleep(ms);
  return ms;
});

const HOT_FROM = 1024;
const HOT_TO = 1088;

/**
 * A sum of which 1/64, a job of 64 numbers, has nearly all of the work: there, each number takes 30 ms until as many hosts have worked on it, and left
 * their marks in the folder. So one host alone would take seconds for it.
 */
export class Uneven extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Uneven');
  }
  constructor(lo, hi, meeting) {
    super();
    this.lo = lo;
    this.hi = hi;
    this.meeting = meeting;
  }
  split() {
    if (this.hi - this.lo <= 1) return undefined;
    const middle = (this.lo + this.hi) >>> 1;
    return [new Uneven(this.lo, middle, this.meeting), new Uneven(middle, this.hi, this.meeting)];
  }
  combine([left, right]) {
    return left + right;
  }
  compute() {
    const parts = this.split();
    if (parts !== undefined) return this.combine(parts.map((part) => part.fork()).map((part) => part.join()));
    const { folder, hosts } = this.meeting;
    if (hosts > 0 && this.lo >= HOT_FROM && this.lo < HOT_TO) {
      const { mkdirSync, readdirSync } = process.getBuiltinModule('node:fs');
      mkdirSync(`${folder}/${process.pid}`, { recursive: true });
      if (readdirSync(folder).length < hosts) sleep(30);
    }
    return 1 / (this.lo + 1);
  }
}

const TOTAL_MS = 10_000;

/** Waits for 10 s in all, of which one job of 64 has three quarters. */
export class Skewed extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Skewed');
  }
  static NUMBERS = 16_384;
  constructor(lo, hi) {
    super();
    this.lo = lo;
    this.hi = hi;
  }
  split() {
    if (this.hi - this.lo <= 1) return undefined;
    const middle = (this.lo + this.hi) >>> 1;
    return [new Skewed(this.lo, middle), new Skewed(middle, this.hi)];
  }
  combine([left, right]) {
    return left + right;
  }
  compute() {
    const parts = this.split();
    if (parts !== undefined) return this.combine(parts.map((part) => part.fork()).map((part) => part.join()));
    const ofJob = Skewed.NUMBERS / 64;
    const isHot = this.lo >>> 8 === 5;
    if (isHot) sleep((0.75 * TOTAL_MS) / ofJob);
    else if (this.lo % ofJob === 0) sleep((0.25 * TOTAL_MS) / 63);
    return 1 / (this.lo + 1);
  }
}

/** Goes on for ever, whatever becomes of its call. */
export const deaf = hostFunction(import.meta.url, 'deaf', async (folder) => {
  const { mkdtempSync } = await import('node:fs');
  mkdtempSync(`${folder}/deaf-`);
  return new Promise(() => {});
});

/** As `deaf`, in the pool: it keeps its thread. */
export const spins = forkable(import.meta.url, 'spins', (folder) => {
  process.getBuiltinModule('node:fs').mkdtempSync(`${folder}/deaf-`);
  for (;;);
});

/** A list: one number, and the rest. */
export class Chain extends RecursiveTask {
  static {
    this.register(import.meta.url, 'Chain');
  }
  constructor(lo, hi) {
    super();
    this.lo = lo;
    this.hi = hi;
  }
  split() {
    return this.hi - this.lo <= 1 ? undefined : [new Chain(this.lo, this.lo + 1), new Chain(this.lo + 1, this.hi)];
  }
  combine([first, rest]) {
    return first + rest;
  }
  compute() {
    let sum = 0;
    for (let n = this.lo; n < this.hi; n++) sum += n;
    return sum;
  }
}

/** Takes from the main thread of its host what it reads from the server: its reader gets nothing more, and its connection stays up. */
export const deafens = hostFunction(import.meta.url, 'deafens', () => {
  for (const socket of process._getActiveHandles())
    if (socket.remotePort !== undefined) socket.removeAllListeners('data');
});

/** Warns as Node does, and throws where nobody can catch it. */
export const throwsLater = hostFunction(import.meta.url, 'throwsLater', (text) => {
  process.emitWarning(text);
  setTimeout(() => {
    throw new RangeError(text);
  }, 10);
});

/** What its process holds once all garbage is collected; writes a heap snapshot, where a file is named. */
export const memory = hostFunction(import.meta.url, 'memory', async (file) => {
  const { setFlagsFromString, writeHeapSnapshot } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  for (let turn = 0; turn < 5; turn++) {
    runInNewContext('gc')();
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (file !== undefined) writeHeapSnapshot(file);
  return process.memoryUsage();
});

/** How many objects the thread has that runs it. */
export const objects = forkable(import.meta.url, 'objects', () =>
  process.getBuiltinModule('node:v8').queryObjects(Object, { format: 'count' }),
);

/** Throws what cannot be read, or returns it. */
export const unreadable = hostFunction(import.meta.url, 'unreadable', (kind) => {
  const refuse = () => {
    throw new RangeError('this is not to be read');
  };
  const values = {
    'throws a proxy': new Proxy(new Error('no'), { get: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
    'throws an accessor': Object.defineProperty({}, 'message', { get: refuse, enumerable: true }),
    'returns an accessor': Object.defineProperty({}, 'value', { get: refuse, enumerable: true }),
    'returns a proxy': new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
  };
  if (kind.startsWith('throws')) throw values[kind];
  return [values[kind]];
});

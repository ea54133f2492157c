// Times, in a fresh process, a new pool until its first result. Prints milliseconds as JSON.
const importStartMs = performance.now();
const { ForkJoinPool } = await import('furcate');
const importMs = performance.now() - importStartMs;
const { Next } = await import('../tasks/next.mjs');

const startMs = performance.now();
const pool = new ForkJoinPool({ parallelism: 2 });
const answer = await pool.invoke(new Next(1));
const firstResultMs = performance.now() - startMs;
console.log(JSON.stringify({ ms: firstResultMs, importMs, answer }));

// A fresh process: how long the import of the library takes.
const startMs = performance.now();
const { isShared } = await import('furcate');
const ms = performance.now() - startMs;
console.log(JSON.stringify({ ms, answer: Number(isShared(new Float64Array(1))) }));

// Times the import of the library, in a fresh process.
const startMs = performance.now();
const { isShared } = await import('furcate');
const ms = performance.now() - startMs;
console.log(JSON.stringify({ ms, answer: Number(isShared(new Float64Array(1))) }));

// An engine without waitAsync. The file awaits before it imports the library: the first message comes too soon.
delete Atomics.waitAsync;
await import('/dist/worker.js');
await import('./tasks.mjs');

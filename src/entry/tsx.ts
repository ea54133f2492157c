/**
 * A preload module for workers that import TypeScript: registers the tsx loader, for `import` and for `require`, in the
 * thread that imports it.
 * Runs in workers, through `new ForkJoinPool({ preload: ['furcate/tsx'] })`. Node does not apply the loaders of
 * `--import` to worker threads, so each worker registers its own. Bun and Deno run TypeScript as it is: nothing to do.
 */

async function registerTsx(): Promise<void> {
  const globals = globalThis as { Bun?: unknown; Deno?: unknown };
  if (globals.Bun !== undefined || globals.Deno !== undefined) return;
  // import(), not require(): from its CommonJS build tsx 4.23 registers a file that does not exist.
  const apis = await Promise.all([import('tsx/cjs/api'), import('tsx/esm/api')]).catch((cause: Error) => {
    if (!cause.message.includes("package 'tsx'")) throw cause;
    throw new Error(
      "furcate/tsx: the package 'tsx' is not installed, and it is what runs TypeScript in the workers. " +
        'Install it (npm install --save-dev tsx), or leave furcate/tsx out of `preload` ' +
        'where Node 22.18 or later runs your TypeScript as it is.',
      { cause },
    );
  });
  for (const { register } of apis) register();
}

await registerTsx();

export {};

/** A garbage collection at once, for when memory that engines do not count is used up. */

let collector: (() => void) | undefined;

/** Node has a function for it in contexts that are made once a flag of V8 is set; Bun always has one. @throws where the runtime does not offer it */
function findCollector(): () => void {
  const { Bun } = globalThis as { readonly Bun?: { gc(isSynchronous: boolean): void } };
  if (Bun !== undefined) return () => Bun.gc(true);
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  return process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void;
}

export function collectGarbage(): void {
  try {
    collector ??= findCollector();
  } catch {
    collector = () => {};
  }
  collector();
}

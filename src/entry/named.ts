/**
 * Gives users what they name of an entry of the package, with the parts that it needs. All functions here are marked as pure where they
 * are called, so that a bundle holds the parts of what its program names, and no others.
 */
import type { PartExports } from '../core/library/parts.js';
import type { PartSupplier, PartSuppliers } from './parts.js';
import { type Runtime, runtime } from './runtime.js';

/** A family of functions, and the parts that it needs: its kernels are among them. */
export interface FamilySource {
  readonly source: PartSupplier;
  readonly needs: PartSuppliers;
  /**
   * Fetches the parts that only its calls with plain values need: a bundle may have them in a file of their own.
   *
   * @param again the exports of that file, if it was imported in another way
   */
  readonly forValues?: (again?: object) => PartSuppliers | Promise<PartSuppliers>;
}

function provideAll(parts: PartSuppliers): void {
  for (const [part, source] of Object.entries(parts)) runtime.provide(part, source);
}

/** The functions of a family, each of which loads the family when it is first called. */
export function family(
  name: string,
  { source, needs, forValues }: FamilySource,
): (algorithm: string) => (...args: never[]) => unknown {
  provideAll(needs);
  runtime.provide(name, source, Object.keys(needs));
  if (forValues !== undefined) {
    runtime.defer('values', (again) => {
      const parts = forValues(again);
      return parts instanceof Promise ? parts.then(provideAll) : provideAll(parts);
    });
  }
  return (algorithm) => runtime.algorithm(name, algorithm);
}

/** Returns what a part exports under a name; the part is evaluated at once. */
export function exportOf(part: string, source: PartSupplier, name: string): PartExports[string] {
  runtime.provide(part, source);
  return runtime.exportsOf(part)[name];
}

/**
 * Returns what the core exports under that name, for programs that may get further parts later: a bundle has them in files of
 * their own.
 */
export function getting<Name extends keyof Runtime['core']>(
  name: Name,
  parts: Readonly<Record<string, (() => PartSupplier | Promise<PartSupplier>) | undefined>>,
): Runtime['core'][Name] {
  for (const [part, get] of Object.entries(parts)) {
    if (get === undefined) continue;
    runtime.defer(part, () => {
      const got = get();
      return got instanceof Promise ? got.then((source) => runtime.provide(part, source)) : runtime.provide(part, got);
    });
  }
  return runtime.core[name];
}

/** Returns what the core exports under that name, for programs whose tasks need further parts. */
export function needing<Name extends keyof Runtime['core']>(name: Name, parts: PartSuppliers): Runtime['core'][Name] {
  provideAll(parts);
  return runtime.core[name];
}

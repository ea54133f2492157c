/**
 * The steps of the protocol at which a worker can be killed (src/core/probe.ts). In a build of its own, each calls
 * `globalThis.furcateStep?.(name)`; test/fixtures/fault-preload.mjs decides who dies where.
 */
import type { Change } from '../../scripts/build.js';

export { STEPS } from '../../src/core/probe.js';

/** What a build with hooks changes in the sources. */
export const FAULT_CHANGES: readonly Change[] = [
  {
    file: 'src/core/probe.ts',
    find: 'export function probeStep(_name: Step): void {}',
    replace:
      'export function probeStep(name: Step): void {\n  (globalThis as { furcateStep?(name: Step): void }).furcateStep?.(name);\n}',
  },
];

/**
 * The steps of the protocol at which a worker can be killed (src/core/probe.ts). In a build of its own, each calls
 * `globalThis.furcateStep?.(name)`; test/fixtures/fault-preload.mjs decides who dies where.
 */
import { begin, type Change } from '../../scripts/changes/index.js';

export { STEPS } from '../../src/core/probe.js';

/** What a build with hooks changes in the sources. */
export const FAULT_CHANGES: readonly Change[] = [
  begin('src/core/probe.ts', 'probeStep', '(globalThis as { furcateStep?(name: Step): void }).furcateStep?.($1);'),
];

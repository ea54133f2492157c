/** The workloads as programs that run in processes of their own. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAMS = join(ROOT, '.build/workloads');

/** Where a program of this folder is, once it is built. */
export const programOf = (name: string): string => join(PROGRAMS, 'workloads', name);

export async function buildPrograms(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['benchmarks/workloads/**/*.ts', 'benchmarks/harness/*.ts'],
    outdir: PROGRAMS,
    outbase: 'benchmarks',
    format: 'esm',
    target: 'node20',
  });
}

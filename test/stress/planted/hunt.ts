/** Plants a bug, and has its generator look for it, in a process of its own. */
import { spawn } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureVariant } from '../../../scripts/build.js';
import { ROOT } from '../../helpers/project-files.js';
import type { PlantedBug } from './bug.js';

/**
 * What hangs because of a bug that lets things hang is named after this time (ms), so such a hunt need not wait for as long as a busy machine may take. What
 * other bugs do is told by what they change: on a busy machine, runs that are only slow take as long.
 */
const HANG_MS = 8_000;

/** More runs than any hunt has time for, in units of ten seconds. */
const ENDLESS = 1000;

export interface Hunt {
  readonly seed: number;
  readonly boundMs: number;
}

export interface Trophy {
  readonly isFound: boolean;
  /** Runs of the generator until the bug was found; 0 if the process ended at once. */
  readonly runs: number;
  readonly ms: number;
  /** What the generator said. */
  readonly output: string;
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);

/**
 * A copy of the tests, for which `furcate` is the build with the bug, on all threads. Two builds in one thread do not fit together: parts
 * export what other parts need under keys of one build.
 */
async function projectWith({ name, changes }: PlantedBug): Promise<string> {
  const build = dirname(await ensureVariant(`planted-${slugOf(name)}`, changes));
  const project = `${build}-project`;
  rmSync(project, { recursive: true, force: true });
  for (const folder of ['src', 'test', 'scripts'])
    cpSync(join(ROOT, folder), join(project, folder), { recursive: true });
  cpSync(build, join(project, 'dist'), { recursive: true });
  const manifest = {
    name: 'furcate',
    type: 'module',
    exports: { '.': './dist/index.js', './flows': './dist/flows.js' },
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  return project;
}

export async function hunt(bug: PlantedBug, { seed, boundMs }: Hunt): Promise<Trophy> {
  const project = await projectWith(bug);
  const startMs = performance.now();
  const run = join(project, 'test/stress/run.ts');
  const args = ['--import', 'tsx', run, bug.caughtBy, String(seed), String(ENDLESS)];
  const env = { ...process.env, ...(bug.hangs && { FURCATE_HANG_MS: String(HANG_MS) }) };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const bound = setTimeout(() => child.kill('SIGKILL'), boundMs);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(bound);
  const runs = Number(/Property failed after (\d+) tests/.exec(output)?.[1] ?? 0);
  return { isFound: code === 1 && runs > 0, runs, ms: performance.now() - startMs, output };
}

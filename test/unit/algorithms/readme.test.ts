/** The algorithm in src/algorithms/README.md, which is built from the door of the core alone. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { free, sharedArray } from '../../../src/core/memory/shared-array.js';
import { registerHost } from '../../../src/core/platform/host.js';
import { detectNode } from '../../../src/core/platform/node.js';
import { SequentialExecutor } from '../../../src/core/pool/sequential-executor.js';
import { ROOT } from '../../helpers/project-files.js';
import '../../../src/core/worker/scheduler.js';

registerHost(detectNode);

type Count = (xs: Float64Array, test: (x: number) => boolean, call: object) => Promise<number>;

test('the algorithm of the README counts, and refuses what cannot travel', async () => {
  const [, code = ''] =
    /```\n(import [\s\S]*?)```/.exec(readFileSync(join(ROOT, 'src/algorithms/README.md'), 'utf8')) ?? [];
  const folder = join(ROOT, '.build');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'readme-algorithm.ts');
  writeFileSync(path, code.replaceAll("'../core/", "'../src/core/"));
  const { parallelCount } = (await import(path)) as { parallelCount: Count };
  const pool = new SequentialExecutor();
  const xs = sharedArray(Float64Array, 100_000).map((_, i) => i % 10);
  const shared = sharedArray(Float64Array, xs);
  expect(await parallelCount(shared, (x) => x < 3, { pool })).toBe(30_000);
  const least = 3;
  await expect(parallelCount(shared, (x) => x < least, { pool })).rejects.toThrow(/least/);
  await expect(parallelCount(shared, (x) => x < 3, { pool, signal: AbortSignal.abort() })).rejects.toThrow(/aborted/);
  free(shared);
});

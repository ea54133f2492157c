/** What a program shows that does not handle an error of the library. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { runNodeIn } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

const folder = mkdtempSync(join(ROOT, '.build/uncaught-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => void (await ensureBuild()));

test.each([
  ['of the core', 'ForkJoinPool', 'new ForkJoinPool({ size: 2 })', /no option 'size'/],
  ['of a part', 'parallelReduceByKey', 'await parallelReduceByKey([], [])', /keys must be/],
])('an error %s shows the statement that has thrown it, and not the whole file', async (_, name, call, message) => {
  for (const [file, load] of [
    ['program.mjs', `import { ${name} } from 'furcate';`],
    ['program.cjs', `const { ${name} } = require('furcate');`],
  ] as const) {
    writeFileSync(join(folder, file), `${load}\n(async () => { ${call}; })();`);
    const { code, stderr } = await runNodeIn(folder, file);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.length).toBeLessThan(5000);
  }
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as furcate from 'furcate';
import * as furcateDoctor from 'furcate/doctor';
import * as furcateFlows from 'furcate/flows';
import * as furcateInsight from 'furcate/insight';
import { beforeAll, describe, expect, test } from 'vitest';
import { docstringExamplesOf, type Example, runExamples, withImports } from '../helpers/examples.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { projectFiles, ROOT } from '../helpers/project-files.js';

const DATA = 'example-data.mjs';
const TASKS = 'example-tasks.mjs';

const exportsOf = (fixture: string): string[] =>
  [...readFileSync(join(ROOT, 'test/fixtures', fixture), 'utf8').matchAll(/^export (?:const|class) (\w+)/gm)].map(
    ([, name = '']) => name,
  );

const [data, tasks] = [exportsOf(DATA), exportsOf(TASKS)];

/** Adds the imports. Examples change their data, so each gets its own copy of the data module. */
const complete = (example: Example, k: number): Example =>
  withImports(
    example,
    new Map([
      ['furcate', Object.keys(furcate)],
      ['furcate/doctor', Object.keys(furcateDoctor)],
      ['furcate/flows', Object.keys(furcateFlows)],
      ['furcate/insight', Object.keys(furcateInsight)],
      [`./${TASKS}`, tasks],
      [`./${DATA}?of=${k}`, data],
    ]),
  );

const examples = projectFiles()
  .filter(({ path }) => /^src\/.*\.ts$/.test(path))
  .flatMap(docstringExamplesOf);

const run = (some: readonly Example[]): Promise<(string | null)[]> => runExamples(some.map(complete), [DATA, TASKS]);

describe('examples in docstrings', () => {
  let outcomes: (string | null)[];

  beforeAll(async () => {
    outcomes = await run(examples);
  }, LONG_TEST_HANG_MS);

  test.each(examples.map(({ place }, k) => [place, k] as const))(
    'the example at %s runs and gives the results that it shows',
    (_, k) => {
      expect(outcomes[k]).toBeNull();
    },
  );

  test('every algorithm has an example', () => {
    const text = examples.map((example) => example.text).join('\n');
    const algorithms = Object.keys(furcate).filter((name) => name.startsWith('parallel'));
    expect(algorithms.filter((name) => !new RegExp(`\\b${name}\\(`).test(text))).toEqual([]);
  });

  test('an example that uses an undefined name fails', async () => {
    const [outcome] = await run([{ place: 'src/x.ts:1', file: 'x.mjs', text: 'parallelSort(zs);' }]);
    expect(outcome).toContain('zs is not defined');
  });

  test('an example that shows a wrong result fails', async () => {
    const text = "await parallelReduce(ys, 'sum'); // => 19";
    expect((await run([{ place: 'src/x.ts:1', file: 'x.mjs', text }]))[0]).toContain('shows 19, but it is 18');
  });
});

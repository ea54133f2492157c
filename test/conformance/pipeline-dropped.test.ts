/** Pipelines that are made and never run. */
import { expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';

/** A program that makes pipelines, and collects garbage until a warning has come, or some rounds are over. */
const program = (made: string): string => `
  import { pipeline } from 'furcate/flows';
  (() => { ${made} })();
  for (let k = 0; k < 20; k++) {
    gc();
    await new Promise((done) => setImmediate(done));
  }`;

const warningsOf = async (made: string, ...flags: readonly string[]): Promise<string[]> => {
  const { stderr } = await runNode('--expose-gc', ...flags, '--input-type=module', '-e', program(made));
  return stderr.split('\n').filter((line) => line !== '');
};

test('a pipeline that is dropped without a run is told of once, with its line', async () => {
  const warnings = await warningsOf('pipeline([1]).map((x) => x).take(1); pipeline([2]).map((x) => x);');
  expect(warnings).toEqual([
    expect.stringMatching(/^furcate: a pipeline was dropped that has never run.* It was made at .*\[eval1\]:3:\d+/),
  ]);
});

test('a pipeline that has run, or of which another was made that has, is not told of', async () => {
  expect(await warningsOf('void pipeline([1], { ordered: false }).map((x) => x).toArray().catch(() => {});')).toEqual(
    [],
  );
});

test('nobody is told in production', async () => {
  const setting = `process.env.NODE_ENV = 'production';`;
  expect(await warningsOf('pipeline([1]).map((x) => x);', '--import', `data:text/javascript,${setting}`)).toEqual([]);
});

/**
 * Tests what the compiler says of common mistakes: its message is the first that a user reads. Where several signatures fit, the compiler may blame the
 * wrong one, or begin with "No overload matches this call".
 */
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

const USER = join(ROOT, 'test/package/fixtures/mistakes.mts');

const BEFORE = `
import {
  asyncForkable, ForkJoinPool, fork, forkable, parallelFilter, parallelFor, parallelForEach, parallelMap, parallelReduce, parallelArgsort, parallelSort, RecursiveTask,
  type Scope, sharedArray, task,
} from 'furcate';
import { pipeline, taskGraph } from 'furcate/flows';
const pool = new ForkJoinPool();
const xs = sharedArray(Float64Array, 10);
const people = [{ name: 'Ada', age: 36 }];
const plain = (a: number, b: number) => a + b;
const add = forkable('file:///tasks.mjs', 'add', plain);
const load = asyncForkable('file:///tasks.mjs', 'load', async (_scope: Scope, url: string) => url.length);
`;

const PROMISE = '"furcate: this runs synchronously, so nothing would await the promise that it returns"';

/** Mistakes, and the first line of what the compiler says of each. */
const MISTAKES: Readonly<Record<string, readonly [mistake: string, message: string]>> = {
  'a missing argument': ['pool.invoke(add, 1)', 'Expected 3 arguments, but got 2.'],
  'a missing argument of a function that awaits': ['pool.invoke(load)', 'Expected 2 arguments, but got 1.'],
  'an argument of a wrong type': [
    "pool.invoke(add, 1, '2')",
    "Argument of type 'string' is not assignable to parameter of type 'number'.",
  ],
  'a misspelt option of an invocation': [
    'pool.invoke(task(add, 1, 2), { timeout: 5 })',
    "Object literal may only specify known properties, but 'timeout' does not exist in type 'InvokeOptions'. Did you mean to write 'timeoutMs'?",
  ],
  'a misspelt option of a loop': [
    'parallelMap(xs, (x) => 2 * x, { thresold: 2 })',
    "Object literal may only specify known properties, but 'thresold' does not exist in type 'MapOptions<Float64Array<ArrayBufferLike>, undefined>'. Did you mean to write 'threshold'?",
  ],
  'a misspelt option of a sort': [
    'parallelSort(xs, { signl: undefined })',
    "Object literal may only specify known properties, and 'signl' does not exist in type 'AlgorithmOptions<undefined> | Comparator<Float64Array<ArrayBufferLike>, undefined>'.",
  ],
  'a misspelt option of an argsort': [
    'parallelArgsort(xs, { signl: undefined })',
    "Object literal may only specify known properties, and 'signl' does not exist in type 'AlgorithmOptions<undefined> | Comparator<Float64Array<ArrayBufferLike>, undefined>'.",
  ],
  'a misspelt option of a pipeline': [
    'pipeline([1], { inFlihgt: 32 })',
    "Object literal may only specify known properties, but 'inFlihgt' does not exist in type 'PipelineOptions'. Did you mean to write 'inFlight'?",
  ],
  'a misspelt option of a stage': [
    'pipeline([1]).map((x) => x, { concurency: 2 })',
    "Object literal may only specify known properties, but 'concurency' does not exist in type 'StageOptions<undefined, number>'. Did you mean to write 'concurrency'?",
  ],
  'an option of a wrong type': [
    'pool.with({ signal: 42 })',
    "Type 'number' is not assignable to type 'AbortSignalLike'.",
  ],
  'an option of a wrong type in a pipeline': [
    'pipeline([1], { signal: 42 })',
    "Type 'number' is not assignable to type 'AbortSignalLike'.",
  ],
  'a misspelt option of a run': [
    'taskGraph((g) => g.task(() => 1)).with({ stopOnEror: true })',
    "Object literal may only specify known properties, but 'stopOnEror' does not exist in type 'RunOptions'. Did you mean to write 'stopOnError'?",
  ],
  'an asynchronous body': [
    'parallelFor(10, async (i) => { await i; })',
    `Argument of type '(i: number) => Promise<void>' is not assignable to parameter of type '(i: number, context: undefined) => ${PROMISE}'.`,
  ],
  'a result that the array cannot hold': [
    'parallelMap(xs, (x) => String(x))',
    "Type 'string' is not assignable to type 'number'.",
  ],
  'an ordinary array where a typed one is needed': [
    'parallelSort([3, 1, 2])',
    "Argument of type 'number[]' is not assignable to parameter of type 'TypedArray'.",
  ],
  'a context that is not given': [
    'parallelFor(10, (i, { ys }) => { ys[i] = 1; })',
    "Property 'ys' does not exist on type 'undefined'.",
  ],
  'a misspelt property of a value': [
    'parallelMap(people, (person) => person.agee)',
    "Property 'agee' does not exist on type '{ name: string; age: number; }'. Did you mean 'age'?",
  ],
  'a misspelt property of an item': [
    'pipeline(people).map((person) => person.agee)',
    "Property 'agee' does not exist on type '{ name: string; age: number; }'. Did you mean 'age'?",
  ],
  'a function that is not forkable': [
    'fork(plain, 1, 2)',
    "Argument of type '(a: number, b: number) => number' is not assignable to parameter of type 'Forkable<[number, number], number>'.",
  ],
  'the result of a call in the place of the call': [
    'pool.invoke(add(1, 2))',
    "Argument of type 'number' is not assignable to parameter of type 'AnyForkable | AnyTask'.",
  ],
  'a misspelt option of a pool': [
    'new ForkJoinPool({ paralellism: 2 })',
    "Object literal may only specify known properties, but 'paralellism' does not exist in type 'ForkJoinPoolOptions'. Did you mean to write 'parallelism'?",
  ],
  'inputs that a run lacks': [
    'taskGraph<[a: number], number>((g, a) => g.task((x: number) => x, a)).run()',
    'Expected 1 arguments, but got 0.',
  ],
  'inputs that a graph has not': ['taskGraph((g) => g.task(() => 1)).run(1, 2, 3)', 'Expected 0 arguments, but got 3.'],
};

let messages: ReadonlyMap<number, readonly string[]>;
const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  const program = Object.values(MISTAKES).map(([mistake]) => mistake);
  const text = `${BEFORE}export const mistakes = [\n${program.map((each) => `() => ${each},`).join('\n')}\n];\n`;
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) =>
    path === USER ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) : getSourceFile(path, ...rest);
  const compiled = ts.createProgram([USER], options, host);
  const found = new Map<number, string[]>();
  for (const { start, messageText } of compiled.getSemanticDiagnostics(compiled.getSourceFile(USER))) {
    const line = lineOf(text, start ?? 0) - lineOf(BEFORE, BEFORE.length) - 1;
    const [first = ''] = ts.flattenDiagnosticMessageText(messageText, '\n').split('\n');
    found.set(line, [...(found.get(line) ?? []), first]);
  }
  messages = found;
}, LONG_TEST_HANG_MS);

test.each(Object.entries(MISTAKES))('of %s the compiler says what is wrong', (name, [, message]) => {
  expect(messages.get(Object.keys(MISTAKES).indexOf(name))).toEqual([message]);
});

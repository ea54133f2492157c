/** Tests which text each part of the package contains, and when the main thread and workers load it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAMILIES as MODULES } from '../../scripts/parts.js';
import { runNode } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

/** Fragments of messages, each of which is in one part only and survives minification. */
const MARKS = {
  core: ' are loaded into the same thread',
  nodeHost: 'createWorker() must return a Worker of node:worker_threads',
  webHost: 'Does a Content Security Policy forbid workers from blob: URLs?',
  codec: ' bytes are no value of this version of the library',
  algorithms: ' cannot travel to the workers: in strict mode it does not compile',
  stalls: 'the thread used no processor time',
  sort: 'options.ties must return a number',
  values: 'options.into is for typed arrays',
} as const;

const FAMILIES = Object.keys(MODULES);

/** Whether a part holds what two or three families, or plain values, share: their names make its name. */
const isShared = (part: string): boolean =>
  ['values', ...FAMILIES].some((family) => part.startsWith(family) && /^[A-Z]/.test(part.slice(family.length)));

/** Code that notes which parts a program evaluates, by wrapping the class `Script`. */
const SEEN = `
  const seen = [];
  const { Script } = process.getBuiltinModule('node:vm');
  process.getBuiltinModule('node:vm').Script = class extends Script {
    constructor(text, options) {
      super(text, options);
      seen.push(/([\\w]+)\\.js$/.exec(options.filename)?.[1]);
    }
  };
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'furcate-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const textOf = (file: string): string => readFileSync(join(ROOT, 'dist', file), 'utf8');

async function printed(program: string): Promise<unknown> {
  const { code, stdout, stderr } = await runNode('--input-type=module', '-e', program);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('in Node', () => {
  test('importing the package evaluates only the core, and does not load worker_threads', async () => {
    const program = `${SEEN}
      const before = new Set(process.moduleLoadList);
      await import('furcate');
      const loaded = process.moduleLoadList.filter((name) => !before.has(name));
      console.log(JSON.stringify([seen, loaded.filter((name) => /worker/.test(name))]));`;
    expect(await printed(program)).toEqual([['core'], []]);
  });

  test('the first call of a function evaluates its family and the parts that the family needs, and no other family', async () => {
    const program = `${SEEN}
      const { parallelReduceSync, parallelMapSync } = await import('furcate');
      const xs = new Float64Array([1, 2, 3]);
      parallelReduceSync(xs, 'sum');
      parallelReduceSync(xs, 'max');
      const first = [...seen];
      parallelMapSync(xs, (x) => x);
      console.log(JSON.stringify([first, seen]));`;
    const [first, both] = (await printed(program)) as string[][];
    const named = (parts: string[] = []): string[] => parts.filter((part) => !isShared(part));
    expect(named(first)).toEqual(['core', 'reduce', 'algorithms', 'nodeHost']);
    expect(named(both)).toEqual([...named(first), 'elements']);
    for (const part of (both ?? []).filter(isShared)) expect(part).toMatch(/reduce|elements/i);
  });

  test('a call with plain values evaluates the part for them, on the main thread and in workers, and no other call does', async () => {
    const program = `${SEEN}
      const { ForkJoinPool, parallelMap } = await import('furcate');
      const pool = new ForkJoinPool({ parallelism: 1 });
      await parallelMap(new Float64Array([1, 2, 3]), (x) => x, { pool, graceMs: 60_000 });
      const typed = [...seen];
      await parallelMap([1, 2, 3], (x) => x, { pool });
      console.log(JSON.stringify([typed, seen]));
      await pool.close();`;
    const [typed, both] = (await printed(program)) as string[][];
    expect(typed).not.toContain('values');
    expect(both?.slice(typed?.length).filter((part) => !isShared(part))).toEqual(['values']);
  });

  test('a worker evaluates a part at the first task that needs it', async () => {
    const program = `
      import { ForkJoinPool, parallelFor, parallelReduce, sharedArray } from 'furcate';
      const pool = new ForkJoinPool({ parallelism: 1 });
      const parts = sharedArray(Int32Array, 8);
      const inWorker = { pool, context: { parts }, graceMs: 60_000 }; // with a grace, never on the caller
      const note = (i, { parts }) => {
        const runtime = Object.getOwnPropertySymbols(globalThis).find((key) => key.description.startsWith('furcate@'));
        const { Script } = process.getBuiltinModule('node:vm');
        globalThis.seen ??= [];
        if (Script.name === 'Script') {
          process.getBuiltinModule('node:vm').Script = class Seen extends Script {
            constructor(text, options) {
              super(text, options);
              globalThis.seen.push(options.filename);
            }
          };
        }
        parts[i] = globalThis.seen.filter((name) => name.endsWith('.js')).length;
      };
      await parallelFor(1, note, inWorker);
      const first = parts[0];
      await parallelFor(1, note, inWorker);
      const again = parts[0];
      await parallelReduce(new Float64Array(2), (a, b) => { for (const end = Date.now() + 2; Date.now() < end; ); return a + b; }, 0, { pool, graceMs: 60_000 });
      await parallelFor(1, note, inWorker);
      console.log(JSON.stringify([first, again, parts[0]]));
      await pool.close();`;
    const [first, again, last] = (await printed(program)) as number[];
    expect([first, again]).toEqual([0, 0]);
    expect(last).toBeGreaterThan(0); // reduce, and what it shares with other families
  });

  test('an algorithm called inside a task loads its family in the worker', async () => {
    const program = `
      import { ForkJoinPool } from 'furcate';
      const url = ${JSON.stringify(new URL('../fixtures/nested-family.mjs', import.meta.url).href)};
      const { sortInTask } = await import(url);
      const pool = new ForkJoinPool({ parallelism: 1 });
      console.log(JSON.stringify(await pool.invoke(sortInTask, 5)));
      await pool.close();`;
    expect(await printed(program)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('parts', () => {
  test.each(Object.entries(MARKS))('the text of %s occurs in the package once', (part, mark) => {
    const holders = readdirSync(join(ROOT, 'dist')).filter((file) => textOf(file).includes(mark));
    // The cluster, an ordinary module, makes its digests with the codec; parts are texts that are evaluated. Bundles have a file of copies, which imports nothing.
    const copies: Readonly<Record<string, string>> = { codec: 'cluster.js', values: 'forValues.js' };
    expect(holders.filter((file) => file !== copies[part])).toEqual([`${part}.js`]);
  });

  test.each([
    ...['core', 'nodeHost', 'webHost', 'codec', 'algorithms', 'coroutines', 'values', 'filterSearch', 'kernelsSort'],
    ...FAMILIES,
  ])('the text of %s contains no syntax that a bundler would lower', async (part) => {
    const entry = join(ROOT, 'dist', `${part}.js`);
    const options: BuildOptions = { entryPoints: [entry], bundle: true, write: false, format: 'esm', minify: true };
    const codeFor = async (target: string): Promise<string> =>
      (await build({ ...options, target })).outputFiles?.[0]?.text as string;
    expect(await codeFor('es2020')).toBe(await codeFor('esnext'));
    expect(/\b__(?:private|public)\w* ?=/.test(textOf(`${part}.js`))).toBe(false); // such helpers are slow
  });
});

describe('a bundle for browsers', () => {
  const textOfBundle = async (contents: string, options: BuildOptions = {}): Promise<string> => {
    const stdin = { contents, resolveDir: ROOT };
    const made = await build({ stdin, bundle: true, write: false, format: 'esm', platform: 'browser', ...options });
    return made.outputFiles?.[0]?.text as string;
  };

  test('of a program with tasks only contains only the core, the host of browsers and the codec', async () => {
    const text = await textOfBundle("export { ForkJoinPool, RecursiveTask, forkable } from 'furcate';");
    expect(text).toContain(MARKS.core);
    for (const part of ['Core', 'WebHost', 'Codec']) expect(text).toContain(`furcate${part}`);
    expect(text).not.toContain(MARKS.nodeHost);
    for (const part of ['NodeHost', 'Coroutines', 'Algorithms', 'Kernels', 'Sort', 'Loops', 'Reduce'])
      expect(text).not.toContain(`furcate${part}`);
  });

  test('runs outside Node up to the first call that needs a host', async () => {
    const text = await textOfBundle("export { ForkJoinPool } from 'furcate';", {
      format: 'iife',
      globalName: 'furcate',
    });
    const program = `${text}; new furcate.ForkJoinPool();`;
    expect(() => runInNewContext(program, { performance })).toThrow(
      'furcate: this JavaScript runtime is not supported',
    );
  });

  test.each([
    ['parallelSort', 'Sort', ['Algorithms', 'KernelsSort']],
    ['parallelReduce', 'Reduce', ['Algorithms', 'KernelsReduce']],
    ['parallelFor', 'ForLoops', ['Algorithms']],
  ])('of %s contains only its family and what this family needs', async (name, own, needed) => {
    const text = await textOfBundle(`export { ${name} } from 'furcate';`);
    const held = [...text.matchAll(/^function furcate(\w+)\(/gm)].map((match) => match[1] as string);
    const shared = held.filter((part) => isShared((part[0] as string).toLowerCase() + part.slice(1)));
    expect(held.filter((part) => !shared.includes(part)).sort()).toEqual(
      [...needed, 'Codec', 'Core', 'WebHost', own].sort(),
    );
    for (const part of shared) expect(part).toContain(own);
    expect(text.includes('function furcateValues(')).toBe(name === 'parallelReduce'); // in one file, because nothing is split here
  });

  test('has what only plain values need, and what finds stalls, in files of their own, which no program loads at its start', async () => {
    const filesOf = async (names: string): Promise<[path: string, text: string][]> => {
      const stdin = { contents: `export { ${names} } from 'furcate';`, resolveDir: ROOT };
      const made = await build({
        stdin,
        bundle: true,
        splitting: true,
        outdir: 'out',
        write: false,
        format: 'esm',
        platform: 'browser',
      });
      return (made.outputFiles ?? []).map(({ path, text }) => [basename(path), text]);
    };
    for (const names of ['ForkJoinPool', 'parallelReduce', 'parallelMap']) {
      const files = await filesOf(names);
      const [[entry, first], ...later] = files as [[string, string], ...[string, string][]];
      expect(entry).toBe('stdin.js');
      expect(first).not.toContain(MARKS.values);
      expect(first).not.toContain('furcateCoroutines');
      expect([...first.matchAll(/^import .*$/gm)].map(([line]) => line)).toEqual([]);
      expect(later.filter(([, text]) => text.includes(MARKS.values))).toHaveLength(1);
      expect(later.filter(([, text]) => text.includes(MARKS.stalls))).toHaveLength(1);
      expect(first).not.toContain(MARKS.stalls);
    }
  });

  test('contains each text once', async () => {
    const text = await textOfBundle("export * from 'furcate'; import 'furcate/worker';");
    const counts = Object.entries(MARKS).map(([part, mark]) => [part, text.split(mark).length - 1]);
    expect(Object.fromEntries(counts)).toEqual({
      ...{ core: 1, nodeHost: 0, webHost: 1, codec: 1 },
      ...{ algorithms: 1, sort: 1, values: 1, stalls: 1 },
    });
  });

  test.each([
    ['when minified', { minify: true }],
    ['when minified for an older target', { minify: true, target: 'es2020' }],
    ['when minified with keepNames', { minify: true, keepNames: true }],
  ])('%s runs algorithms in workers, and its errors and classes keep their names', async (_name, options) => {
    const program = `
      import { CancellationError, ForkJoinPool, parallelMap, parallelSort, parallelReduce, sharedArray } from 'furcate';
      async function main() {
      const pool = new ForkJoinPool({ parallelism: 2 });
      const xs = sharedArray(Float64Array, 300_000);
      for (let i = 0; i < xs.length; i++) xs[i] = (i * 7919) % 300_007;
      const sum = await parallelReduce(xs, (a, b) => a + b, 0, { pool });
      await parallelSort(xs, { pool });
      console.log(JSON.stringify([
        sum === xs.reduce((a, b) => a + b),
        xs.every((x, i) => i === 0 || xs[i - 1] <= x),
        [ForkJoinPool, CancellationError, parallelSort].map(({ name }) => name),
        String(new CancellationError('furcate: cancelled')),
        await parallelMap(['b', 'c'], async (text) => 'a' + text, { pool }),
      ]));
      await pool.close();
      }
      main();`;
    const file = join(folder, `program-${Object.keys(options).join('-')}.mjs`);
    const stdin = { contents: program, resolveDir: ROOT };
    await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: file, logLevel: 'error', ...options });
    const { code, stdout, stderr } = await runNode(file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([
      true,
      true,
      ['ForkJoinPool', 'CancellationError', 'parallelSort'],
      'CancellationError: furcate: cancelled',
      ['ab', 'ac'],
    ]);
  });
});

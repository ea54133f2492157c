import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { doorProblems, MOST_NAMES } from './helpers/door.js';
import {
  anonymousErrors,
  atomicsOutsideTheSeam,
  badNames,
  deadLinks,
  externalImports,
  homelessFiles,
  importCircles,
  importsBesideDoors,
  longFiles,
  machineTraces,
  mergeMarks,
  namesakes,
  sidewaysImports,
  unknownConstants,
  upwardImports,
} from './helpers/house-rules.js';
import { type ProjectFile, projectFiles, ROOT } from './helpers/project-files.js';
import { quotesOfSource } from './helpers/quoted-source.js';
import { ambiguousWords, questions } from './helpers/word-rules.js';

const files = projectFiles();
const exists = (path: string): boolean => existsSync(join(ROOT, path));

/** A project with one file. */
const only = (path: string, text: string): ProjectFile[] => [{ path, text }];

describe('this project', () => {
  test('is visible to these tests', () => {
    const paths = files.map((file) => file.path);
    expect(paths).toContain('package.json');
    expect(paths).toContain('src/index.ts');
    expect(paths).toContain('src/core/memory/atomics.ts');
  });

  test('has every source file in a layer', () => {
    expect(homelessFiles(files)).toEqual([]);
  });

  test('imports only from lower layers or from the same folder', () => {
    expect(upwardImports(files)).toEqual([]);
    expect(sidewaysImports(files)).toEqual([]);
  });

  test('imports a folder with one entry module only through that module', () => {
    expect(importsBesideDoors(files)).toEqual([]);
  });

  test('has a door of the core with few names, each of which is explained', () => {
    expect(doorProblems(files)).toEqual([]);
  });

  test('has no circular imports', () => {
    expect(importCircles(files)).toEqual([]);
  });

  test('imports nothing from outside src/ in src/', () => {
    expect(externalImports(files)).toEqual([]);
  });

  test('names the global Atomics in one file', () => {
    expect(atomicsOutsideTheSeam(files)).toEqual([]);
  });

  test('begins every error message in src/ with the name of the library', () => {
    expect(anonymousErrors(files)).toEqual([]);
  });

  test('quotes no comment and no whole line of src/ in a test', () => {
    expect(quotesOfSource(files)).toEqual([]);
  });

  test('names only existing constants in comments and pages', () => {
    expect(unknownConstants(files)).toEqual([]);
  });

  test('has no code file with more than 400 lines', () => {
    expect(longFiles(files)).toEqual([]);
  });

  test('names code files in kebab-case, after their contents', () => {
    expect(badNames(files)).toEqual([]);
  });

  test('declares each type in one file of src/', () => {
    expect(namesakes(files)).toEqual([]);
  });

  test('names the words of records that mean several things in one file of src/', () => {
    expect(ambiguousWords(files)).toEqual([]);
  });

  test('begins no docblock of src/ with a question', () => {
    expect(questions(files)).toEqual([]);
  });

  test('has no dead link in Markdown files', () => {
    expect(deadLinks(files, exists)).toEqual([]);
  });

  test('names no path of a developer machine, no host of a package registry, and no page outside the repository', () => {
    expect(machineTraces(files)).toEqual([]);
  });

  test('has no marks of an unfinished merge', () => {
    expect(mergeMarks(files)).toEqual([]);
    expect(mergeMarks(only('README.md', `a\n${'<'.repeat(7)} HEAD\nb`))).toHaveLength(1);
  });
});

describe('the checks', () => {
  test.each([
    ["import { a } from '../pool/a.js';", 'src/core/pool/a.ts'],
    ["import type { A } from '../../algorithms/a.js';", 'src/algorithms/a.ts'],
    ["export * from '../../index.js';", 'src/index.ts'],
    ["import '../../entry/worker.js';", 'src/entry/worker.ts'],
    ["const a = await import('../worker/a.js');", 'src/core/worker/a.ts'],
    ["type A = import('../worker/a.js').A;", 'src/core/worker/a.ts'],
    ["import {\n  a,\n} from '../nowhere/a.js';", 'src/core/nowhere/a.ts'],
  ])('report an upward import: %s', (text, target) => {
    expect(upwardImports(only('src/core/task/x.ts', text))).toEqual([`src/core/task/x.ts imports ${target}`]);
  });

  test.each([
    ['kernels/x.ts', '../schedule/a.js', 'schedule/a.ts'],
    ['kernels/x.ts', '../patterns/recognise.js', 'patterns/recognise.ts'],
    ['patterns/x.ts', '../call/a.js', 'call/a.ts'],
    ['schedule/x.ts', '../call/a.js', 'call/a.ts'],
    ['call/x.ts', '../sort/a.js', 'sort/a.ts'],
    ['sort/kernels/x.ts', '../a.js', 'sort/a.ts'],
    ['sort/x.ts', '../index.js', 'index.ts'],
    ['tuning.ts', './kernels/a.js', 'kernels/a.ts'],
  ])('report an upward import among the algorithms: %s imports %s', (path, specifier, target) => {
    const folder = 'src/algorithms';
    expect(upwardImports(only(`${folder}/${path}`, `import { a } from '${specifier}';`))).toEqual([
      `${folder}/${path} imports ${folder}/${target}`,
    ]);
  });

  test.each([
    ['reduce/x.ts', "import { a } from '../sort/a.js';"],
    ['reduce/x.ts', "import { a } from '../sort/kernels/a.js';"],
    ['scan/x.ts', "import type { A } from '../reduce/a.js';"],
    ['shown.ts', "import { a } from './tuning.js';"],
  ])('report an import from another folder of the same layer: %s has %s', (path, text) => {
    expect(sidewaysImports(only(`src/algorithms/${path}`, text))).toHaveLength(1);
    expect(upwardImports(only(`src/algorithms/${path}`, text))).toEqual([]);
  });

  test('accept a family that imports its own kernels and lower layers', () => {
    const text = "import './kernels/a.js';\nimport '../call/a.js';\nimport '../kernels/a.js';\nimport '../tuning.js';";
    expect(sidewaysImports(only('src/algorithms/sort/x.ts', text))).toEqual([]);
    expect(upwardImports(only('src/algorithms/sort/x.ts', text))).toEqual([]);
  });

  test('report an import that bypasses the entry module of a folder', () => {
    const seen = (path: string, specifier: string): string[] =>
      importsBesideDoors(only(`src/algorithms/${path}`, `import { a } from '${specifier}';`));
    expect(seen('sort/x.ts', '../patterns/branchless.js')).toHaveLength(1);
    expect(seen('sort/x.ts', '../patterns/recognise.js')).toEqual([]);
    expect(seen('patterns/recognise.ts', './branchless.js')).toEqual([]);
  });

  test('report an import of the core beside its door', () => {
    const seen = (path: string, core: string): string[] =>
      importsBesideDoors(only(`src/${path}`, `import type { A } from '../../core/${core}.js';`));
    expect(seen('algorithms/sort/x.ts', 'call/job')).toHaveLength(1);
    expect(seen('algorithms/sort/x.ts', 'engine')).toEqual([]);
    expect(seen('algorithms/sort/x.ts', 'memory/atomics')).toEqual([]);
    expect(seen('core/pool/x.ts', '../core/job/job')).toEqual([]);
  });

  test('report a door with too many names, and names without a docstring', () => {
    const seen = (names: string, text: string): string[] =>
      doorProblems([
        { path: 'src/core/engine.ts', text: `export { ${names} } from './pool/a.js';` },
        { path: 'src/core/pool/a.ts', text },
      ]);
    expect(seen('a', '/** Does it. */\nexport function a() {}')).toEqual([]);
    expect(seen('a', '// Does it.\nexport function a() {}')).toHaveLength(1);
    expect(seen('type a', '/** Does it. */\nexport function ab() {}')).toHaveLength(1);
    const many = Array.from({ length: MOST_NAMES + 1 }, (_, i) => `a${i}`);
    const declared = many.map((name) => `/** Does it. */\nexport const ${name} = 0;`).join('\n');
    expect(seen(many.join(', '), declared)).toEqual([
      `src/core/engine.ts has ${MOST_NAMES + 1} names: at most ${MOST_NAMES}`,
    ]);
  });

  test('report a name in the group of others than those who take it from the door, and one that nobody takes', () => {
    const seen = (group: string, ...users: string[]): string[] =>
      doorProblems([
        { path: 'src/core/engine.ts', text: `/** The door. */\n\n// ${group}.\n\nexport { a } from './pool/a.js';\n` },
        { path: 'src/core/pool/a.ts', text: '/** Does it. */\nexport const a = 0;' },
        ...users.map((folder) => ({ path: `src/${folder}/x.ts`, text: "import { a } from '../core/engine.js';" })),
      ]);
    expect(seen('For flows', 'flows', 'flow')).toEqual([]);
    expect(seen('For any extension', 'flows')).toEqual([]);
    expect(seen('For several', 'flows', 'insight')).toEqual([]);
    expect(seen('For several', 'flows')).toHaveLength(1);
    expect(seen('For algorithms', 'flows')).toEqual([
      "a is taken 'For flows', and stands in the group 'For algorithms'",
    ]);
    expect(seen('For algorithms')).toEqual(['nobody takes a from the door']);
  });

  test('report circular imports, including imports of types', () => {
    const at = (name: string, text: string): ProjectFile => ({ path: `src/core/pool/${name}.ts`, text });
    const seen = (...project: ProjectFile[]): string[] => importCircles(project);
    const a = at('a', "import { b } from './b.js';");
    expect(seen(a, at('b', "import type { A } from './a.js';"))).toEqual([
      'a circle of imports ties src/core/pool/a.ts, src/core/pool/b.ts',
    ]);
    expect(seen(a, at('b', "export * from './c.js';"), at('c', "type A = import('./a.js').A;"))).toHaveLength(1);
    expect(seen(at('a', "import './a.js';"))).toHaveLength(1);
    expect(seen(a, at('b', "import './c.js';"), at('c', "// import './a.js'"))).toEqual([]);
    expect(seen(a, at('b', "import './c.js';"), at('d', "import './b.js';\nimport './c.js';"), at('c', ''))).toEqual(
      [],
    );
  });

  test('accept downward imports, imports within a folder, and comments', () => {
    const text = "import '../memory/a.js';\nimport './b.js';\nimport '../errors.js';\n// import '../pool/a.js'\n";
    expect(upwardImports(only('src/core/task/x.ts', text))).toEqual([]);
  });

  test('report a source file that is in no layer', () => {
    expect(homelessFiles(only('src/core/scratch/x.ts', ''))).toEqual(['src/core/scratch/x.ts is in no layer']);
    expect(homelessFiles(only('src/core/errors.ts.ts', ''))).toEqual(['src/core/errors.ts.ts is in no layer']);
    expect(homelessFiles(only('src/algorithms/map.ts', ''))).toHaveLength(1);
  });

  test('report an import from outside src/', () => {
    expect(externalImports(only('src/core/pool/x.ts', "import { Worker } from 'node:worker_threads';"))).toHaveLength(
      1,
    );
    expect(externalImports(only('src/core/pool/x.ts', "import { readFileSync } from 'fs';"))).toHaveLength(1);
    expect(externalImports(only('src/core/pool/x.ts', "import '../../../test/helpers/x.js';"))).toHaveLength(1);
    expect(externalImports(only('src/core/pool/x.ts', "import '../task/x.js';"))).toEqual([]);
  });

  test('report Atomics outside its seam', () => {
    expect(atomicsOutsideTheSeam(only('src/core/pool/x.ts', 'Atomics.load(a, 0);'))).toHaveLength(1);
    expect(atomicsOutsideTheSeam(only('src/core/pool/x.ts', "globalThis['Atomics'].load(a, 0);"))).toHaveLength(1);
    expect(atomicsOutsideTheSeam(only('src/core/pool/x.ts', 'type A = typeof Atomics;'))).toHaveLength(1);
    expect(atomicsOutsideTheSeam(only('src/core/pool/x.ts', '// Atomics cost 7 ns'))).toEqual([]);
    expect(atomicsOutsideTheSeam(only('src/core/memory/atomics.ts', 'Atomics.load(a, 0);'))).toEqual([]);
  });

  test('report a test that quotes the source', () => {
    const source = { path: 'src/x.ts', text: '  store(words, W_LOCK, 0); // L1: before the others are woken\n' };
    const seen = (literal: string): string[] =>
      quotesOfSource([source, { path: 'test/x.ts', text: `plant(${literal});` }]);
    expect(seen("'  store(words, W_LOCK, 0); // L1: before the others are woken'")).toHaveLength(1);
    expect(seen("'store(words, W_LOCK, 0);'")).toEqual(["test/x.ts quotes 'store(words, W_LOCK, 0);'"]);
    expect(seen("'// L1: before the others are woken'")).toHaveLength(1);
    expect(seen("'L1: before the others are woken'")).toHaveLength(1);
    expect(seen('`a();\nstore(words, W_LOCK, 0);\nb();`')).toHaveLength(1);
    expect(seen("call('store', 'W_LOCK'), 'store($1, $2, 1)'")).toEqual([]);
  });

  test('report an error message that does not begin with the name of the library', () => {
    const seen = (text: string): string[] => anonymousErrors(only('src/core/pool/x.ts', text));
    expect(seen("throw new TypeError('n is wrong.');")).toEqual([
      "src/core/pool/x.ts makes a TypeError that begins with 'n is wrong.'",
    ]);
    expect(seen(`return new RangeError(\`n is \${n}.\`);`)).toHaveLength(1);
    expect(seen("const reason = 'n is ' + n;\nthrow new Error(reason);")).toHaveLength(1);
    expect(seen('throw new Error(reason);')).toHaveLength(1);
    expect(seen('throw new Error();')).toHaveLength(1);
    expect(seen(`throw new CancellationError(\`furcate: \${name} was cancelled.\`);`)).toEqual([]);
    expect(seen(`const reason = \`furcate: \${name}: \` + 'no';\nthrow new Error(reason);`)).toEqual([]);
    expect(seen("throw new Error('furcate/tsx: no.');")).toEqual([]);
    expect(seen('throw new TaskRegistrationError(code.failure);')).toEqual([]);
    expect(anonymousErrors(only('test/x.ts', "throw new Error('boom');"))).toEqual([]);
  });

  test('report a constant that a comment or a page names but no code defines', () => {
    const code = { path: 'src/core/tuning.ts', text: '/** At most `MAX_ZEBRAS`. */\nexport const MAX_GIRAFFES = 8;' };
    const readme = { path: 'src/core/README.md', text: 'up to `MAX_GIRAFFES`, not `MAX_GNUS`; `FORM_` is a prefix' };
    const history = { path: 'CHANGELOG.md', text: '`MAX_LIONS` is gone' };
    expect(unknownConstants([code, readme, history])).toEqual([
      'src/core/tuning.ts names MAX_ZEBRAS',
      'src/core/README.md names MAX_GNUS',
    ]);
  });

  test('report a file of 401 lines', () => {
    expect(longFiles(only('src/x.ts', 'a;\n'.repeat(401)))).toEqual(['src/x.ts has 401 lines']);
    expect(longFiles(only('src/x.ts', 'a;\n'.repeat(400)))).toEqual([]);
  });

  test('report a file name in another case, and a vague file name', () => {
    expect(badNames(only('src/core/deque/publicDeque.ts', ''))).toHaveLength(1);
    expect(badNames(only('src/core/utils.ts', ''))).toHaveLength(1);
    expect(badNames(only('src/common/x.ts', ''))).toHaveLength(1);
    expect(badNames(only('test/unit/public-deque.test.ts', ''))).toEqual([]);
  });

  test('report a type that two files declare', () => {
    const seen = (text: string): string[] =>
      namesakes([
        { path: 'src/a.ts', text: 'export interface Run {}\nconst x = 1;' },
        { path: 'src/b.ts', text },
      ]);
    expect(seen('class Run {}')).toEqual(['Run is declared in src/a.ts and src/b.ts']);
    expect(seen('type Run<T> = T;')).toHaveLength(1);
    expect(seen("import type { Run } from './a.js';\nexport type { Run };\ntype Runs = Run[];")).toEqual([]);
  });

  test('report a word of records that means several things', () => {
    const seen = (path: string): string[] => ambiguousWords(only(path, 'words[record + R_NEXT] = R_NEXTS;'));
    expect(seen('src/core/worker/steal.ts')).toEqual(['src/core/worker/steal.ts names R_NEXT']);
    expect(seen('src/core/memory/record-kinds.ts')).toEqual([]);
  });

  test('report a docblock that begins with a question', () => {
    const seen = (path: string, text: string): string[] => questions(only(path, text));
    expect(seen('src/core/worker/x.ts', '/** How often it looks. */')).toHaveLength(1);
    expect(seen('src/core/worker/x.ts', '/**\n * Whether it looks.\n */')).toHaveLength(1);
    expect(seen('src/core/worker/x.ts', '/** Looks. @param how what */')).toEqual([]);
    expect(seen('src/cluster/x.ts', '/** When it looks. */')).toHaveLength(1);
    expect(seen('src/cluster/x.ts', '/** Has it looked? Then it rests. */')).toHaveLength(1);
    expect(seen('src/cluster/x.ts', '/** Whatever it sees: `a ? b : c`. */')).toEqual([]);
    expect(seen('test/unit/x.ts', '/** How often it looks. */')).toEqual([]);
  });

  test('report a dead link', () => {
    const seen = (text: string): string[] => deadLinks(only('src/core/README.md', text), exists);
    expect(seen('see [here](gone.md#part)')).toEqual(['src/core/README.md links to src/core/gone.md']);
    expect(seen('![plot](./gone.svg "Title")')).toHaveLength(1);
    expect(seen('[up](../../../../package.json)')).toHaveLength(1);
    expect(seen('[a](../../package.json) [b](#part) [c](https://example.org/x)')).toEqual([]);
    expect(seen('```\n[code](gone.md)\n```')).toEqual([]);
  });

  test('report traces of a machine', () => {
    expect(machineTraces(only('README.md', `cd ${'/'}work/main`))).toHaveLength(1);
    expect(
      machineTraces(only('package-lock.json', `https://${['registry', 'npmjs', 'org'].join('.')}/x`)),
    ).toHaveLength(1);
    expect(machineTraces(only('package-lock.json', `"resol${'ved'}": "x"`))).toHaveLength(1);
    expect(machineTraces(only('src/core/x.ts', `// ${'DES'}IGN section 3`))).toHaveLength(1);
    expect(
      machineTraces(only('README.md', `see src/core${'/'}work/x and https://www.npmjs.com/package/furcate`)),
    ).toEqual([]);
  });
});

import { basename } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { checkedText, type Example, examplesOf, plainFolder, runExamples } from '../helpers/examples.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { projectFiles } from '../helpers/project-files.js';

/** Pages for users, and the READMEs in the source folders. */
const isPage = (path: string): boolean => path.endsWith('.md') && !path.startsWith('benchmarks/');

const pages = projectFiles()
  .filter(({ path }) => isPage(path))
  .map((page) => ({ path: page.path, examples: examplesOf(page) }))
  .filter(({ examples }) => examples.length > 0);

test('the tests below include the pages with code', () => {
  const paths = pages.map(({ path }) => path);
  expect(paths).toContain('README.md');
  expect(paths).toContain('docs/algorithms.md');
});

describe.each(pages)('$path', ({ examples }) => {
  let outcomes: (string | null)[];

  beforeAll(async () => {
    outcomes = await runExamples(examples);
  }, LONG_TEST_HANG_MS);

  test.each(examples.map((example, k) => [example.place, k] as const))(
    'the code at %s runs and gives the results that it shows',
    (_, k) => {
      expect(outcomes[k]).toBeNull();
    },
  );

  test('the page defines each of its files once', () => {
    const files = examples.map(({ file }) => file);
    expect(files).toEqual([...new Set(files)]);
  });
});

interface Page {
  readonly path: string;
  readonly examples: readonly Example[];
}

/** The compiler's errors by page, in the files that match `of`. All pages share one program, because starting a program is slow. */
function complaints(some: readonly Page[], of: RegExp, strictness: ts.CompilerOptions): Map<string, string[]> {
  const made = some.map(({ path, examples }) => {
    const { folder, remove } = plainFolder(examples);
    const files = examples.filter(({ file }) => of.test(file)).map(({ file }) => `${folder}/${file}`);
    return { path, files, remove };
  });
  try {
    const program = ts.createProgram(
      made.flatMap(({ files }) => files),
      {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        types: ['node'],
        typeRoots: ['node_modules/@types'],
        allowImportingTsExtensions: true,
        noEmit: true,
        skipLibCheck: true,
        ...strictness,
      },
    );
    const saidOf = (file: string): string[] =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(({ file: source, start, messageText }) => {
        const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start ?? 0).line + 1;
        return `${basename(file)}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      });
    return new Map(made.map(({ path, files }) => [path, files.flatMap(saidOf)]));
  } finally {
    for (const { remove } of made) remove();
  }
}

describe('the types in pages', () => {
  const PROPERTY = {
    place: 'x.md:1',
    file: 'a.ts',
    text: 'export class A { constructor(readonly n: number) {} }\n',
  };
  const TEXT = {
    place: 'y.md:1',
    file: 'line-1.mjs',
    text: "import { parallelFor } from 'furcate';\nawait parallelFor('3', () => {});\n",
  };
  const planted = [
    { path: 'x.md', examples: [PROPERTY] },
    { path: 'y.md', examples: [TEXT] },
  ];
  let typescript: ReadonlyMap<string, string[]>;
  let javascript: ReadonlyMap<string, string[]>;

  beforeAll(async () => {
    await ensureBuild(['scripts', 'declarations']);
    const all = [...pages, ...planted];
    typescript = complaints(all, /\.[cm]?ts$/, {
      strict: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
    });
    // Only blocks without a file name: the others define functions in JavaScript, which have no types.
    javascript = complaints(all, /^line-\d+\.mjs$/, { strictNullChecks: true, allowJs: true, checkJs: true });
  }, LONG_TEST_HANG_MS);

  test.each(pages)('the TypeScript in $path compiles, and Node can run it by stripping types', ({ path }) => {
    expect(typescript.get(path)).toEqual([]);
  });

  test.each(pages)('the JavaScript in $path fits the types of the package', ({ path }) => {
    expect(javascript.get(path)).toEqual([]);
  });

  test('a parameter property is reported, because Node cannot strip it', () => {
    expect(typescript.get('x.md')).toEqual([expect.stringContaining('a.ts:1')]);
  });

  test('a string in the place of a number is reported', () => {
    expect(javascript.get('y.md')).toEqual([expect.stringContaining('line-1.mjs:2')]);
  });
});

describe('a result that a page shows', () => {
  const outcomeOf = async (text: string): Promise<string | null | undefined> =>
    (await runExamples([{ place: 'x.md:1', file: 'x.mjs', text }]))[0];

  test('passes if it is right', async () => {
    const text = [
      'const { min } = { min: 1 }; // => { min: 1 }',
      "console.log('a'); // => 'a'",
      '[1, Math.PI, 2n]; // => [1, 3.14..., 2n]',
      'const xs = Float32Array.of(1, -0);',
      'xs;',
      '// => Float32Array [1, -0]',
    ].join('\n');
    expect(await outcomeOf(text)).toBeNull();
  });

  test('fails with its line if it is wrong', async () => {
    expect(await outcomeOf('const x = 1;\nx + 1; // => 3')).toContain('x.md:3 shows 3, but it is 2');
  });

  test('fails if it follows no statement', () => {
    expect(() => checkedText({ place: 'x.md:1', file: 'x.mjs', text: 'if (true) { } // => 3' })).toThrow(
      'x.md:2 shows the result of nothing',
    );
  });

  test('fails if the process ends with an exit code', async () => {
    expect(await outcomeOf('process.exit(3);')).toContain('ended with 3');
  });
});

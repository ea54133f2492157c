import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import {
  checkedText,
  type Example,
  examplesOf,
  PAGE_TIMEOUT_MS,
  plainFolder,
  runExamples,
} from '../helpers/examples.js';
import { projectFiles } from '../helpers/project-files.js';

/** Pages for users, and the READMEs beside the code. */
const isPage = (path: string): boolean => path.endsWith('.md') && !path.startsWith('benchmarks/');

const pages = projectFiles()
  .filter(({ path }) => isPage(path))
  .map((page) => ({ path: page.path, examples: examplesOf(page) }))
  .filter(({ examples }) => examples.length > 0);

/** The declarations take some seconds to build. */
const BUILD_TIMEOUT_MS = 60_000;

test('the pages with code are seen', () => {
  const paths = pages.map(({ path }) => path);
  expect(paths).toContain('README.md');
  expect(paths).toContain('docs/algorithms.md');
});

describe.each(pages)('$path', ({ examples }) => {
  let outcomes: (string | null)[];

  beforeAll(async () => {
    outcomes = await runExamples(examples);
  }, PAGE_TIMEOUT_MS);

  test.each(examples.map((example, k) => [example.place, k] as const))(
    'the code at %s runs and gives what it shows',
    (_, k) => {
      expect(outcomes[k]).toBeNull();
    },
  );

  test('names each of its files once', () => {
    const files = examples.map(({ file }) => file);
    expect(files).toEqual([...new Set(files)]);
  });
});

/** What a compiler says about TypeScript of which only the types are removed, as Node does it. */
function complaints(examples: readonly Example[]): string[] {
  const { folder, remove } = plainFolder(examples);
  try {
    const files = examples.map(({ file }) => `${folder}/${file}`).filter((file) => /\.[cm]?ts$/.test(file));
    const program = ts.createProgram(files, {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      typeRoots: ['node_modules/@types'],
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
    });
    return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
      return `${file?.fileName.slice(folder.length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  } finally {
    remove();
  }
}

const typed = pages.filter(({ examples }) => examples.some(({ file }) => /\.[cm]?ts$/.test(file)));

describe('TypeScript in pages', () => {
  beforeAll(async () => {
    await ensureBuild(['scripts', 'declarations']);
  }, BUILD_TIMEOUT_MS);

  test.each(typed)(
    'of $path compiles, and Node can run it by removing its types',
    { timeout: BUILD_TIMEOUT_MS },
    ({ examples }) => {
      expect(complaints(examples)).toEqual([]);
    },
  );

  test('with a parameter property is refused', { timeout: BUILD_TIMEOUT_MS }, () => {
    const text = 'export class A { constructor(readonly n: number) {} }\n';
    expect(complaints([{ place: 'x.md:1', file: 'a.ts', text }])).toEqual([expect.stringContaining('a.ts:1')]);
  });
});

describe('a result that is shown', () => {
  const outcomeOf = async (text: string): Promise<string | null | undefined> =>
    (await runExamples([{ place: 'x.md:1', file: 'x.mjs', text }]))[0];

  test('passes where it is right', async () => {
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

  test('fails where it is wrong, with its line', async () => {
    expect(await outcomeOf('const x = 1;\nx + 1; // => 3')).toContain('x.md:3 shows 3, but it is 2');
  });

  test('fails where it belongs to nothing', () => {
    expect(() => checkedText({ place: 'x.md:1', file: 'x.mjs', text: 'if (true) { } // => 3' })).toThrow(
      'x.md:2 shows the result of nothing',
    );
  });

  test('fails with the process', async () => {
    expect(await outcomeOf('process.exit(3);')).toContain('ended with 3');
  });
});

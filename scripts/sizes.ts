/**
 * Measures the size of bundles, of the package and of the source, and compares each with its budget.
 *
 * Run as `npm run sizes`, on the current build. `test/package/size.test.ts` fails if a size exceeds its budget.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A size and its budget. KB and MB are 1,000 and 1,000,000 bytes. */
export interface Size {
  readonly what: string;
  readonly unit: 'KB' | 'MB' | 'lines';
  readonly budget: number;
  readonly value: number;
}

/**
 * The budgets, 1 % above the last measurement, with the target of each size in a comment. The first four are bundles of users'
 * programs for browsers. When a size shrinks, lower its budget, so that the gain lasts.
 */
const BUDGETS = [
  { what: 'tasks only', unit: 'KB', budget: 76, measure: () => bundled('ForkJoinPool, RecursiveTask, forkable') }, // target: 30
  { what: 'two loops', unit: 'KB', budget: 110.3, measure: () => bundled('parallelFor, parallelReduce') }, // target: 45
  { what: 'everything', unit: 'KB', budget: 191.8, measure: () => bundled('* as furcate') }, // target: 95
  { what: 'a pipeline', unit: 'KB', budget: 130.6, measure: () => bundled('pipeline', 'furcate/flows') },
  { what: 'unpacked package', unit: 'MB', budget: 2.62, measure: unpacked }, // target: 1.2
  { what: 'src without blank lines and comments', unit: 'lines', budget: 50_300, measure: linesOfSource }, // target: 13,500
] as const;

/**
 * The size of a program that imports `names`, as a browser gets it: minified and gzipped. Files that the program imports later, in some
 * calls only, count for a program that imports everything.
 */
async function bundled(names: string, entry = 'furcate'): Promise<number> {
  const isAll = names.startsWith('*');
  const contents = isAll
    ? `import ${names} from 'furcate'; console.log(furcate);`
    : `import { ${names} } from '${entry}'; console.log(${names});`;
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    splitting: true,
    metafile: true,
    outdir: 'out',
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  const first = filesAtStart(metafile);
  return outputFiles
    .filter(({ path }) => isAll || first.has(basename(path)))
    .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length / 1000, 0);
}

/** The names of the files that the entry of a bundle needs at once. */
function filesAtStart({ outputs }: Metafile): ReadonlySet<string> {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint !== undefined) as string;
  const found = new Set([entry]);
  for (const path of found)
    for (const { kind, path: other } of outputs[path]?.imports ?? []) if (kind === 'import-statement') found.add(other);
  return new Set([...found].map((path) => basename(path)));
}

/** What npm would pack, without a build. */
export interface Packed {
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}

export function packed(): Packed {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const listed = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return (JSON.parse(listed) as [Packed])[0];
}

function unpacked(): number {
  return packed().unpackedSize / 1e6;
}

/** The number of lines of a TypeScript or AssemblyScript file that have code. */
export function linesOfCode(text: string): number {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, false);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const parts = node.getChildren(file);
    parts.forEach(visit);
    const start = node.getStart(file);
    if (parts.length > 0 || start === node.end) return;
    const last = file.getLineAndCharacterOfPosition(node.end).line;
    for (let line = file.getLineAndCharacterOfPosition(start).line; line <= last; line++) lines.add(line);
  };
  visit(file);
  return lines.size;
}

function linesOfSource(): number {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .reduce((sum, path) => sum + linesOfCode(readFileSync(join(ROOT, 'src', path), 'utf8')), 0);
}

/** Measures all sizes. Both products of the build must be fresh. */
export async function sizes(): Promise<Size[]> {
  const measured: Size[] = [];
  for (const { measure, ...size } of BUDGETS) measured.push({ ...size, value: await measure() });
  return measured;
}

const digitsOf = { KB: 1, MB: 3, lines: 0 } as const;

/** One line for each size. */
export const table = (measured: readonly Size[]): string =>
  measured
    .map(({ what, unit, budget, value }) => {
      const shown = (number: number): string => `${number.toFixed(digitsOf[unit])} ${unit}`;
      return `${what}: ${shown(value)}, budget ${shown(budget)}${value > budget ? ', EXCEEDED' : ''}`;
    })
    .join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(table(await sizes()));

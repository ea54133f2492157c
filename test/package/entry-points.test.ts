import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { beforeAll, describe, expect, test } from 'vitest';
import { runNode } from '../helpers/child-process.js';
import { ROOT } from '../helpers/project-files.js';

/** The type of each export and, for functions and classes, its own `name`. */
type Surface = Record<string, { readonly type: string; readonly ownName?: string }>;

const DESCRIBE_SURFACE = `
  const surface = {};
  for (const [name, value] of Object.entries(furcate)) {
    surface[name] = { type: typeof value, ...(typeof value === 'function' && { ownName: value.name }) };
  }
  console.log(JSON.stringify(surface));
`;

async function surfaceOf(...args: readonly string[]): Promise<Surface> {
  const { code, stdout, stderr } = await runNode(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Surface;
}

const asModule = (): Promise<Surface> =>
  surfaceOf('--input-type=module', '-e', `const furcate = await import('furcate'); ${DESCRIBE_SURFACE}`);

const asCommonJs = (): Promise<Surface> =>
  surfaceOf('--input-type=commonjs', '-e', `const furcate = require('furcate'); ${DESCRIBE_SURFACE}`);

describe('the built package', () => {
  let module: Surface;
  let commonJs: Surface;

  beforeAll(async () => {
    [module, commonJs] = await Promise.all([asModule(), asCommonJs()]);
  });

  test('exports the public interface', () => {
    expect(Object.keys(module)).toEqual(expect.arrayContaining(['ForkJoinPool', 'RecursiveTask', 'parallelFor']));
    expect(module['default']).toBeUndefined();
  });

  test('has equal exports for import and for require', () => {
    expect(commonJs).toEqual(module);
  });

  test('keeps the names of functions and classes, which stack traces and errors show', () => {
    const renamed = Object.entries(module).filter(([name, { ownName }]) => ownName !== undefined && ownName !== name);
    expect(renamed).toEqual([]);
  });

  test('prints nothing, and lets a process that imports it both ways end by itself', async () => {
    const program = `import { createRequire } from 'node:module';
      await import('furcate');
      createRequire(import.meta.url)('furcate');`;
    expect(await runNode('--input-type=module', '-e', program)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each(['index.js', 'core.js'])('has its version substituted in %s', (file) => {
    const text = readFileSync(join(ROOT, 'dist', file), 'utf8');
    expect(text).not.toContain('__FURCATE_');
    expect(text).not.toMatch(/\b__name\(/);
  });

  test('runs inside a sandbox of a test runner, with its own runtime', () => {
    const sandbox = createContext({ process, performance, Float64Array });
    const file = join(ROOT, 'dist/index.cjs');
    const wrapper = runInContext(
      `(function (module, exports, require, __dirname) {${readFileSync(file, 'utf8')}\n})`,
      sandbox,
    );
    const module = { exports: {} as { parallelReduceSync(values: Float64Array, fn: string): number } };
    wrapper(module, module.exports, createRequire(file), dirname(file));
    expect(module.exports.parallelReduceSync(new Float64Array([1, 2, 3]), 'sum')).toBe(6);

    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const runtimeOf = (realm: Record<symbol, unknown>): unknown => realm[Symbol.for(`furcate@${version}`)];
    const inside = runtimeOf(runInContext('globalThis', sandbox));
    expect(inside).toBeDefined();
    expect(inside).not.toBe(runtimeOf(globalThis as never));
  });
});

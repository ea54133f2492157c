import { describe, expect, test, vi } from 'vitest';
import {
  guardMainModule,
  isMainModuleSentinel,
  mainModuleCure,
  stallMainModule,
} from '../../../../src/core/code/main-module.js';
import { CodeRegistry } from '../../../../src/core/code/registry.js';
import { A, define, idOf, lab, load, makeLoader, outcomeOf, URL_A } from '../../../helpers/imitated-imports.js';

describe('a loader that meets a main module', () => {
  const sentinelOf = (start: () => void): unknown => {
    try {
      start();
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test('keeps what it registered before it made a pool, and warns once in the process', async () => {
    lab.modules[URL_A] = () => {
      define('f');
      guardMainModule('new ForkJoinPool()');
      define('never');
    };
    expect(await load(makeLoader(), 'f')).toBe('loaded');
    expect(lab.warnings).toHaveLength(1);
    expect(lab.warnings[0]).toMatch(
      new RegExp(`imported ${URL_A}, which calls new ForkJoinPool\\(\\).*module of their own`),
    );
    lab.evaluated.clear();
    lab.codes = new CodeRegistry();
    expect(await load(makeLoader(), 'f')).toBe('loaded');
    expect(lab.warnings).toHaveLength(1);
  });

  test('finds a second task of it, although the import then fails from the cache', async () => {
    lab.modules[URL_A] = () => {
      define('f');
      define('g');
      guardMainModule('new ForkJoinPool()');
    };
    const loader = makeLoader();
    expect([await load(loader, 'f'), await load(loader, 'g')]).toEqual(['loaded', 'loaded']);
    expect(await load(loader, 'h')).toBe(
      `furcate: a worker cannot load the function 'h': ${URL_A} registers nothing of that name before it calls ` +
        `new ForkJoinPool(), which does nothing in a worker; it registers function 'f', function 'g'. ${mainModuleCure()}.`,
    );
  });

  test('goes on where the module caught the sentinel, or wrapped it', async () => {
    lab.modules[URL_A] = () => {
      sentinelOf(() => guardMainModule('parallelSumSync'));
      define('f');
    };
    lab.modules['file:///app/wraps.mjs'] = () => {
      define('g', 'file:///app/wraps.mjs');
      throw new Error('start-up failed', { cause: sentinelOf(() => guardMainModule('new ForkJoinPool()')) });
    };
    lab.modules['file:///app/hides.mjs'] = () => {
      define('h', 'file:///app/hides.mjs');
      sentinelOf(() => guardMainModule('new ForkJoinPool()'));
      throw new Error('no pool');
    };
    const loader = makeLoader();
    expect(await load(loader, 'f')).toBe('loaded');
    expect(await load(loader, 'g', 'file:///app/wraps.mjs')).toBe('loaded');
    expect(await load(loader, 'h', 'file:///app/hides.mjs')).toBe('loaded');
    expect(await load(loader, 'i', 'file:///app/hides.mjs')).toMatch(
      /before it calls new ForkJoinPool\(\).*\(it threw: no pool\)/,
    );
  });

  test('does not wait for one that awaits an algorithm at its top level', async () => {
    lab.modules[URL_A] = async () => {
      define('f');
      await stallMainModule('parallelFor');
      define('never');
    };
    const loader = makeLoader();
    const loading = loader.load(idOf('f'), A);
    await vi.advanceTimersByTimeAsync(1);
    await loading;
    expect(outcomeOf(idOf('f'))).toBe('loaded');
    expect(lab.warnings).toHaveLength(1);
    expect(await load(loader, 'g')).toMatch(/took more than 10000 ms before it calls parallelFor, which does nothing/);
  });

  test('waits for one whose async main stalls, while its evaluation goes on', async () => {
    lab.modules[URL_A] = async () => {
      const main = async (): Promise<void> => {
        await stallMainModule('pool.invoke()');
        define('never');
      };
      void main();
      await new Promise((resolve) => setTimeout(resolve, 50));
      define('f');
    };
    expect(await load(makeLoader(), 'f')).toBe('loaded');
    expect(lab.codes.entries.map(({ name }) => name)).toEqual(['f']);
  });

  test('still refuses what the module starts later', async () => {
    lab.modules[URL_A] = () => define('f');
    await load(makeLoader(), 'f');
    const sentinel = sentinelOf(() => guardMainModule('new ForkJoinPool()'));
    expect(isMainModuleSentinel(sentinel)).toBe(true);
    expect((sentinel as Error).message).toMatch(/new ForkJoinPool\(\) was reached in a worker\..*isMainThread/);
    expect(lab.warnings).toHaveLength(1);
  });
});

describe('outside of workers', () => {
  test('nothing is refused', () => {
    expect(() => guardMainModule('new ForkJoinPool()')).not.toThrow();
    expect(stallMainModule('parallelFor')).toBeUndefined();
  });

  test('other errors are no sentinel, nor are endless chains of causes', () => {
    const loop = new Error('x');
    loop.cause = loop;
    for (const error of [loop, new Error('x', { cause: 'y' }), 'x', null, undefined]) {
      expect(isMainModuleSentinel(error)).toBe(false);
    }
  });
});

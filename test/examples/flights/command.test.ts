import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseOptions, USAGE, UsageError } from '../../../examples/flights/options.js';
import { runNode } from '../../helpers/child-process.js';
import { timelineOf } from '../../helpers/timeline.js';

const MAIN = 'examples/flights/main.ts';

const runMain = (...args: string[]) => runNode('--import', 'tsx', MAIN, ...args);

describe('the options of the flights job', () => {
  test('default to all rows, the default pool and the default folder', () => {
    expect(parseOptions([])).toMatchObject({ rows: undefined, parallelism: undefined, out: undefined, help: false });
    expect(parseOptions(['--trace', '--profile'])).toMatchObject({ trace: true, profile: true });
  });

  test('--short reads fewer rows and measures less', () => {
    const [short, full] = [parseOptions(['--short']), parseOptions([])];
    expect(short.rows).toBe(300_000);
    expect(short.effort.runs).toBeLessThan(full.effort.runs);
    expect(short.effort.ms).toBeLessThan(full.effort.ms);
  });

  test('--parallelism takes every whole number from 1 on', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (n) => {
        expect(parseOptions(['--parallelism', String(n)]).parallelism).toBe(n);
      }),
    );
  });

  test('--out takes a folder', () => {
    expect(parseOptions(['--out', 'pictures']).out).toBe('pictures');
  });

  test.each([
    [['--fast'], /--fast/],
    [['--parallelism'], /--parallelism/],
    [['--parallelism', '0'], /--parallelism needs a whole number of at least 1, but got '0'/],
    [['--parallelism=-1'], /got '-1'/],
    [['--parallelism', '1.5'], /got '1\.5'/],
    [['--parallelism', 'two'], /got 'two'/],
    [['--parallelism', ' '], /got ' '/],
    [['--out='], /--out needs the name of a folder/],
    [['--short=yes'], /--short/],
    [['stray'], /stray/],
  ])('%j is refused by name', (args, message) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
    expect(() => parseOptions(args)).toThrow(message);
  });
});

describe('the flights program', () => {
  test('prints its usage for --help', async () => {
    const { code, stdout } = await runMain('--help');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${USAGE}\n` });
  });

  test('exits with 2 and says what is wrong with an option', async () => {
    const { code, stdout, stderr } = await runMain('--fast');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("'--fast'");
    expect(stderr).toContain('Usage:');
    expect(stderr).not.toMatch(/^\s+at /m); // no stack trace
  });

  test('answers every question equally and writes its pictures', async () => {
    const out = mkdtempSync(join(tmpdir(), 'flights-'));
    try {
      const { code, stdout, stderr } = await runMain(
        '--short',
        '--parallelism',
        '2',
        '--out',
        out,
        '--trace',
        '--profile',
      );
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toContain('Read 300,000 flights');
      expect(stdout).toContain('2 workers');
      expect(stdout.match(/^ {3}equal, speed-up \d/gm)).toHaveLength(6);
      expect(stdout).not.toContain('NOT EQUAL');
      expect(stdout.match(/^parallelism +[\d,.]+$/gm)).toHaveLength(6);
      const { problems, slices } = timelineOf(String(gunzipSync(readFileSync(join(out, 'timeline.json.gz')))));
      expect(problems).toEqual([]);
      expect(slices('units').length).toBeGreaterThan(0);
      for (const name of ['delay-histogram.svg', 'worker-shares.svg']) {
        expect(stdout).toContain(name);
        expect(readFileSync(join(out, name), 'utf8')).toMatch(/^<svg/);
      }
    } finally {
      rmSync(out, { recursive: true });
    }
  });
});

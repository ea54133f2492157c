import { expect, test } from 'vitest';
import { examine } from '../../../src/doctor/examine.js';
import { thisPlatform } from '../../../src/doctor/platform.js';
import { screenOf } from '../../../src/doctor/screen.js';
import { healthy, libraryWith } from './healthy.js';

const report = await examine({ ...healthy, quota: () => 4, hasWaitAsync: () => false }, async () => libraryWith());

test('the screen has one line for each check that is well, and one for each number', () => {
  const text = screenOf({ ...report, firstResultMs: 48.2, roundTripUs: 7.26 });
  expect(text).toMatch(/^furcate \S+ on Node 24\.0\.0\n/);
  expect(text).toContain('  yes  threads               2 workers started.\n');
  expect(text).toContain('  no   waitAsync             The engine lacks Atomics.waitAsync.\n');
  expect(text).toContain('       cores                 8, CPU quota 4\n');
  expect(text).toContain("       default parallelism   8, from the container's CPU quota\n");
  expect(text).toContain('       time to first result  48 ms, with the start of a worker\n');
  expect(text).toContain('       round trip            7.3 us, an empty task without pauses\n');
  expect(text).toContain('       shared arrays         4 GiB at most, all together\n');
  expect(text).toMatch(/What is missing has a way around it: waitAsync\.$/);
  expect(text.split('\n').length).toBeLessThanOrEqual(24);
});

test('colours mark the verdicts, and change nothing else', () => {
  const coloured = screenOf(report, { colours: true });
  expect(coloured).toContain('\u001b[32myes\u001b[0m');
  expect(coloured).toContain('\u001b[31mno\u001b[0m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with one
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(screenOf(report));
});

test('one thread is said to gain nothing', () => {
  expect(screenOf({ ...report, parallelism: 1 }).replace(/\s+/g, ' ')).toContain('so that nothing runs in parallel');
});

test('this platform answers every question', () => {
  expect(thisPlatform.runtime()).toBe(`Node ${process.versions.node}`);
  expect(thisPlatform.isIsolated()).toBeUndefined();
  expect(thisPlatform.sharedMemory().limitBytes).toBeGreaterThan(2 ** 24);
  expect(thisPlatform.cores()).toBeGreaterThan(0);
  expect(thisPlatform.quota()).toBeGreaterThan(0);
  expect(thisPlatform.heapLimit()).toBeGreaterThan(2 ** 24);
  expect(() => thisPlatform.block()).not.toThrow();
  expect(() => thisPlatform.compileText()).not.toThrow();
  expect(thisPlatform.hasWaitAsync()).toBe(true);
});

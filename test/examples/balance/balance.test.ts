import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { plainResults } from '../../../examples/balance/measure.js';
import { workloads } from '../../../examples/balance/workloads.js';
import { runNode } from '../../helpers/child-process.js';
import { ROOT } from '../../helpers/project-files.js';

const out = mkdtempSync(join(tmpdir(), 'furcate-balance-'));
afterAll(() => rmSync(out, { recursive: true }));

const PICTURES = ['granularity.svg', 'mandelbrot.svg', 'triangle.svg', 'uniform.svg', 'wing.svg'];

test('the loops give the same results each time, and do something in each item', () => {
  for (const workload of workloads(0.01)) {
    const results = plainResults(workload);
    expect(plainResults(workload)).toEqual(results);
    expect(results.filter((x) => x !== 0).length).toBeGreaterThan(0.9 * workload.items - 1);
  }
});

test('the program checks every result, and draws every picture of the page', { timeout: 60_000 }, async () => {
  const { code, stdout } = await runNode('--import', 'tsx', 'examples/balance/main.ts', '--short', '--out', out);
  expect(stdout).toMatch(/wing: static [\d.]+ ms, cyclic, blocks of 32 [\d.]+ ms, adaptive [\d.]+ ms/);
  expect(stdout).toMatch(/a time step, 96 by 96: a plain loop [\d.]+ ms, rows, static .* tiles [\d.]+ ms/);
  expect(stdout).toMatch(/a transposition, 64 by 64: .* tiles of 32 by 32 [\d.]+ ms/);
  expect(code).toBe(0);
  expect(readdirSync(out).sort()).toEqual(PICTURES);
  for (const picture of PICTURES) expect(readFileSync(join(out, picture), 'utf8')).toContain('<svg');
});

test('the page shows pictures of the program, and the repository has no others', () => {
  const page = readFileSync(join(ROOT, 'docs/balance.md'), 'utf8');
  const shown = [...page.matchAll(/!\[[^\]]+\]\(balance\/(.+?)\)/g)].map(([, name]) => name);
  expect(shown.sort()).toEqual(readdirSync(join(ROOT, 'docs/balance')).sort());
  expect(PICTURES).toEqual(expect.arrayContaining(shown));
  expect(shown.length).toBeGreaterThan(3);
});

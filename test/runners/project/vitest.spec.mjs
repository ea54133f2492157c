import * as furcate from 'furcate';
import { expect, test, vi } from 'vitest';
import { cases } from './cases.ts';
import tasks from './tasks.mjs';
import { metres } from './typed-tasks.ts';

cases(furcate, tasks, { test, expect, timers: vi });

test('workers import TypeScript by furcate/tsx', async () => {
  expect(await furcate.ForkJoinPool.commonPool().invoke(metres, 2)).toBe(2000);
});

test('modules that are evaluated again register again', async () => {
  vi.resetModules();
  for (const module of ['./tasks.mjs', './tasks.mjs?again']) {
    const { default: again } = await import(/* @vite-ignore */ module);
    expect(again.echo).not.toBe(tasks.echo);
    expect(await furcate.ForkJoinPool.commonPool().invoke(again.echo, 1)).toBe(1);
  }
});

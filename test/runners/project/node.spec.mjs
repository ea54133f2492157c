import { mock, test } from 'node:test';
import { expect } from 'expect';
import * as furcate from 'furcate';
import { cases } from './cases.ts';
import tasks from './tasks.mjs';

const timers = {
  useFakeTimers: () => mock.timers.enable(),
  advanceTimersByTime: (ms) => mock.timers.tick(ms),
  useRealTimers: () => mock.timers.reset(),
};

cases(furcate, tasks, { test, expect, timers });

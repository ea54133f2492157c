import { expect, jest, test } from 'bun:test';
import * as furcate from 'furcate';
import './furcate-setup.mjs';
import { cases } from './cases.ts';
import tasks from './tasks.mjs';

cases(furcate, tasks, { test, expect, timers: jest });

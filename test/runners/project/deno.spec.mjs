import { expect } from 'expect';
import * as furcate from 'furcate';
import './furcate-setup.mjs';
import { cases } from './cases.ts';
import tasks from './tasks.mjs';

cases(furcate, tasks, { test: globalThis.Deno.test, expect });

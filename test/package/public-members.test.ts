/**
 * Tests which members of public classes the declarations show, and which an editor offers after a dot. Mark a member that only the
 * library uses `@internal`. Add a public member to the table below.
 */
import { join } from 'node:path';
import * as furcate from 'furcate';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

const TASK = [
  'cancel',
  'compute',
  'fork',
  'getException',
  'getRawResult',
  'invoke',
  'isCancelled',
  'isCompletedAbnormally',
  'isCompletedNormally',
  'isDone',
  'join',
  'quietlyJoin',
  'reinitialize',
  'tryUnfork',
];
const TASK_CLASS = [
  'getPool',
  'getQueuedTaskCount',
  'getSurplusQueuedTaskCount',
  'helpQuiesce',
  'inForkJoinPool',
  'invokeAll',
  'register',
];
const ERROR = ['cause', 'message', 'name', 'stack'];

/** Expressions in a user's program, with their members. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  pool: [
    '[Symbol.asyncDispose]',
    'awaitQuiescence',
    'broadcast',
    'close',
    'invoke',
    'invokeAny',
    'invokeSync',
    'isClosed',
    'name',
    'parallelism',
    'ready',
    'stats',
    'terminate',
    'with',
  ],
  limited: ['invoke'],
  ForkJoinPool: ['commonPool', 'configureCommonPool'],
  anyTask: TASK,
  recursiveTask: TASK,
  action: TASK,
  ForkJoinTask: TASK_CLASS,
  RecursiveTask: TASK_CLASS,
  RecursiveAction: TASK_CLASS,
  asyncTask: [
    'carried',
    'compute',
    'fork',
    'invokeAny',
    'join',
    'joinAll',
    'joinAllSettled',
    'report',
    'signal',
    'yield',
  ],
  AsyncTask: ['register'],
  asyncFunction: ['[ASYNC_FORKABLE]', 'with'],
  sequential: ['[Symbol.asyncDispose]', 'close', 'invoke', 'invokeAny', 'invokeSync', 'name', 'parallelism', 'with'],
  SequentialExecutor: [],
  local: ['get', 'use'],
  forkableFunction: ['[FORKABLE]', 'with'],
  cancelled: [...ERROR, 'reason'],
  CancellationError: ['is'],
  notShareable: [...ERROR, 'path'],
  NotShareableError: ['is'],
  rejected: ERROR,
  RejectedExecutionError: ['is'],
  unregistered: ERROR,
  TaskRegistrationError: ['is'],
  crash: [...ERROR, 'exitCode', 'running'],
  WorkerCrashError: ['is'],
};

const USER = join(ROOT, 'test/package/fixtures/completed.mts');
const PROGRAM = `
import {
  type AsyncForkable, AsyncTask, CancellationError, type Forkable, ForkJoinPool, ForkJoinTask, type Invoker, NotShareableError, RecursiveAction, RecursiveTask,
  RejectedExecutionError, SequentialExecutor, TaskRegistrationError, WorkerCrashError, type WorkerLocal,
} from 'furcate';
declare const pool: ForkJoinPool;
declare const limited: Invoker;
declare const anyTask: ForkJoinTask<number>;
declare const recursiveTask: RecursiveTask<number>;
declare const action: RecursiveAction;
declare const asyncTask: AsyncTask<number>;
declare const asyncFunction: AsyncForkable<[n: number], number>;
declare const sequential: SequentialExecutor;
declare const local: WorkerLocal<number>;
declare const forkableFunction: Forkable<[n: number], number>;
declare const cancelled: CancellationError;
declare const notShareable: NotShareableError;
declare const rejected: RejectedExecutionError;
declare const unregistered: TaskRegistrationError;
declare const crash: WorkerCrashError;
${Object.keys(MEMBERS)
  .map((name) => `${name}.;`)
  .join('\n')}
`;

/** The members of every function and class. */
const OF_FUNCTIONS = new Set([
  'apply',
  'arguments',
  'bind',
  'call',
  'caller',
  'length',
  'name',
  'prototype',
  'toString',
]);
const isFunction = (name: string): boolean =>
  /^[A-Z]/.test(name) || ['forkableFunction', 'asyncFunction'].includes(name);

let service: ts.LanguageService;

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.Node16,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: [],
  };
  service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [USER],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = path === USER ? PROGRAM : ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === USER || ts.sys.fileExists(path),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: (path) => path,
  });
}, LONG_TEST_HANG_MS);

/** Sorts members and leaves out those of all functions, and the `#private` by which declarations mark private fields. */
const own = (name: string, members: readonly string[]): string[] =>
  members.filter((each) => each !== '#private' && !(isFunction(name) && OF_FUNCTIONS.has(each))).toSorted();

test.each(Object.entries(MEMBERS))('the declarations of %s show exactly the public members', (name, members) => {
  const program = service.getProgram() as ts.Program;
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(USER) as ts.SourceFile;
  const line = file.statements.find((statement) =>
    statement.getText(file).startsWith(`${name}.`),
  ) as ts.ExpressionStatement;
  const type = checker.getTypeAtLocation((line.expression as ts.PropertyAccessExpression).expression);
  const names = checker.getPropertiesOfType(type).map((property) => checker.symbolToString(property));
  expect(own(name, names)).toEqual(members.toSorted());
});

test.each(Object.entries(MEMBERS))('an editor offers exactly the public members of %s', (name, members) => {
  const place = PROGRAM.indexOf(`\n${name}.;`) + `\n${name}.`.length;
  const offered = service.getCompletionsAtPosition(USER, place, undefined)?.entries ?? [];
  const names = offered.map((entry) => entry.name);
  expect(own(name, names)).toEqual(members.filter((each) => !each.startsWith('[')).toSorted());
});

test('the table of members includes every exported class', () => {
  const classes = Object.entries(furcate).filter(([, value]) => /^class\b/.test(String(value)));
  expect(Object.keys(MEMBERS)).toEqual(expect.arrayContaining(classes.map(([name]) => name)));
  expect(classes.length).toBeGreaterThan(8);
});

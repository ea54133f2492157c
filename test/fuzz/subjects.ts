/**
 * Lists every export of the library with the kinds of its arguments. The fuzzer replaces valid arguments by hostile ones. A new
 * algorithm is one line, which covers its `Sync` form too. A missing export fails the test.
 */
import * as furcate from 'furcate';

/** The purpose of an argument. `arguments.ts` has values for each kind. */
export type Kind =
  | 'array'
  | 'items'
  | 'strings'
  | 'range'
  | 'rounds'
  | 'count'
  | 'body'
  | 'mapper'
  | 'predicate'
  | 'operation'
  | 'identity'
  | 'comparator'
  | 'key'
  | 'element'
  | 'type'
  | 'url'
  | 'name'
  | 'function'
  | 'forkable'
  | 'errorClass'
  | 'valueClass'
  | 'task'
  | 'handle'
  | 'milliseconds'
  | 'message'
  | 'anything'
  | 'freshSharedArray'
  | 'tasks'
  | 'taskList'
  | 'poolOptions'
  | 'invokeOptions'
  | 'errorOptions'
  | 'dictionaryOptions'
  | 'nodeFunction'
  | 'nodeOptions'
  | 'build'
  | 'buildOptions'
  | 'arms'
  | 'limitOptions'
  | 'direction'
  | 'bestOptions'
  | 'solution';

export interface Subject {
  /** Its name in reports. */
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** Names of its options beyond those that every algorithm has; undefined if it takes no options. */
  readonly options?: readonly string[];
  /** Set if its errors may come from the engine, as when the message of an `Error` is not a string. */
  readonly engineSpeaks?: true;
  call(...args: unknown[]): unknown;
}

/** Whether an argument is a proxy that was revoked. */
function isRevoked(given: unknown): boolean {
  try {
    Array.isArray(given);
    return false;
  } catch {
    return true;
  }
}

/** It reads a property of its function before all else, since programs call it millions of times: a proxy that was revoked speaks for itself. */
const ofFork = (): Subject => ({
  name: 'fork',
  kinds: ['forkable', 'anything', 'anything'],
  call: (fn, ...args) => (isRevoked(fn) ? undefined : exported['fork']?.(fn, ...args)),
});

/** The options in an argument of any kind, for a call that adds its own. */
export const optionsIn = (given: unknown): Record<string, unknown> => (isRevoked(given) ? {} : { ...Object(given) });

type Loose = (...args: unknown[]) => unknown;
const exported = furcate as unknown as Readonly<Record<string, Loose>>;

/** The promise form and the `Sync` form of an algorithm. */
const algorithm = (name: string, kinds: readonly Kind[], options: readonly string[] = []): Subject[] =>
  [name, `${name}Sync`].map((each) => ({ name: each, kinds, options, call: (...args) => exported[each]?.(...args) }));

const threeRounds = (round: number): number | undefined => (round < 3 ? 40 * round : undefined);

/** A function for the rounds that comes from elsewhere might never end them. */
const ofRounds = (name: string): Subject => ({
  name,
  kinds: ['rounds', 'body'],
  options: [],
  call: (next, ...rest) =>
    exported[name]?.(typeof next === 'function' && !isRevoked(next) ? threeRounds : next, ...rest),
});

/** The promise form of an algorithm with plain values. */
const values = (name: string, kinds: readonly Kind[], options: readonly string[] = []): Subject => ({
  name: `${name} of values`,
  kinds,
  options: ['concurrency', ...options],
  call: (...args) => exported[name]?.(...args),
});

const plain = (name: string, ...kinds: Kind[]): Subject => ({
  name,
  kinds,
  call: (...args) => exported[name]?.(...args),
});

const constructed = (name: string, ...kinds: Kind[]): Subject => ({
  name: `new ${name}`,
  kinds,
  call: (...args) => Reflect.construct(exported[name] as Loose, args),
});

/** A method of an object that `make` returns. For a static method, `make` returns the class. */
const method = (owner: string, make: () => object, name: string, ...kinds: Kind[]): Subject => ({
  name: `${owner}.${name}`,
  kinds,
  call: (...args) => {
    const target = make() as Record<string, Loose>;
    return target[name]?.(...args);
  },
});

const errors = (...names: string[]): Subject[] =>
  names.flatMap((name) => [
    { ...constructed(name, 'message', 'errorOptions'), engineSpeaks: true as const },
    method(name, () => exported[name] as object, 'is', 'anything'),
  ]);

/** Objects that the test supplies. */
export interface Fixtures {
  readonly pool: furcate.ForkJoinPool;
  newTask(): furcate.ForkJoinTask<unknown>;
  newPool(): furcate.ForkJoinPool;
}

export function subjects({ pool, newTask, newPool }: Fixtures): Subject[] {
  const { ForkJoinPool, ForkJoinTask, SequentialExecutor } = furcate;
  ForkJoinPool.commonPool(); // makes the common pool before hostile options can
  const ofPool = (name: string, ...kinds: Kind[]): Subject => method('pool', () => pool, name, ...kinds);
  const ofTask = (name: string, ...kinds: Kind[]): Subject => method('task', newTask, name, ...kinds);
  const ofAsyncTask = (name: string, ...kinds: Kind[]): Subject =>
    method('AsyncTask', () => Object.create(furcate.AsyncTask.prototype) as object, name, ...kinds);
  const ofTasks = (name: string, ...kinds: Kind[]): Subject =>
    method('ForkJoinTask', () => ForkJoinTask, name, ...kinds);
  const ofSequential = (name: string, ...kinds: Kind[]): Subject =>
    method('sequential', () => new SequentialExecutor(), name, ...kinds);
  return [
    ...algorithm('parallelFor', ['range', 'body'], ['partition']),
    ...algorithm('parallelForRange', ['range', 'body'], ['partition']),
    ...algorithm('parallelForTiles', ['range', 'range', 'body'], ['tile']),
    ...['parallelRounds', 'parallelRoundsSync'].map(ofRounds),
    ...algorithm('parallelForEach', ['array', 'body'], ['partition']),
    ...algorithm('parallelMap', ['array', 'mapper'], ['into', 'as', 'partition']),
    values('parallelMap', ['items', 'mapper'], ['transfer']),
    values('parallelForEach', ['items', 'body'], ['transfer']),
    values('parallelFilter', ['items', 'predicate']),
    values('parallelReduce', ['items', 'operation', 'identity'], ['map', 'transfer']),
    ...algorithm('parallelTabulate', ['type', 'count', 'mapper']),
    ...algorithm('parallelFlatMap', ['array', 'body'], ['type']),
    ...algorithm('parallelFill', ['array', 'element']),
    ...algorithm('parallelReduce', ['array', 'operation', 'identity'], ['map']),
    ...algorithm('parallelReduceRange', ['range', 'operation', 'identity'], ['map']),
    ...algorithm('parallelScan', ['array', 'operation', 'identity'], ['exclusive', 'into']),
    ...algorithm('parallelFilter', ['array', 'predicate']),
    ...algorithm('parallelPartition', ['array', 'predicate']),
    ...algorithm('parallelFind', ['array', 'predicate']),
    ...algorithm('parallelFindIndex', ['array', 'predicate']),
    ...algorithm('parallelIndexOf', ['array', 'element']),
    ...algorithm('parallelSome', ['array', 'predicate']),
    ...algorithm('parallelEvery', ['array', 'predicate']),
    ...algorithm('parallelCount', ['array', 'predicate']),
    ...algorithm('parallelSort', ['array', 'comparator']),
    ...algorithm('parallelArgsort', ['array', 'comparator']),
    ...algorithm('parallelSortBy', ['items', 'key'], ['descending', 'ties']),
    ...algorithm('parallelMerge', ['array', 'array', 'comparator'], ['into']),
    ...algorithm('parallelTopK', ['array', 'count', 'comparator']),
    ...algorithm('parallelTopK', ['items', 'count', 'key'], ['descending', 'ties']).map(
      ({ name, kinds, options }): Subject => ({
        name: `${name} by a key`,
        kinds,
        options,
        call: (items, k, key, given) => exported[name]?.(items, k, { key, ...optionsIn(given) }),
      }),
    ),
    ...algorithm('parallelMinMax', ['array']),
    ...algorithm('parallelHistogram', ['array', 'key'], ['bins', 'min', 'max']),
    ...algorithm('parallelReduceByKey', ['array', 'array', 'operation', 'identity']),
    ...algorithm('parallelUnique', ['array']),
    ...algorithm('parallelInvoke', ['taskList']),

    plain('sharedArray', 'type', 'items'),
    plain('dictionaryEncode', 'strings', 'dictionaryOptions'),
    method('encoded', () => furcate.dictionaryEncode(['b', 'a']), 'codeOf', 'anything'),
    method('encoded', () => furcate.dictionaryEncode(['b', 'a']), 'decode', 'array'),
    plain('fileParts', 'anything', 'anything'),
    plain('sharedFile', 'anything'),
    plain('lineChunks', 'array', 'anything'),
    plain('decodeText', 'array', 'name'),
    plain('randomStreams', 'count'),
    method('random', () => furcate.randomStreams(1), 'stream', 'count'),
    method('stream', () => furcate.randomStreams(1).stream(2), 'below', 'count'),
    plain('sharedSet', 'element', 'anything'),
    method('set', () => furcate.sharedSet('u32', { maxSize: 100 }), 'add', 'element'),
    plain('sharedMap', 'element', 'element', 'anything'),
    method('map', () => furcate.sharedMap('i32', 'f64', { combine: 'sum', maxSize: 100 }), 'add', 'element', 'element'),
    plain('sharedBag', 'element', 'anything'),
    method('bag', () => furcate.sharedBag('f64', { maxSize: 100 }), 'add', 'element'),
    plain('sharedStruct', 'anything', 'count'),
    plain('free', 'freshSharedArray'),
    plain('isShared', 'array'),
    plain('forkable', 'url', 'name', 'function'),
    plain('blocking', 'function'),
    plain('checkpoint', 'anything'),
    plain('report', 'anything'),
    plain('carried', 'anything'),
    plain('isolate', 'function'),
    plain('kernel', 'mapper', 'anything'),
    plain('atomicAdd', 'freshSharedArray', 'count', 'element'),
    plain('atomicMin', 'freshSharedArray', 'count', 'element'),
    plain('atomicMax', 'freshSharedArray', 'count', 'element'),
    plain('testAndSet', 'freshSharedArray', 'count'),
    plain('asyncForkable', 'url', 'name', 'function'),
    ofFork(),
    plain('join', 'handle'),
    plain('task', 'forkable', 'anything'),
    plain('registerClass', 'url', 'name', 'valueClass'),
    plain('registerError', 'url', 'name', 'errorClass'),
    plain('workerLocal', 'function'),
    ...errors(
      'CancellationError',
      'NotShareableError',
      'RejectedExecutionError',
      'TaskRegistrationError',
      'WorkerCrashError',
    ),

    constructed('ForkJoinPool', 'poolOptions'),
    method('ForkJoinPool', () => ForkJoinPool, 'commonPool'),
    method('ForkJoinPool', () => ForkJoinPool, 'configureCommonPool', 'poolOptions'),
    ofPool('invoke', 'task', 'invokeOptions'),
    ofPool('with', 'invokeOptions'),
    ofPool('invokeAny', 'taskList', 'invokeOptions'),
    method('pool.with({})', () => pool.with({}), 'invoke', 'task', 'anything'),
    ofPool('invokeSync', 'task', 'anything'),
    ofPool('broadcast', 'forkable', 'anything'),
    ofPool('ready', 'anything'),
    ofPool('stats', 'anything'),
    ofPool('awaitQuiescence', 'milliseconds'),
    method('new pool', newPool, 'close', 'anything'),
    method('new pool', newPool, 'terminate', 'anything'),

    constructed('SequentialExecutor', 'anything'),
    ofSequential('invoke', 'task', 'anything'),
    ofSequential('invokeSync', 'task', 'anything'),
    ofSequential('with', 'invokeOptions'),
    ofSequential('invokeAny', 'taskList', 'invokeOptions'),
    ofSequential('close', 'anything'),

    constructed('ForkJoinTask', 'anything'),
    constructed('RecursiveTask', 'anything'),
    constructed('RecursiveAction', 'anything'),
    method(
      'taskClass',
      () =>
        class extends furcate.RecursiveTask<number> {
          compute(): number {
            return 1;
          }
        },
      'register',
      'url',
      'name',
    ),
    constructed('AsyncTask', 'anything'),
    ofAsyncTask('fork', 'forkable', 'anything'),
    ofAsyncTask('join', 'anything'),
    ofAsyncTask('joinAll', 'anything'),
    ofAsyncTask('joinAllSettled', 'anything'),
    ofAsyncTask('invokeAny', 'taskList'),
    ofAsyncTask('yield', 'anything'),
    ofAsyncTask('report', 'anything'),
    ofAsyncTask('carried', 'anything'),
    ofTasks('invokeAll', 'tasks', 'task', 'task'),
    ofTasks('inForkJoinPool', 'anything'),
    ofTasks('getQueuedTaskCount', 'anything'),
    ofTasks('getSurplusQueuedTaskCount', 'anything'),
    ofTasks('getPool', 'anything'),
    ofTasks('helpQuiesce', 'anything'),
    ...[
      'fork',
      'join',
      'invoke',
      'quietlyJoin',
      'tryUnfork',
      'cancel',
      'getRawResult',
      'getException',
      'reinitialize',
    ].map((name) => ofTask(name, 'anything')),
  ].filter(({ name }) => !/^parallel.*Sync$/.test(name) || name in exported);
}

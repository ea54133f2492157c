/** Lists every export of `furcate/flows` with the kinds of its arguments, as subjects.ts does for the others. */
import type { ForkJoinPool } from 'furcate';
import * as flows from 'furcate/flows';
import { type Kind, optionsIn, type Subject } from './subjects.js';

type Loose = (...args: unknown[]) => unknown;
type G = Readonly<Record<'task' | 'with' | 'all' | 'after' | 'choose', Loose>>;

/** Builds a graph with arguments of `g`, and runs it. */
export function flowsSubjects(pool: ForkJoinPool): Subject[] {
  const subject = (name: string, kinds: readonly Kind[], call: Loose, options?: readonly string[]): Subject => ({
    name,
    kinds,
    call,
    ...(options === undefined ? {} : { options }),
  });
  const graphOf = (build: (g: G) => unknown) => flows.taskGraph(build as never) as flows.TaskGraph<[], unknown>;
  const built = (build: (g: G) => unknown): Promise<unknown> => graphOf(build).with({ pool }).run();
  const one = (g: G): unknown => g.task(() => 1);
  const echo = flows.taskGraph<[unknown], unknown>((g, x) => g.task((y: unknown) => y, x));
  return [
    subject('taskGraph', ['build', 'buildOptions'], (build, options) =>
      flows.taskGraph(build as never, options as never),
    ),
    subject('g.task', ['nodeFunction', 'anything'], (fn, x) => built((g) => g.task(fn, x))),
    subject('g.task of a node', ['nodeFunction', 'anything'], (fn, x) => built((g) => g.task(fn, one(g), x))),
    subject('g.with', ['nodeOptions', 'nodeFunction', 'anything'], (options, fn, x) =>
      built((g) => (g.with(options) as G).task(fn, x)),
    ),
    subject('g.all', ['anything'], (x) => built((g) => g.all([one(g), x]))),
    subject('g.all of what is no list', ['anything'], (x) => built((g) => g.all(x))),
    subject('g.after', ['anything', 'anything'], (x, y) => built((g) => g.after(x, y))),
    subject('g.after of a node', ['anything'], (x) => built((g) => g.after(one(g), x))),
    subject('g.choose', ['arms'], (arms) => built((g) => g.choose(one(g), arms))),
    subject('g.choose by', ['anything', 'arms'], (key, arms) => built((g) => g.choose(key, arms))),
    subject('graph.run', ['anything'], (x) => echo.with({ pool }).run(x)),
    subject('graph.runSync', ['anything'], (x) => echo.with({ pool }).runSync(x)),
    subject(
      'graph.with',
      ['anything'],
      (x, options) => {
        const { threshold: _, ...given } = optionsIn(options);
        return echo.with((Object.keys(given).length > 0 ? given : options) as never).run(x);
      },
      ['stopOnError', 'priority', 'scope'],
    ),
    subject('graph.toDot', ['anything'], (x) => (echo.toDot as Loose)(x)),
    subject('limit', ['count', 'limitOptions'], (size, options) => flows.limit(size as never, options as never)),
    subject('limit.of', ['count'], (permits) => flows.limit(3).of(permits as never)),
    subject('pool.invoke with a limit', ['task', 'nodeOptions'], (task, options) =>
      pool.invoke(task as never, { limit: optionsIn(options).limit as never }),
    ),
    subject('sharedBest', ['direction', 'bestOptions'], (kind, options) =>
      flows.sharedBest(kind as never, options as never),
    ),
    subject('best.offer', ['element', 'solution'], (value, solution) =>
      flows.sharedBest('min', { solution: 2 }).offer(value as never, solution as never),
    ),
    subject('sharedWindow', ['bestOptions'], (options) => flows.sharedWindow(options as never)),
    subject('window.offer', ['element'], (value) => flows.sharedWindow().offer(value as never)),
    subject('isGraphFailure', ['anything'], flows.isGraphFailure as Loose),
    subject('isPipelineFailure', ['anything'], flows.isPipelineFailure as Loose),
    subject('pipeline.toArray', ['anything'], (options) => flows.pipeline([1], { pool }).toArray(options as never)),
    subject('pipeline', ['items', 'anything'], (source, options) => flows.pipeline(source as never, options as never)),
    ...Object.entries({ merge: flows.merge, concat: flows.concat, zip: flows.zip }).map(([name, join]) =>
      subject(name, ['items', 'items'], (one, other) =>
        flows.pipeline(join(one as never, other as never), { pool }).toArray(),
      ),
    ),
    subject('pipeline.window', ['count', 'anything'], (size, options) =>
      flows
        .pipeline([1, 2], { pool })
        .window(size as never, options as never)
        .toArray(),
    ),
    subject('pipeline.distinct', ['anything'], (options) =>
      flows
        .pipeline([1, 1], { pool })
        .distinct(options as never)
        .toArray(),
    ),
  ];
}

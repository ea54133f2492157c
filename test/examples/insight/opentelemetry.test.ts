/** The modules of docs/insight.md for OpenTelemetry, with its real SDK: a request's span is the parent of its invocations' spans, and of those that tasks make. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Example, examplesOf, runExamples } from '../../helpers/examples.js';
import { ROOT } from '../../helpers/project-files.js';

const path = 'docs/insight.md';
const modules = examplesOf({ path, text: readFileSync(join(ROOT, path), 'utf8') }).filter(({ file }) =>
  ['spans.mjs', 'prices.mjs'].includes(file),
);

const place = 'opentelemetry.test.ts:1';

/** By its URL, since it is not installed in the folder of the examples. */
const from = (name: string): string => JSON.stringify(import.meta.resolve(`@opentelemetry/${name}`));

/** What a program sets up, and as `preload` each of its workers. */
const setup: Example = {
  place,
  file: 'setup.mjs',
  text: `
    import { context, propagation, trace } from ${from('api')};
    import { AsyncLocalStorageContextManager } from ${from('context-async-hooks')};
    import { W3CTraceContextPropagator } from ${from('core')};
    import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from ${from('sdk-trace-base')};
    export const exporter = new InMemorySpanExporter();
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    export const tracer = trace.getTracer('app');
    export { context, propagation };`,
};

const task: Example = {
  place,
  file: 'traced.mjs',
  text: `
    import { carried, fork, forkable, join } from 'furcate';
    import { context, exporter, propagation, tracer } from './setup.mjs';
    /** Gives the trace and the parent of a span that each of its tasks makes. */
    export const traced = forkable(import.meta.url, 'traced', (tasks) => {
      tracer.startSpan('task', {}, propagation.extract(context.active(), carried())).end();
      const parent = exporter.getFinishedSpans().at(-1).parentSpanContext;
      if (tasks === 1) return [parent.traceId + ' ' + parent.spanId];
      const others = fork(traced, tasks - 1);
      return [parent.traceId + ' ' + parent.spanId, ...join(others)];
    });`,
};

const program: Example = {
  place,
  file: 'program.mjs',
  text: `
    import assert from 'node:assert/strict';
    import { ForkJoinPool } from 'furcate';
    import { price } from './prices.mjs';
    import { exporter, tracer } from './setup.mjs';
    import { spansOfInvocations, traceparentOf } from './spans.mjs';
    import { traced } from './traced.mjs';

    spansOfInvocations(tracer);
    const pool = new ForkJoinPool({ parallelism: 2, name: 'requests', preload: [new URL('setup.mjs', import.meta.url).href] });
    const requests = ['GET /lamps', 'GET /desks'].map((name) => tracer.startActiveSpan(name, async (request) => {
      const within = pool.with({ carry: { traceparent: traceparentOf(request) } });
      const { traceId, spanId } = request.spanContext();
      assert.deepEqual(await within.invoke(price, [name]), [name + ': 00-' + traceId + '-' + spanId + '-01']);
      assert.deepEqual(await within.invoke(traced, 3), Array(3).fill(traceId + ' ' + spanId));
      await assert.rejects(within.invoke(price, 5), TypeError);
      request.end();
      return [name, request.spanContext()];
    }));
    const parents = new Map(await Promise.all(requests));
    await pool.close();

    const spans = exporter.getFinishedSpans();
    for (const request of parents.values()) {
      const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === request.spanId);
      assert.deepEqual(children.map(({ name, status, attributes, events }) => [name, status.code, attributes.pool, events.length]), [
        ['invoke price', 0, 'requests', 0],
        ['invoke traced', 0, 'requests', 0],
        ['invoke price', 2, 'requests', 1], // its error
      ]);
      for (const child of children) assert.equal(child.spanContext().traceId, request.traceId);
    }
    assert.equal(spans.length, 8);`,
};

test("the spans of invocations, and those of tasks, are children of the request's span", async () => {
  expect(modules.map(({ file }) => file)).toEqual(['spans.mjs', 'prices.mjs']);
  expect((await runExamples([...modules, setup, task, program])).filter((error) => error !== null)).toEqual([]);
});

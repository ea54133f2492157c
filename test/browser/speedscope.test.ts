/** Timelines in Chrome's trace event format, read by a program that is not ours: speedscope, in Chromium. It complains of slices that cross. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ForkJoinPool, parallelSort, sharedArray } from 'furcate';
import { limit, pipeline, taskGraph } from 'furcate/flows';
import { trace } from 'furcate/insight';
import { expect, test } from 'vitest';
import { fixture, type Scenario } from '../helpers/executors.js';
import { LONG_TEST_HANG_MS } from '../helpers/limits.js';
import { type Timeline, timelineOf } from '../helpers/timeline.js';
import { visit } from '../helpers/visits.js';

const { chain, skewed } = (await fixture('profiled.mjs')) as Record<'chain' | 'skewed', Scenario>;

const release = join(dirname(createRequire(import.meta.url).resolve('speedscope/package.json')), 'dist/release');
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Tells what speedscope has made of the file: it is asked to save that, as if by Ctrl and S. And what it complains of. */
const ASKING = `<script>
  const complaints = [];
  const tell = (kind, text) => fetch('/told', { method: 'POST', body: JSON.stringify({ kind, text }) });
  console.warn = console.error = (...values) => complaints.push(values.map(String).join(' '));
  addEventListener('error', ({ message }) => complaints.push(message));
  addEventListener('unhandledrejection', ({ reason }) => complaints.push(String(reason)));
  alert = (text) => complaints.push(text);
  const makeUrl = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    if (blob.type === 'text/javascript') return makeUrl(blob);
    void blob.text().then((saved) => tell('log', JSON.stringify({ complaints, saved: JSON.parse(saved) })));
    return makeUrl(new Blob());
  };
  console.timeEnd = () => {
    let tries = 0;
    const ask = () => {
      dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }));
      if (++tries < 3) requestAnimationFrame(ask);
    };
    requestAnimationFrame(ask);
  };
  if (location.hash === '') location.hash = 'profileURL=' + encodeURIComponent(location.origin + '/timeline.json');
</script>`;

interface Saved {
  readonly shared: { readonly frames: readonly { readonly name: string }[] };
  readonly profiles: readonly {
    readonly name: string;
    readonly events: readonly { readonly type: string; readonly frame: number }[];
  }[];
}

/** @param file its text, or its bytes */
async function speedscopeOf(file: string | Uint8Array): Promise<{ complaints: readonly string[]; saved: Saved }> {
  const told = await visit([
    {
      name: 'speedscope',
      answer({ url = '/' }, response) {
        const path = new URL(url, 'http://localhost').pathname;
        const asset = join(release, path === '/' ? 'index.html' : path);
        const isTimeline = path === '/timeline.json';
        response.writeHead(isTimeline || existsSync(asset) ? 200 : 404, {
          'Content-Type': TYPES[extname(asset)] ?? '',
        });
        if (isTimeline) response.end(file);
        else if (path === '/') response.end(readFileSync(asset, 'utf8').replace('<script', `${ASKING}<script`));
        else response.end(existsSync(asset) ? readFileSync(asset) : '');
      },
    },
  ]);
  const [first] = told.get('speedscope') ?? [];
  if (first?.kind !== 'log') throw new Error(first?.text);
  return JSON.parse(first.text) as { complaints: readonly string[]; saved: Saved };
}

/** Slices as speedscope has them, each thread's by name, from the one that begins first to the last. */
const slicesIn = ({ profiles, shared }: Saved): Record<string, string[]> =>
  Object.fromEntries(
    profiles.map(({ name, events }) => [
      name.replace(/ \(.*$/, ''),
      events.flatMap(({ type, frame }) =>
        type === 'O' ? [shared.frames[frame]?.name.replace(/ \{.*$/, '') ?? ''] : [],
      ),
    ]),
  );

/** The same slices as the file has them, but for those without length in which arrows begin: speedscope, which shows no arrows, leaves these out. */
function slicesOf({ events, threads }: Timeline): Record<string, string[]> {
  const slices = events
    .filter(({ ph, cat }) => ph === 'X' && cat !== 'event')
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const found = new Map<string, string[]>();
  for (const { tid, name } of slices) {
    const thread = threads.get(tid) ?? '';
    found.set(thread, [...(found.get(thread) ?? []), name]);
  }
  return Object.fromEntries(found);
}

/** Slices that begin in the same nanosecond may stand in either order. */
const sorted = (slices: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(slices).map(([thread, names]) => [thread, names.sort()]));

test('speedscope finds each slice of a timeline within the one that it is in, and nothing to complain of', {
  timeout: LONG_TEST_HANG_MS,
}, async () => {
  const pool = new ForkJoinPool({ parallelism: 2, name: 'read' });
  const diamond = taskGraph((g) => {
    const top = g.with({ name: 'top' }).task(() => 1);
    const sides = [2, 3].map((k) =>
      g.with({ name: `side ${k}` }).task((x: number, factor: number) => x * factor, top, k),
    );
    return g.with({ name: 'bottom' }).task((left: number, right: number) => left + right, ...(sides as [never, never]));
  });
  const traced = await trace(
    async () => {
      await Promise.all([pool.invoke(skewed, 12), pool.invoke(chain, 50)]);
      await parallelSort(
        sharedArray(
          Float64Array,
          Float64Array.from({ length: 100_000 }, (_, k) => (k * 7919) % 100_003),
        ),
        {
          pool,
        },
      );
      await pipeline([1, 2, 3, 4, 5, 6], { pool })
        .map((x) => x + 1)
        .map(async (x) => x * 2, { limit: limit(1) })
        .toArray();
      await diamond.with({ pool }).run();
    },
    { tasks: 'all' },
  );
  await pool.close();
  const text = JSON.stringify(traced);
  const { complaints, saved } = await speedscopeOf(gzipSync(text)); // which it opens as such files are written
  expect(complaints).toEqual([]);
  expect(sorted(slicesIn(saved))).toEqual(sorted(slicesOf(timelineOf(text))));
  const all = Object.values(slicesIn(saved)).flat();
  for (const name of ['chain', 'skewed', 'top', 'bottom']) expect(all).toContain(name);
});

test('speedscope complains of slices that cross', { timeout: LONG_TEST_HANG_MS }, async () => {
  const slice = (name: string, ts: number, dur: number): object => ({ ph: 'X', name, pid: 1, tid: 1, ts, dur });
  const traceEvents = [slice('first', 0, 10), slice('crossing', 5, 10), slice('last', 20, 10)];
  const { complaints } = await speedscopeOf(JSON.stringify({ traceEvents }));
  expect(complaints.join('\n')).toMatch(/Tried to end "first" when "crossing" was on the top/);
});

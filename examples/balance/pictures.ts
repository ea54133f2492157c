/** Describes the pictures of docs/balance.md: who was busy when, and the time of a tree of tasks by its leaves. */
import type { TopLevelSpec } from 'vega-lite';
import type { Granularity } from './granularity.js';
import type { Run } from './measure.js';

const WIDTH_PIXELS = 560;
const THREAD_PIXELS = 20; // height of one thread's row
const CONFIG = { aria: false, background: 'white', font: 'sans-serif', title: { anchor: 'start' } } as const;

const shown = (ms: number): string => `${ms.toFixed(1)} ms`;
const rounded = (x: number): number => Math.round(x * 100) / 100;

/** A row for each thread under each partition. The colour is the place of the items in the loop. */
export function busyPicture(title: string, runs: ReadonlyMap<string, Run>): TopLevelSpec {
  const values = [...runs].flatMap(([partition, { intervals, ms }]) =>
    intervals.map(({ thread, startMs, endMs, item }) => ({
      partition: `${partition}: ${shown(ms)}`,
      thread: `thread ${thread}`,
      startMs: rounded(startMs),
      endMs: rounded(endMs),
      item: Math.round(item),
    })),
  );
  return {
    title,
    config: { ...CONFIG, header: { labelAnchor: 'start', labelOrient: 'top', title: null } },
    data: { values },
    facet: { row: { field: 'partition', type: 'nominal', sort: null } },
    spacing: 8,
    spec: {
      width: WIDTH_PIXELS,
      height: { step: THREAD_PIXELS },
      mark: { type: 'bar' },
      encoding: {
        x: { field: 'startMs', type: 'quantitative', title: 'milliseconds', axis: { grid: false } },
        x2: { field: 'endMs' },
        y: { field: 'thread', type: 'nominal', title: null },
        color: { field: 'item', type: 'quantitative', scale: { scheme: 'viridis' }, legend: { title: 'index' } },
      },
    },
  };
}

/** The time by the size of a leaf, and that of a plain loop. */
export function granularityPicture(n: number, { plainMs, leaves }: Granularity): TopLevelSpec {
  const x = {
    field: 'size',
    type: 'quantitative',
    scale: { type: 'log', base: 4 },
    title: 'numbers in a leaf',
  } as const;
  const y = { field: 'ms', type: 'quantitative', title: 'milliseconds', scale: { type: 'log' } } as const;
  return {
    title: `A tree of tasks that adds ${n.toLocaleString('en')} roots, on two threads`,
    config: CONFIG,
    width: WIDTH_PIXELS,
    height: 220,
    layer: [
      {
        data: { values: leaves.map(({ size, ms }) => ({ size, ms: rounded(ms) })) },
        mark: { type: 'line', point: true, color: '#4c78a8' },
        encoding: {
          x: { ...x, axis: { format: ',', values: [1, 16, 256, 4096, 65_536, 1_048_576], grid: false } },
          y: { ...y, axis: { format: '~s' } },
        },
      },
      {
        data: { values: [{ ms: rounded(plainMs), text: 'a plain loop on one thread' }] },
        layer: [
          { mark: { type: 'rule', strokeDash: [4, 4], color: '#d1603d' }, encoding: { y } },
          { mark: { type: 'text', x: WIDTH_PIXELS, align: 'right', dy: -6 }, encoding: { y, text: { field: 'text' } } },
        ],
      },
    ],
  };
}

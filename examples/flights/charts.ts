/** Describes the charts of the job: the histogram of delays, and the work of each worker. */
import type { TopLevelSpec } from 'vega-lite';
import { BIN_MINUTES, binStart, type DelayHistogram, HIGH_MINUTES, LOW_MINUTES } from './questions/delay-histogram.js';
import { counted, percent, whole } from './words.js';
import type { WorkerShare } from './worker-shares.js';

const WIDTH_PIXELS = 720;
const HEIGHT_PIXELS = 360;
const WORKER_PIXELS = 48; // height of one worker's row
const LABEL_ROOM = 1.25; // width of the axis relative to the longest bar, so that its label fits
const EARLY_COLOUR = '#4c9f70';
const LATE_COLOUR = '#d1603d';
const ELEMENTS_COLOUR = '#4c78a8';
const STOLEN_COLOUR = '#f2a541';

export function delayHistogramChart({ counts }: DelayHistogram): TopLevelSpec {
  const all = counts.reduce((sum, flights) => sum + flights, 0);
  const bins = Array.from(counts, (flights, bin) => ({
    from: binStart(bin),
    to: binStart(bin) + BIN_MINUTES,
    flights,
  }));
  const drawn = bins.slice(1, -1).map((bin) => ({ ...bin, arrival: bin.from < 0 ? 'early' : 'on time or late' }));
  const [before, after] = [counts[0], counts[counts.length - 1]];
  return {
    ...frame(`Arrival delay of ${whole(all)} flights`, [
      `Bins of ${BIN_MINUTES} minutes. Not drawn: ${counted(before, 'flight')} more than ${-LOW_MINUTES} minutes early,`,
      `and ${whole(after)} (${percent(after, all)}) at least ${HIGH_MINUTES} minutes late.`,
    ]),
    width: WIDTH_PIXELS,
    height: HEIGHT_PIXELS,
    data: { values: drawn },
    mark: { type: 'bar', binSpacing: 1 },
    encoding: {
      x: {
        field: 'from',
        type: 'quantitative',
        bin: { binned: true, step: BIN_MINUTES },
        title: 'arrival delay, minutes (negative: early)',
        axis: { tickMinStep: 30, values: ticks(LOW_MINUTES, HIGH_MINUTES, 30), grid: false },
        scale: { domain: [LOW_MINUTES, HIGH_MINUTES] },
      },
      x2: { field: 'to' },
      y: { field: 'flights', type: 'quantitative', title: 'flights', axis: { format: ',d' } },
      color: {
        field: 'arrival',
        type: 'nominal',
        scale: { domain: ['early', 'on time or late'], range: [EARLY_COLOUR, LATE_COLOUR] },
        legend: { title: 'arrival' },
      },
    },
  };
}

export function workerShareChart(shares: readonly WorkerShare[]): TopLevelSpec {
  const elements = shares.reduce((sum, share) => sum + share.elements, 0);
  const stolen = shares.reduce((sum, share) => sum + share.stolen, 0);
  const rows = shares.map((share) => ({ ...share, share: percent(share.elements, elements) }));
  const y = { field: 'worker', type: 'nominal', title: 'worker', sort: null } as const;
  return {
    ...frame('What each worker did', [
      `${whole(elements)} elements processed in all questions and runs,`,
      `${counted(stolen, 'task')} stolen by workers that had run out of their own.`,
    ]),
    data: { values: rows },
    hconcat: [
      {
        width: WIDTH_PIXELS / 2,
        height: { step: WORKER_PIXELS },
        encoding: {
          y,
          x: {
            field: 'elements',
            type: 'quantitative',
            title: 'elements processed',
            scale: { domainMax: LABEL_ROOM * Math.max(1, ...shares.map((share) => share.elements)) },
            axis: { format: '~s', labelExpr: "datum.value === 0 ? '0' : datum.label", tickCount: 6 },
          },
        },
        layer: [
          { mark: { type: 'bar', color: ELEMENTS_COLOUR } },
          {
            mark: { type: 'text', align: 'left', dx: 6, fontSize: 12 },
            encoding: { text: { field: 'share' } },
          },
        ],
      },
      {
        width: WIDTH_PIXELS / 2,
        height: { step: WORKER_PIXELS },
        mark: { type: 'bar', color: STOLEN_COLOUR },
        encoding: {
          y: { ...y, title: null },
          x: {
            field: 'stolen',
            type: 'quantitative',
            title: 'tasks stolen from others',
            axis: { format: ',d', tickMinStep: 1, tickCount: 6 },
          },
        },
      },
    ],
  };
}

/**
 * The properties that all charts share.
 *
 * Subtitles have short lines. Without a canvas, Vega overestimates the width of a text, and would widen the chart for a long line.
 */
function frame(title: string, subtitle: string[]) {
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    padding: 20,
    background: 'white',
    title: {
      text: title,
      subtitle,
      anchor: 'start',
      fontSize: 18,
      subtitleFontSize: 12,
      subtitlePadding: 6,
      offset: 16,
    },
    config: {
      font: 'Helvetica, Arial, sans-serif',
      view: { stroke: null },
      axis: { labelFontSize: 11, titleFontSize: 12, titlePadding: 10 },
    },
  } satisfies Partial<TopLevelSpec>;
}

function ticks(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}

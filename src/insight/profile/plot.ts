/** The speed-up that a profile predicts, as an SVG image; on the thread that called `profile`. */
import { show } from '../../core/errors.js';
import type { MeasuredSpeedUp, ProfileNumbers, SpeedUp } from './numbers.js';

const MOST_THREADS = 64;
const WIDTH = 640;
const HEIGHT = 400;
const LEFT = 56;
const TOP = 24;
const PLOT_WIDTH = WIDTH - LEFT - 24;
const PLOT_HEIGHT = HEIGHT - TOP - 56;
const TICKS = [1, 2, 4, 8, 16, 32, 64];

/** Both axes are logarithmic. */
const x = (threads: number): string => (LEFT + (PLOT_WIDTH * Math.log2(threads)) / 6).toFixed(1);
const y = (speedUp: number): string => (TOP + PLOT_HEIGHT * (1 - Math.log2(Math.max(1, speedUp)) / 6)).toFixed(1);

const STYLE = `text{font:13px system-ui,sans-serif;fill:#222}.grid{stroke:#ddd}.band{fill:#2a6fdb22}.line{fill:none;stroke:#2a6fdb;stroke-width:2}.expected{stroke-dasharray:2 3}.ideal{stroke:#888;stroke-dasharray:4 4}.measured{fill:#c2410c}@media(prefers-color-scheme:dark){text{fill:#eee}.grid{stroke:#444}.line{stroke:#7fb0ff}.band{fill:#7fb0ff33}.measured{fill:#fb923c}}`;

const isPoint = (point: Partial<MeasuredSpeedUp> | null): boolean => {
  const { threads = 0, speedUp = 0 } = point ?? {};
  return Number.isFinite(threads) && threads >= 1 && Number.isFinite(speedUp) && speedUp > 0;
};

export function plotOf(profile: ProfileNumbers, measured: readonly MeasuredSpeedUp[]): string {
  const threads = Array.from({ length: MOST_THREADS }, (_, k) => k + 1);
  const line = (bound: keyof SpeedUp): string[] =>
    threads.map((count) => `${x(count)},${y(profile.speedUp(count)[bound])}`);
  const ticks = TICKS.flatMap((tick) => [
    `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${y(1)}" y2="${y(64)}"/>`,
    `<line class="grid" x1="${x(1)}" x2="${x(64)}" y1="${y(tick)}" y2="${y(tick)}"/>`,
    `<text x="${x(tick)}" y="${HEIGHT - 36}" text-anchor="middle">${tick}</text>`,
    `<text x="${LEFT - 8}" y="${y(tick)}" dy="4" text-anchor="end">${tick}</text>`,
  ]);
  if (!Array.isArray(measured) || !measured.every(isPoint))
    throw new TypeError(
      `furcate: toSvg(measured) takes points { threads, speedUp }, numbers of threads from 1 up, and speed-ups above 0; it was given ${show(measured)}.`,
    );
  const points = measured
    .filter(({ threads: count }) => count <= MOST_THREADS)
    .map(({ threads: count, speedUp }) => `<circle class="measured" cx="${x(count)}" cy="${y(speedUp)}" r="4"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Predicted speed-up for 1 to 64 threads">`,
    `<style>${STYLE}</style>`,
    ...ticks,
    `<line class="ideal" x1="${x(1)}" y1="${y(1)}" x2="${x(64)}" y2="${y(64)}"/>`,
    `<polygon class="band" points="${[...line('atMost'), ...line('atLeast').reverse()].join(' ')}"/>`,
    `<polyline class="line" points="${line('atMost').join(' ')}"/>`,
    `<polyline class="line" points="${line('atLeast').join(' ')}"/>`,
    `<polyline class="line expected" points="${line('expected').join(' ')}"/>`,
    ...points,
    `<text x="${LEFT + PLOT_WIDTH / 2}" y="${HEIGHT - 12}" text-anchor="middle">threads</text>`,
    `<text x="${LEFT}" y="${TOP - 8}">speed-up; parallelism ${profile.parallelism.toFixed(1)}</text>`,
    '</svg>',
  ].join('\n');
}

/** Lengths of tasks, as bars, beside what a fork and a steal cost. */
import type { Nesting } from '../nesting.js';
import { FORK_US, lengthsOf, type MeasuredKind, type StealCost, shorterThan } from '../task-lengths.js';
import { countOf, shareOf, timeOf } from '../words.js';
import { byId, element, svg } from './elements.js';

/** Of the picture (pixels). On narrow screens it is narrower, so that its text stays readable. */
const MOST_WIDTH = 640;
const LEAST_WIDTH = 300;
const TICK = 70;
const HEIGHT = 200;
const BOTTOM = 26;
const TOP = 18;
const SIDE = 24;

/** Nouns for what is shown, as a reader says them. */
const WHAT: Readonly<Record<MeasuredKind, string>> = {
  tasks: 'task',
  stolen: 'stolen task',
  units: 'chunk of algorithms',
};

const manyOf = (what: MeasuredKind): string => (what === 'units' ? 'chunks of algorithms' : `${WHAT[what]}s`);

function picture(nesting: Nesting, what: MeasuredKind, name: string | undefined, steal: StealCost): Node[] {
  const lengths = lengthsOf(nesting, what, name);
  const { classes, sortedUs } = lengths;
  const tasks = sortedUs.length;
  if (tasks === 0) return [element('p', {}, `The timeline has no ${manyOf(what)} of that name.`)];
  const used = classes.map(({ tasks }, k) => (tasks > 0 ? k : -1)).filter((k) => k >= 0);
  const classOf = (us: number): number => classes.findIndex(({ toUs }) => us < toUs);
  const first = Math.min(used[0], classOf(FORK_US)) - 1;
  const last = Math.max(used[used.length - 1], classOf(steal.us)) + 1;
  const shown = classes.slice(Math.max(0, first), last + 1);
  const width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, byId('lengths').clientWidth));
  const wide = (width - 2 * SIDE) / shown.length;
  const most = Math.max(...shown.map(({ tasks }) => tasks));
  const y = (count: number): number => HEIGHT - BOTTOM - (count / most) * (HEIGHT - BOTTOM - TOP - 14);
  const bars = shown.flatMap(({ fromUs, toUs, tasks: count, us }, k) => {
    const x = SIDE + k * wide;
    const label = `${countOf(count, WHAT[what], manyOf(what))} from ${timeOf(fromUs)} to ${timeOf(toUs)}, ${timeOf(us)} together`;
    const bar = svg(
      'rect',
      { x: x + 1, y: y(count), width: wide - 2, height: HEIGHT - BOTTOM - y(count), class: 'bar' },
      svg('title', {}, label),
    );
    const tick = k % Math.ceil((shown.length * TICK) / width) === 0 && Number.isFinite(toUs);
    return tick ? [bar, svg('text', { x: x + wide, y: HEIGHT - 8, 'text-anchor': 'middle' }, timeOf(toUs))] : [bar];
  });
  const marks = (
    [
      ['fork', FORK_US],
      ['steal', steal.us],
    ] as const
  ).flatMap(([text, us]) => {
    const k = shown.findIndex(({ toUs }) => us < toUs);
    const { fromUs, toUs } = shown[k];
    const x = SIDE + (k + (us - fromUs) / (toUs - fromUs)) * wide;
    return [
      svg('line', { x1: x, x2: x, y1: TOP - 4, y2: HEIGHT - BOTTOM, class: 'mark' }),
      svg('text', { x: Math.min(width - 50, x + 4), y: TOP + 4, class: 'mark' }, `${text} ${timeOf(us)}`),
    ];
  });
  const median = timeOf(sortedUs[tasks >> 1]);
  const short = shorterThan(lengths, steal.us);
  const text = `${countOf(tasks, WHAT[what], manyOf(what))}, ${median} in the middle; ${shareOf(short / tasks)} shorter than a steal (${timeOf(steal.us)}).`;
  return [
    svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': text }, ...bars, ...marks),
    element('p', {}, text),
  ];
}

/** @param names that can be chosen */
export function showHistogram(nesting: Nesting, names: readonly string[], steal: StealCost): void {
  const kinds = (Object.keys(WHAT) as MeasuredKind[]).filter((what) => lengthsOf(nesting, what).sortedUs.length > 0);
  const what = element(
    'select',
    { id: 'counted' },
    ...kinds.map((kind) => element('option', { value: kind }, manyOf(kind))),
  );
  const name = element(
    'select',
    { id: 'named' },
    element('option', { value: '' }, 'of all names'),
    ...names.map((one) => element('option', { value: one }, one)),
  );
  const place = element('div');
  const show = (): void =>
    place.replaceChildren(
      ...picture(nesting, what.value as MeasuredKind, name.value === '' ? undefined : name.value, steal),
    );
  const panel = byId('lengths');
  if (kinds.length === 0) {
    panel.append(element('p', {}, 'The timeline has no tasks.'));
    return;
  }
  what.addEventListener('change', show);
  name.addEventListener('change', show);
  panel.append(
    element(
      'p',
      {},
      element('label', { for: 'counted' }, 'Length of '),
      what,
      ' ',
      element('label', { for: 'named', class: 'hidden' }, 'Name'),
      name,
    ),
    place,
    element(
      'p',
      { class: 'faint' },
      steal.steals === 0
        ? 'The cost of a steal is that of other measurements, since there were too few here.'
        : `The cost of a steal is the lower quartile of ${steal.steals.toLocaleString('en-US')} steals by threads that were idle, from the publication of the task to its begin.`,
    ),
  );
  show();
}

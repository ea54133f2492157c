/** A profile as a table of one screen; on the thread that called `profile`. */
import type { ProfileNumbers, SpanStep, TaskProfile } from './numbers.js';

const MOST_ROWS = 12;
const MOST_STEPS = 8;
const SOME_THREADS = [2, 4, 8, 16, 32, 64];

/** A number in at most seven characters or so. */
function short(value: number): string {
  if (Number.isInteger(value) && value < 1e9) return value.toLocaleString('en-US');
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);

/** Where something is defined, in short: the last part of its module. */
const place = (module: string | undefined): string => module?.split(/[/\\]/).at(-1) ?? '';

/** Columns of equal width; the first is of words, the others are of numbers. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, k) => Math.max(most[k] ?? 0, cell.length)), []);
  return rows.map((row) =>
    row
      .map((cell, k) => (k === 0 ? cell.padEnd(widths[k] as number) : cell.padStart(widths[k] as number)))
      .join('  ')
      .trimEnd(),
  );
}

const rowOf = (task: TaskProfile, { work, span }: ProfileNumbers): string[] => [
  [task.name, place(task.module)].filter((text) => text !== '').join(' in '),
  short(task.tasks),
  short(task.work),
  percent(task.work, work),
  percent(task.onSpan, span),
];

const stepText = ({ name, cost }: SpanStep): string => `${name} ${short(cost)}`;

function pathText(path: readonly SpanStep[]): string {
  if (path.length <= MOST_STEPS) return path.map(stepText).join(', ');
  const half = MOST_STEPS / 2;
  const parts = [...path.slice(0, half).map(stepText), `(${path.length - MOST_STEPS} more)`];
  return [...parts, ...path.slice(-half).map(stepText)].join(', ');
}

export function tableOf(profile: ProfileNumbers): string {
  const { unit, work, span, parallelism, tasks, forks, apart, byTask, path, regions } = profile;
  const of = unit === 'us' ? ' us' : '';
  const lines = [
    ...aligned([
      ['work (T1)', short(work) + of],
      ['span (T-infinity)', short(span) + of],
      ['parallelism', short(parallelism)],
      ['tasks, forks, apart', `${short(tasks)}, ${short(forks)}, ${short(apart)}`],
    ]),
    '',
    ...aligned([
      ['threads', ...SOME_THREADS.map(String)],
      ['speed-up at most', ...SOME_THREADS.map((threads) => profile.speedUp(threads).atMost.toFixed(1))],
      ['speed-up at least', ...SOME_THREADS.map((threads) => profile.speedUp(threads).atLeast.toFixed(1))],
    ]),
  ];
  if (byTask.length > 0) {
    const rows = byTask.slice(0, MOST_ROWS).map((task) => rowOf(task, profile));
    lines.push('', ...aligned([['task', 'count', `work${of}`, 'of work', 'of span'], ...rows]));
    if (byTask.length > MOST_ROWS) lines.push(`(${byTask.length - MOST_ROWS} more)`);
  }
  if (regions.length > 0) {
    const rows = regions
      .slice(0, MOST_ROWS)
      .map(({ name, calls, work, span, parallelism }) => [name, ...[calls, work, span, parallelism].map(short)]);
    lines.push('', ...aligned([['region', 'calls', `work${of}`, `span${of}`, 'parallelism'], ...rows]));
  }
  if (path.length > 0) lines.push('', `path of the span: ${pathText(path)}`);
  return lines.join('\n');
}

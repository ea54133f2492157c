/** A profile as a table of one screen; on the thread that called `profile`. */
import {
  type ProfileNumbers,
  type SpanStep,
  type SpeedUp,
  shortNumber as short,
  type TaskProfile,
  type TimeProfile,
} from './numbers.js';

const MOST_ROWS = 12;
const MOST_STEPS = 8;
const SOME_THREADS = [2, 4, 8, 16, 32, 64];

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);

const bytes = (count: number): string => (count < 1e6 ? `${short(count / 1e3)} kB` : `${short(count / 1e6)} MB`);

/** Place of a definition, in short: the last part of its module, and the line. */
const place = ({ module, line }: TaskProfile): string =>
  [module?.split(/[/\\]/).at(-1) ?? '', line].filter((text) => text !== undefined && text !== '').join(':');

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
  [task.name, place(task)].filter((text) => text !== '').join(' in '),
  short(task.tasks),
  short(task.work),
  percent(task.work, work),
  percent(task.onSpan, span),
  ...(task.inflation === undefined ? [] : [task.inflation.toFixed(2)]),
];

const stepText = ({ name, cost }: SpanStep): string => `${name} ${short(cost)}`;

function pathText(path: readonly SpanStep[]): string {
  if (path.length <= MOST_STEPS) return path.map(stepText).join(', ');
  const half = MOST_STEPS / 2;
  const parts = [...path.slice(0, half).map(stepText), `(${path.length - MOST_STEPS} more)`];
  return [...parts, ...path.slice(-half).map(stepText)].join(', ');
}

const TOO_FINE =
  'The tasks are too short, or too many, for the clock: only counts are certain. Let tasks charge() what they cost, or fork less.';

const burdenedRows = ({ burdenedSpan, burdenedParallelism, stealCost, c, between }: ProfileNumbers): string[][] => [
  ['burdened span', `${short(burdenedSpan)} us`],
  ['burdened parallelism', short(burdenedParallelism)],
  ['a steal', `${short(stealCost)} us`],
  ['time on P threads', `at most work / P + ${c.toFixed(2)} * span`],
  ...(between > 0 ? [['between calls', `${short(between)} us`]] : []),
];

/** A line for a program that does not do the same work each time. */
const differing = ([least, most]: readonly [number, number]): string[] =>
  least === most
    ? []
    : [
        '',
        `The runs had ${short(least)} to ${short(most)} tasks: their work differs, and on more threads it may, too.`,
      ];

/** Rows that divide P * T(P). */
function timeRows({ schedule }: ProfileNumbers, time: TimeProfile): string[] {
  const { threads, total } = time;
  const parts = (['work', 'inflation', 'garbage', 'waiting', 'scheduling', 'idle', 'start'] as const).filter(
    (part) => time[part] > 0,
  );
  const rows = aligned([
    [`${threads} * ${short(time.wall)} us`, ...parts],
    ['', ...parts.map((part) => percent(time[part], total))],
  ]);
  const { steals, publications, sleeps, encodedBytes, copiedBytes } = schedule;
  const counts = `steals, publications, sleeps: ${[steals, publications, sleeps].map(short).join(', ')}`;
  const copied = copiedBytes === 0 ? '' : `, copied: ${bytes(copiedBytes)}`;
  return [...rows, `${counts}; encoded: ${bytes(encodedBytes)}${copied}`];
}

export function tableOf(profile: ProfileNumbers): string {
  const { unit, precision, work, span, parallelism, tasks, forks, apart, byTask, path, regions, stages } = profile;
  const of = unit === 'us' ? ' us' : '';
  const counts = ['tasks, forks, apart', `${short(tasks)}, ${short(forks)}, ${short(apart)}`];
  if (precision === 'counts') {
    const names = byTask.slice(0, MOST_ROWS).map((task) => rowOf(task, profile).slice(0, 2));
    return [
      ...aligned([counts]),
      ...differing(profile.taskBounds),
      '',
      TOO_FINE,
      '',
      ...aligned([['task', 'count'], ...names]),
    ].join('\n');
  }
  const value = (one: number, [least, most]: readonly [number, number]): string =>
    precision === 'interval' ? `${short(least)} to ${short(most)}${of}` : short(one) + of;
  const speedUps = (kind: keyof SpeedUp): string[] => [
    `speed-up ${kind === 'expected' ? kind : kind === 'atMost' ? 'at most' : 'at least'}`,
    ...SOME_THREADS.map((threads) => profile.speedUp(threads)[kind].toFixed(1)),
  ];
  const lines = [
    ...aligned([
      ['work (T1)', value(work, profile.workBounds)],
      ['span (T-infinity)', value(span, profile.spanBounds)],
      ['parallelism', short(parallelism)],
      ...(unit === 'us' ? burdenedRows(profile) : []),
      counts,
    ]),
    ...differing(profile.taskBounds),
    '',
    ...aligned([
      ['threads', ...SOME_THREADS.map(String)],
      speedUps('atMost'),
      ...(unit === 'us' ? [speedUps('expected')] : []),
      speedUps('atLeast'),
    ]),
  ];
  if (profile.time !== undefined && profile.time.threads > 0) lines.push('', ...timeRows(profile, profile.time));
  if (byTask.length > 0) {
    const rows = byTask.slice(0, MOST_ROWS).map((task) => rowOf(task, profile));
    const inflation = byTask.some(({ inflation }) => inflation !== undefined) ? ['inflation'] : [];
    lines.push('', ...aligned([['task', 'count', `work${of}`, 'of work', 'of span', ...inflation], ...rows]));
    if (byTask.length > MOST_ROWS) lines.push(`(${byTask.length - MOST_ROWS} more)`);
  }
  if (regions.length > 0) {
    const rows = regions
      .slice(0, MOST_ROWS)
      .map(({ name, calls, work, span, parallelism }) => [name, ...[calls, work, span, parallelism].map(short)]);
    lines.push('', ...aligned([['region', 'calls', `work${of}`, `span${of}`, 'parallelism'], ...rows]));
  }
  if (stages.length > 0) {
    const rows = stages
      .slice(0, MOST_ROWS)
      .map(({ stage, items, calls, work, wait, meanQueue, mostQueue }) => [
        stage,
        ...[items, calls, work, wait, meanQueue, mostQueue].map(short),
      ]);
    const head = ['stage', 'items', 'calls', `work${of}`, 'wait us', 'queue', 'at most'];
    lines.push('', ...aligned([head, ...rows]));
  }
  if (profile.suspicions.length > 0) lines.push('', ...profile.suspicions);
  if (path.length > 0) lines.push('', `path of the span: ${pathText(path)}`);
  return lines.join('\n');
}

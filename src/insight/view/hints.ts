/** Hints of a timeline about a program, in words with the numbers behind them; in the command, and in the page that it writes. */
import { CODE, COPY, GARBAGE, LOST_STEAL, QUEUED, SLEEP, STOLEN, TASK } from '../recording/timeline-event.js';
import {
  type BusyThreads,
  busyThreadsOf,
  demandOf,
  overlap,
  type Period,
  type StateTimes,
  stateTimesOf,
} from './busy-periods.js';
import { inflationOf, warmUpOf } from './element-rates.js';
import {
  ASLEEP,
  BUSY,
  isWork,
  kindOfSlice,
  type Nesting,
  nameOfSlice,
  sliceAt,
  stateOf,
  WAITING,
  workersOf,
} from './nesting.js';
import { FORK_US, lengthsOf, type StealCost, shorterThan, stealCostOf } from './task-lengths.js';
import { waitsOf } from './waits.js';
import { bytesOf, countOf, shareOf, timeOf } from './words.js';

export interface Hint {
  /** Stable, for programs. */
  readonly id: string;
  readonly weight: 'problem' | 'note' | 'good';
  readonly title: string;
  /** Observation, in numbers. */
  readonly text: string;
  /** Advice on what to do about it. */
  readonly cure?: string;
  /** Place on the timeline. */
  readonly at?: { readonly thread: number; readonly from: number; readonly to: number };
}

/** Timeline that hints are about, with what was derived from it. */
interface Seen {
  readonly nesting: Nesting;
  readonly workers: readonly number[];
  readonly demand: readonly Period[];
  readonly demandUs: number;
  readonly times: StateTimes;
  readonly steal: StealCost;
  readonly busy: BusyThreads;
}

/** From these shares on something is said. */
const SHORT_TASKS = 0.5;
const IDLE = 0.25;
const ALONE = 0.2;
const WAITS = 0.15;
const COLLECTING = 0.1;
const COPYING = 0.2;
const WARMING_UP = 0.1;
const INFLATED = 1.5;
/** Shorter sleeps cost as much as they save (microseconds). */
const SHORT_SLEEP_US = 100;
/** A task that is shorter consists of forks to a good part (microseconds). */
const FINE_US = 10 * FORK_US;
/** Fewer say nothing. */
const LEAST = 20;
const FEW_TASKS = 8;

const backed = ({ us, steals }: StealCost): string =>
  `${timeOf(us)} (${steals === 0 ? 'as measured elsewhere; there were too few here' : `the lower quartile of ${countOf(steals, 'steal')} here`})`;

function tooFine({ nesting, steal }: Seen): Hint | undefined {
  const lengths = lengthsOf(nesting, 'stolen');
  const tasks = lengths.sortedUs.length;
  const short = shorterThan(lengths, steal.us);
  if (tasks < LEAST || short / tasks < SHORT_TASKS) return undefined;
  return {
    id: 'too-fine',
    weight: 'problem',
    title: 'Tasks are too fine',
    text: `${shareOf(short / tasks)} of the stolen tasks (${short.toLocaleString('en-US')} of ${tasks.toLocaleString('en-US')}) are shorter than a steal, which takes ${backed(steal)}.`,
    cure: 'Raise the threshold below which a task does not fork, so that a leaf takes 100 \u00b5s or more.',
  };
}

/** Known only where all tasks are on the timeline. */
function fineForks({ nesting }: Seen): Hint | undefined {
  let [all, fine] = [0, 0];
  for (let slice = 0; slice < nesting.length; slice++) {
    if (kindOfSlice(nesting, slice) !== TASK) continue;
    all++;
    if (nesting.end[slice] - nesting.start[slice] < FINE_US) fine++;
  }
  if (all < LEAST || fine / all < SHORT_TASKS) return undefined;
  return {
    id: 'fine-forks',
    weight: 'note',
    title: 'Many forks do little',
    text: `${shareOf(fine / all)} of ${countOf(all, 'task')} took less than ${timeOf(FINE_US)}, and a fork with its join takes up to ${timeOf(FORK_US)}.`,
    cure: 'Call the function in the place of a fork where little is left to do.',
  };
}

/** The longest time that one thread was busy alone, and how long there was only one. */
function longestAlone({ busy, demand }: Seen): { all: number; at: number; us: number } {
  let [all, at, longest] = [0, -1, 0];
  for (let k = 0; k + 1 < busy.from.length; k++) {
    if (busy.count[k] !== 1) continue;
    const us = overlap(demand, busy.from[k], busy.from[k + 1]);
    all += us;
    if (us > longest) [at, longest] = [k, us];
  }
  return { all, at, us: longest };
}

function aloneInLeaf(seen: Seen): Hint | undefined {
  const { nesting, workers, busy, demandUs } = seen;
  const { all, at, us } = longestAlone(seen);
  if (workers.length < 2 || at < 0 || all / demandUs < ALONE) return undefined;
  const thread = busy.alone[at];
  const [from, to] = [busy.from[at], busy.from[at + 1]];
  let slice = sliceAt(nesting, thread, (from + to) / 2);
  if (slice < 0) return undefined;
  const within = (one: number): number => Math.min(to, nesting.end[one]) - Math.max(from, nesting.start[one]);
  while (nesting.parent[slice] >= 0 && within(slice) < (to - from) / 2) slice = nesting.parent[slice]; // what was long, not a part of it
  const leafUs = nesting.end[slice] - nesting.start[slice];
  return {
    id: 'one-thread',
    weight: 'problem',
    title: 'One thread works, the others have nothing to do',
    text: `For ${timeOf(all)} of ${timeOf(demandUs)} only one of ${workers.length} threads was busy; the longest stretch is ${timeOf(us)}, in '${nameOfSlice(nesting, slice)}' on ${nesting.table.threads[thread].name}, which took ${timeOf(leafUs)}.`,
    cure: 'Fork smaller tasks there, or the long task first, so that there is something to steal.',
    at: { thread, from: nesting.start[slice], to: nesting.end[slice] },
  };
}

function tooCoarse({ nesting, workers, times }: Seen): Hint | undefined {
  if (workers.length < 2) return undefined;
  const { byState, allUs } = times;
  const idle = 1 - (byState.reduce((a, b) => a + b) - byState[ASLEEP]) / allUs; // asleep, or searching
  if (idle < IDLE) return undefined;
  let taken = 0;
  for (let slice = 0; slice < nesting.length; slice++) {
    const kind = kindOfSlice(nesting, slice);
    if (isWork(kind) && kind !== TASK) taken++;
  }
  const each = taken / workers.length;
  const what = `While invocations were under way, ${countOf(workers.length, 'thread')} had nothing to do for ${shareOf(idle)} of their time`;
  if (each < FEW_TASKS)
    return {
      id: 'too-coarse',
      weight: 'problem',
      title: 'Tasks are too coarse',
      text: `${what}: there were ${countOf(taken, 'task')} to take, ${each.toFixed(1)} for each thread.`,
      cure: 'Lower the threshold, so that there are ten tasks or more for each thread.',
    };
  return {
    id: 'idle',
    weight: 'problem',
    title: 'Threads have nothing to do',
    text: `${what}, with ${countOf(taken, 'task')} in all.`,
    cure: 'profile() says how parallel the program is, and which chain of tasks makes it long.',
  };
}

function waits({ times }: Seen): Hint | undefined {
  const share = times.byState[WAITING] / times.allUs;
  if (!(share >= WAITS)) return undefined;
  return {
    id: 'waits',
    weight: 'note',
    title: 'Joins wait',
    text: `Threads waited in joins for ${shareOf(share)} of their time, with nothing to help with.`,
    cure: 'Fork the longest part first, join in the reverse order of the forks, and cut the last parts smaller.',
  };
}

function memoryBound({ nesting, busy, workers }: Seen): Hint | undefined {
  const found = inflationOf(nesting, busy, workers);
  if (found === undefined || found.factor < INFLATED) return undefined;
  return {
    id: 'memory-bound',
    weight: 'problem',
    title: 'More threads make each of them slower',
    text: `An element of '${found.name}' took ${found.factor.toFixed(1)} times as long while ${countOf(found.threads, 'thread')} were busy as with one alone (${timeOf(found.manyUs)} and ${timeOf(found.aloneUs)}).`,
    cure: 'Threads wait for memory, write to neighbouring elements (false sharing), or are more than the processor has cores: a timeline cannot tell which. Read less, do more with what was read, or use fewer threads.',
  };
}

function firstCalls({ nesting, times }: Seen): Hint | undefined {
  let code = 0;
  for (let slice = 0; slice < nesting.length; slice++)
    if (kindOfSlice(nesting, slice) === CODE) code += nesting.end[slice] - nesting.start[slice];
  const slow = warmUpOf(nesting);
  const share = (code + slow) / (times.byState[BUSY] + code);
  if (!(share >= WARMING_UP)) return undefined;
  const told = [
    ...(code > 0 ? [`${timeOf(code)} went into loading code`] : []),
    ...(slow > 0 ? [`first calls took ${timeOf(slow)} longer than later ones`] : []),
  ];
  return {
    id: 'first-calls',
    weight: share > 0.5 ? 'problem' : 'note',
    title: 'First calls load and compile code',
    text: `${told.join(', and ')}: ${shareOf(share)} of the time in which threads were not idle.`,
    cure: 'Measure later calls, or warm up: await pool.ready(), and call once with little data.',
  };
}

/** That of tasks: not of code that is loaded, nor of threads that run none. */
function garbage({ nesting, times }: Seen): Hint | undefined {
  let us = 0;
  for (let slice = 0; slice < nesting.length; slice++) {
    const outer = nesting.parent[slice];
    if (kindOfSlice(nesting, slice) !== GARBAGE || outer < 0 || stateOf(kindOfSlice(nesting, outer)) !== BUSY) continue;
    us += nesting.end[slice] - nesting.start[slice];
  }
  const share = us / (times.byState[BUSY] + us);
  if (!(share >= COLLECTING)) return undefined;
  return {
    id: 'garbage',
    weight: 'problem',
    title: 'Garbage takes time',
    text: `${timeOf(us)} of tasks went into garbage collections, ${shareOf(share)} of the busy time.`,
    cure: 'Make fewer objects in the tasks: keep numbers in shared arrays, and use what is there again.',
  };
}

/** On threads that call, beside all others. */
function copies({ nesting, demandUs }: Seen): Hint | undefined {
  let [us, bytes] = [0, 0];
  for (let slice = 0; slice < nesting.length; slice++) {
    if (kindOfSlice(nesting, slice) !== COPY) continue;
    us += nesting.end[slice] - nesting.start[slice];
    bytes += nesting.table.about[nesting.row[slice]];
  }
  const share = us / (demandUs + us);
  if (!(share >= COPYING)) return undefined;
  return {
    id: 'copies',
    weight: 'problem',
    title: 'Copies take time',
    text: `The caller copied ${bytesOf(bytes)} into shared memory and back for ${timeOf(us)}, ${shareOf(share)} of the time of the calls.`,
    cure: 'Make the arrays by sharedArray(), and write results `into` such arrays: they are not copied.',
  };
}

function shortSleeps({ nesting }: Seen): Hint | undefined {
  let [all, short] = [0, 0];
  for (let slice = 0; slice < nesting.length; slice++) {
    if (kindOfSlice(nesting, slice) !== SLEEP) continue;
    all++;
    if (nesting.end[slice] - nesting.start[slice] < SHORT_SLEEP_US) short++;
  }
  if (all < 5 * LEAST || short / all < SHORT_TASKS) return undefined;
  return {
    id: 'short-sleeps',
    weight: 'note',
    title: 'Threads fall asleep and wake again',
    text: `${shareOf(short / all)} of ${countOf(all, 'sleep')} lasted less than ${timeOf(SHORT_SLEEP_US)}.`,
    cure: 'Hand over more work at once: one call over all the data, in the place of many small ones.',
  };
}

function lostSteals({ nesting: { table, length, row } }: Seen): Hint | undefined {
  let [lost, stolen] = [0, 0];
  for (let one = 0; one < table.length; one++) if (table.kind[one] === LOST_STEAL) lost++;
  for (let slice = 0; slice < length; slice++) if (table.kind[row[slice]] === STOLEN) stolen++;
  if (lost < 5 * LEAST || lost < stolen) return undefined;
  return {
    id: 'lost-steals',
    weight: 'note',
    title: 'Threads race for tasks',
    text: `${countOf(lost, 'steal')} came too late, and ${stolen.toLocaleString('en-US')} succeeded.`,
    cure: 'There is little to steal for so many threads: fork more, or use fewer threads.',
  };
}

function queue({ nesting: { table } }: Seen): Hint | undefined {
  let [looks, waiting, most] = [0, 0, 0];
  for (let row = 0; row < table.length; row++) {
    if (table.kind[row] !== QUEUED) continue;
    looks++;
    if (table.amount[row] > 0) waiting++;
    most = Math.max(most, table.amount[row]);
  }
  if (looks < 5 || waiting / looks < SHORT_TASKS) return undefined;
  return {
    id: 'queue',
    weight: 'note',
    title: 'Invocations wait for threads',
    text: `In ${shareOf(waiting / looks)} of ${looks} looks, invocations waited that no thread had begun, at most ${most.toLocaleString('en-US')}.`,
    cure: 'That is as it should be for work in bulk. Where answers are urgent, use priorities, a limit, or a pool of their own.',
  };
}

/** The limit or stage that something waited for in the most of the time. */
function bottleneck({ nesting: { table }, demandUs }: Seen): Hint | undefined {
  const shares = waitsOf(table).map((wait) => ({
    ...wait,
    us: wait.periods.reduce((sum, { from, to }) => sum + to - from, 0),
  }));
  const most = shares.reduce<(typeof shares)[number] | undefined>(
    (a, b) => (a === undefined || b.us > a.us ? b : a),
    undefined,
  );
  if (most === undefined || most.us / demandUs < SHORT_TASKS) return undefined;
  return {
    id: 'bottleneck',
    weight: 'note',
    title: `Much is ${most.name}`,
    text: `${countOf(most.items, 'item')} waited for it, in ${shareOf(Math.min(1, most.us / demandUs))} of the time; half of the waits took ${timeOf(most.medianUs)} or more, the longest ${timeOf(most.longestUs)}.`,
    cure: 'The others wait for the slowest: raise its limit or concurrency, or make its function cheaper.',
  };
}

/** Of several processes: what their clocks are worth. */
function clocks({ nesting: { table } }: Seen): Hint | undefined {
  if (table.processes.length < 2) return undefined;
  const own = table.processes.filter((process) => process.clocks.length === 0);
  const errorUs = table.processes.reduce(
    (most, process) => process.clocks.reduce((a, { errorUs }) => Math.max(a, errorUs), most),
    0,
  );
  const compared = `${countOf(table.processes.length - own.length, 'process', 'processes')} by comparisons with the server of the cluster, to within ${timeOf(errorUs)}`;
  const others = `${countOf(own.length, 'process', 'processes')} by the clocks of their machines as they are`;
  return {
    id: 'clocks',
    weight: 'note',
    title: `${table.processes.length} processes are on one timeline`,
    text: `Their clocks: ${[...(own.length < table.processes.length ? [compared] : []), ...(own.length > 0 ? [others] : [])].join('; ')}.`,
  };
}

const incomplete = ({ nesting: { table } }: Seen): Hint | undefined =>
  table.dropped === 0
    ? undefined
    : {
        id: 'dropped',
        weight: 'note',
        title: 'The timeline has gaps',
        text: `${countOf(table.dropped, 'event')} found no room, of ${(table.length + table.dropped).toLocaleString('en-US')}. The numbers here are of those that did.`,
      };

const ALL = [
  tooFine,
  aloneInLeaf,
  tooCoarse,
  memoryBound,
  garbage,
  copies,
  firstCalls,
  waits,
  fineForks,
  shortSleeps,
  lostSteals,
  queue,
  bottleneck,
  clocks,
  incomplete,
];

/** Problems first. One that says that all is well, if there are none. */
export function hintsOf(nesting: Nesting): Hint[] {
  const workers = workersOf(nesting);
  const demand = demandOf(nesting);
  const times = stateTimesOf(nesting, workers, demand);
  const demandUs = workers.length === 0 ? 0 : times.allUs / workers.length;
  const busy = busyThreadsOf(nesting, workers);
  const seen = { nesting, workers, demand, demandUs, times, busy, steal: stealCostOf(nesting) };
  if (workers.length === 0 || demandUs === 0)
    return [
      { id: 'empty', weight: 'note', title: 'Nothing ran', text: 'The timeline has no task that a thread has run.' },
      ...[clocks(seen), incomplete(seen)].filter((hint) => hint !== undefined),
    ];
  const hints = ALL.map((hint) => hint(seen)).filter((hint) => hint !== undefined);
  const problems = hints.filter(({ weight }) => weight === 'problem');
  if (problems.length > 0) return [...problems, ...hints.filter((hint) => !problems.includes(hint))];
  const good: Hint = {
    id: 'busy',
    weight: 'good',
    title: 'Nothing stands out',
    text: `While invocations were under way, ${countOf(workers.length, 'thread')} ${workers.length === 1 ? 'was' : 'were'} busy for ${shareOf(times.byState[BUSY] / times.allUs)} of their time.`,
  };
  return [good, ...hints];
}

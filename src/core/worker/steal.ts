/**
 * Stealing: taking the oldest public task of another thread, and running it to its end.
 *
 * Before a thief takes a record, it reads the invocation, the code and the external buffers in it. These reads race with the
 * owner's reuse of the record. They count only if `tryTake` then finds the generation unchanged.
 */

import { ASYNC } from '../code/brands.js';
import { type ResolvedCode, resolver } from '../code/resolver.js';
import { EMPTY } from '../deque/public-deque.js';
import { codesOfWord } from '../job/code-dependencies.js';
import type { ControlMemory } from '../memory/control.js';
import { externalArrived } from '../memory/external-buffers.js';
import { rootsSlot } from '../memory/layout.js';
import { isOfCoroutine, OF_RACE, originOf, raceIn } from '../memory/record-kinds.js';
import {
  complete,
  DONE,
  FAILED,
  isPublic,
  R_CODE,
  R_DEPENDENCIES,
  R_EXTERNAL,
  R_INVOCATION,
  recordOf,
  tryTake,
} from '../memory/records.js';
import type { Strand } from '../observe/observer.js';
import { probeStep } from '../probe.js';
import { isAsync } from '../task/async-task.js';
import { decode, encodeOutcome } from '../task/codec.js';
import { type ForkJoinTask, runTask } from '../task/fork-join-task.js';
import { hasStackRoom } from '../task/stack-end.js';
import { bytesOfRecord } from '../task/values.js';
import { attach, attached, detach } from './activation.js';
import { hooks } from './extension.js';
import { observerOf, putAccount } from './observe.js';
import { cancellation, cancellationError, endRace, requestSteal } from './requests.js';
import { hasResidents, leavesResidents, lend } from './residents.js';
import { feedSleepers } from './sleep.js';
import { nobodyWaits, tellCoroutine, tellOwner, wakeForker } from './tell.js';
import { thread, type WorkerSlot } from './worker-slot.js';

/** Nothing to take there. */
export const NOTHING = -1;

/** Code or buffers that a thread must fetch before it can take the task that it saw: code, by its id, or external buffers up to a number. */
export type Missing = { readonly code: number; readonly invocation: number } | { readonly external: number };

/** The tasks that a thread takes at some place of the library; each is named by the first word of its record. */
export interface Filter {
  /** Returns true if a task is to be taken there. Its code may not be here. */
  concerns(own: WorkerSlot, record: number): boolean;
  /** Returns true if this thread may run it, which has all that the task needs. */
  suits(own: WorkerSlot, record: number): boolean;
  /** True if it runs on top of other tasks. Then the stack must have room for it. */
  readonly nests: boolean;
}

const always = (): boolean => true;

/** A worker takes calls that were addressed to it. */
export const forAddressed: Filter = { concerns: always, suits: always, nests: false };

/** An idle worker takes any task, unless another thread should begin it. */
export const forIdle: Filter = {
  concerns: always,
  suits: (own, record) => !hooks.leaves(own, record) && !isForSpare(own, record),
  nests: false,
};

/** Returns true if a spare should take a task for this thread, whose residents could not go on if the task blocked. */
const isForSpare = (own: WorkerSlot, record: number): boolean =>
  hasResidents() && mayBlock(own.words, record) && lend(own);

/** A join takes tasks of its own invocation and race. */
export const forJoin: Filter = {
  concerns: ({ words }, record) =>
    words[record + R_INVOCATION] === thread.invocation && // plain: see header
    raceIn(words, record) === thread.race,
  suits: always,
  nests: true,
};

/** A thread with tasks on its stack takes a root that it can run to its end: coroutines go on only when the stack is empty. */
export const forGivingWay: Filter = {
  concerns: always,
  suits: ({ words }, record) => !isOfAsync(words, record) && !hasResidents(),
  nests: true,
};

/** Returns true if the task of a record may block its thread, whose code is here. */
const mayBlock = (words: Int32Array, record: number): boolean =>
  !isOfAsync(words, record) && !leavesResidents((resolver().tryResolve(words[record + R_CODE]) as ResolvedCode).value);

/** Checks whether the task of a record is asynchronous, whose code is here. */
export function isOfAsync(words: Int32Array, record: number): boolean {
  const { kind, value } = resolver().tryResolve(words[record + R_CODE]) as ResolvedCode;
  return kind === 'async function' || (kind === 'class' && ASYNC in (value as { prototype: object }).prototype);
}

/**
 * Takes the oldest task of a deque, for a thread that can fetch what it lacks.
 *
 * @returns the first word of the task's record, which this thread now has to complete; `NOTHING`; or what this thread must fetch first
 */
export function stealOrFetch(own: WorkerSlot, victim: number, filter: Filter): number | Missing {
  const { words, memory } = own;
  const thief = own.victims[victim];
  for (;;) {
    const entry = thief.peek();
    if (entry === EMPTY) return NOTHING;
    const record = recordOf(memory.layout, thief.slot, entry);
    if (!isPublic(words, record, entry)) {
      thief.tryTake(); // stale: its forker took it back
      continue;
    }
    const obstacle = obstacleTo(own, record, filter);
    if (obstacle !== undefined) return obstacle;
    if (filter.nests && !hasStackRoom()) return NOTHING;
    if (thief.tryTake()) {
      probeStep('steal: entry taken');
      if (tryTake(words, record, entry, own.slot)) {
        probeStep('steal: record taken');
        if (thief.slot !== rootsSlot(memory.layout)) requestSteal(own, thief.slot); // ahead of need: it may be long before the victim looks
        return record;
      }
    }
    own.note('failedSteals', 1, thief.slot);
  }
}

/** Takes the oldest task of a deque, for a thread that can fetch nothing now: it passes by a task for which it lacks something. */
export function trySteal(own: WorkerSlot, victim: number, filter: Filter): number {
  const found = stealOrFetch(own, victim, filter);
  return typeof found === 'number' ? found : NOTHING;
}

/** The obstacle between this thread and a task: `NOTHING` if the task is not for it, or what it lacks; undefined if it may take the task. */
function obstacleTo(own: WorkerSlot, record: number, filter: Filter): Missing | typeof NOTHING | undefined {
  if (!filter.concerns(own, record)) return NOTHING;
  return missingFor(own.words, record) ?? (filter.suits(own, record) ? undefined : NOTHING);
}

/** The first thing that this thread lacks for a task. */
function missingFor(words: Int32Array, record: number): Missing | undefined {
  const codes = resolver();
  const code = words[record + R_CODE];
  const invocation = words[record + R_INVOCATION];
  if (codes.lacks(code, invocation)) return { code, invocation };
  const dependencies = words[record + R_DEPENDENCIES];
  const other = dependencies === 0 ? undefined : codesOfWord(dependencies).find((id) => codes.lacks(id, invocation));
  if (other !== undefined) return { code: other, invocation };
  const external = words[record + R_EXTERNAL];
  return externalArrived(external) ? undefined : { external };
}

/**
 * Checks whether a deque could have a task for this thread.
 *
 * @param filter as for `trySteal`; without it, any task will do
 */
export function hasWork(own: WorkerSlot, victim: number, filter?: Filter): boolean {
  const thief = own.victims[victim];
  const entry = thief.peek();
  if (entry === EMPTY || filter === undefined) return entry !== EMPTY;
  const record = recordOf(own.memory.layout, thief.slot, entry);
  return !isPublic(own.words, record, entry) || obstacleTo(own, record, filter) === undefined; // stale: somebody has to remove it
}

/** Runs this thread's own copy of a taken task, completes its record, and wakes its forker if the forker sleeps. */
export function runStolen(own: WorkerSlot, record: number): void {
  const { words, memory } = own;
  const outer = attached();
  const invocation = words[record + R_INVOCATION];
  own.note(isOfRoots(memory, record) ? 'roots' : 'stolen', 1, record);
  const observer = observerOf(own);
  probeStep('run: named');
  let task: ForkJoinTask<unknown> | null = null;
  let strand: Strand | undefined;
  let failed = false;
  let value: unknown;
  if (own.checked) thread.running = { below: outer.running };
  try {
    enterInvocation(own, invocation, words[record + R_DEPENDENCIES], raceOf(memory, record));
    task = decode(memory, record, resolver().resolve(words[record + R_CODE]));
    if (isAsync(task)) {
      detach(outer);
      hooks.begin(own, record, task);
      return;
    }
    strand = observer?.apart(task, record);
    value = runTask(task);
  } catch (error) {
    failed = true;
    value = error;
  }
  strand?.leave();
  const tell = completeTask(own, record, task, failed, value, strand);
  probeStep('complete: done');
  detach(outer);
  tell(memory, record);
}

/**
 * Enters an invocation, to run one of its tasks.
 *
 * @param dependencies of the task, beside those of the frames below it
 * @param race that the task belongs to
 * @throws CancellationError once the invocation is cancelled, or the race is over
 */
export function enterInvocation(own: WorkerSlot, invocation: number, dependencies: number, race: number): void {
  attach(own, invocation, dependencies, race); // S5: before the look for sleepers
  feedSleepers(own);
  const reason = cancellation(own);
  if (reason !== 0) throw cancellationError(reason);
}

/** Writes the outcome of a task that this thread has taken into its record; returns what tells the thread that waits for it. */
export function completeTask(
  own: WorkerSlot,
  record: number,
  task: ForkJoinTask<unknown> | null,
  failed: boolean,
  value: unknown,
  strand?: Strand,
): (memory: ControlMemory, record: number) => void {
  const { words, memory } = own;
  const origin = originOf(words, record);
  probeStep('run: body returned');
  const normal = encodeOutcome(memory, record, task, failed, value);
  own.counters.count('encodedBytes', bytesOfRecord(memory, record));
  putAccount(memory, record, strand?.account());
  if (origin === OF_RACE && normal) endRace(own, raceIn(words, record)); // before: the race lives until its tasks are completed
  probeStep('complete: encoded');
  const forkerSleeps = complete(words, record, normal ? DONE : FAILED);
  if (isOfRoots(memory, record)) return tellOwner;
  return isOfCoroutine(origin) ? tellCoroutine : forkerSleeps ? wakeForker : nobodyWaits;
}

/** The race that the task of a record belongs to. */
export const raceOf = (memory: ControlMemory, record: number): number =>
  isOfRoots(memory, record) ? 0 : raceIn(memory.words, record);

const isOfRoots = (memory: ControlMemory, record: number): boolean =>
  memory.slotOf(record) === rootsSlot(memory.layout);

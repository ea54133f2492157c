/** Starts spares, and takes notice of their end, on the thread that owns the pool; a spare leaves by itself. */
import { isError } from '../../core/code/object-kind.js';
import { compareExchange, load, store } from '../../core/memory/atomics.js';
import {
  C_BLOCKED,
  C_LACKS_SPARES,
  C_PHASE,
  C_SPARES,
  PHASE_RUN,
  REQUEST_PUBLISH,
  slotWord,
  spareNumber,
  spareSlot,
  W_EXITED,
  W_INVOCATION,
  W_ONLINE,
  W_REQUESTS,
} from '../../core/memory/layout.js';
import { host } from '../../core/platform/host.js';
import { probeStep } from '../../core/probe.js';
import type { SpareHome } from '../../core/worker/extension.js';
import { wakeSlot } from '../../core/worker/sleep.js';
import { NO_INVOCATION, type WorkerSlot } from '../../core/worker/worker-slot.js';

const isRunning = ({ memory }: SpareHome): boolean => load(memory.words, C_PHASE) === PHASE_RUN;

/** Prepares the header of a slot, which may have had a thread before. */
function prepare({ memory, settings }: SpareHome, slot: number): void {
  const { words, layout } = memory;
  const header = slotWord(layout, slot);
  store(words, header + W_INVOCATION, NO_INVOCATION);
  store(words, header + W_REQUESTS, settings.checked ? REQUEST_PUBLISH : 0);
  store(words, header + W_ONLINE, 0);
  store(words, header + W_EXITED, 0);
}

export function start(home: SpareHome, count: number): void {
  const { words, layout } = home.memory;
  for (let number = load(words, C_SPARES) + 1; number <= Math.min(count, layout.maxSpares); number++) {
    const slot = spareSlot(layout, number);
    // A spare that leaves still has its slot. When it is gone, `gone` comes here.
    if (home.lacksSpares || !isRunning(home) || home.threadOf(slot) !== undefined) return;
    prepare(home, slot);
    if (compareExchange(words, C_SPARES, number - 1, number) !== number - 1) return; // S11: the spare below has just left
    try {
      home.startMember(slot);
    } catch (error) {
      lack(home, error);
    }
  }
}

/** A spare could not start: the pool goes on without more of them. */
function lack(home: SpareHome, error: unknown): void {
  const { words, layout } = home.memory;
  if (!home.lacksSpares && isRunning(home)) {
    const why = isError(error) ? `: ${error.message}` : '.';
    host().warn(
      `furcate: pool '${home.settings.name}' could not start a spare thread for a blocking section, and goes on without${why}`,
    );
  }
  home.lacksSpares = true;
  store(words, C_LACKS_SPARES, 1); // S12: before those that lend their places are woken
  for (let slot = 1; slot < home.memory.slots; slot++) wakeSlot(home.memory, slot);
  for (
    let number = load(words, C_SPARES);
    number > 0 && home.threadOf(spareSlot(layout, number)) === undefined;
    number--
  )
    compareExchange(words, C_SPARES, number, number - 1);
}

/** See `Hooks.leave`. S11: only the highest spare leaves. It wakes the one below, whose time may be over, too. */
export function leave({ words, memory, slot }: WorkerSlot): boolean {
  const number = spareNumber(memory.layout, slot);
  if (compareExchange(words, C_SPARES, number, number - 1) !== number) return false;
  probeStep('spare: has left');
  wakeSlot(memory, slot - 1);
  return true;
}

export function gone(home: SpareHome, couldStart: boolean, error: unknown): void {
  if (!couldStart) lack(home, error);
  start(home, load(home.memory.words, C_BLOCKED)); // S11: a thread may have been blocked meanwhile
}

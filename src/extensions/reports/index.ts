/**
 * The part `reports`: what tasks report, on its way to the thread that invoked them, and what an invocation carries, on its way to its tasks
 * (carry.ts). README.md of core/worker has the protocol of reports (N1).
 *
 * Reports are blocks on the shared heap, in a list whose head is a word of the root's record. So they survive the death of the worker that
 * made them, and a task that never returns to its event loop can report, too.
 */

import { compareExchange, exchange, load } from '../../core/memory/atomics.js';
import type { ControlMemory } from '../../core/memory/control.js';
import { type Pins, pinTo } from '../../core/memory/pins.js';
import { NOBODY_LISTENS, reportsOf } from '../../core/memory/record-kinds.js';
import { host } from '../../core/platform/host.js';
import { probeStep } from '../../core/probe.js';
import { install, type Listener } from '../../core/worker/extension.js';
import { tellOwner } from '../../core/worker/tell.js';
import { link, newBlockOf, nextOf, openBlock } from './block.js';
import { carried, carriedHere, carry, carryHere } from './carry.js';
import { listenHere, reportHere } from './here.js';

/** The longest time for which reports are handed over before the event loop gets a turn (milliseconds). */
const DELIVERY_MS = 8;

/**
 * Time at which to stop handing over reports in this turn of the event loop, by `performance.now()`; 0 if none was handed
 * over.
 */
let untilMs = 0;
/** Called in the next turn. */
const again = new Set<() => void>();

function isTurnDue(): boolean {
  const nowMs = performance.now();
  if (untilMs === 0) {
    untilMs = nowMs + DELIVERY_MS;
    host().backgroundTimer(0, () => {
      untilMs = 0;
      for (const look of [...again]) {
        again.delete(look);
        look();
      }
    });
  }
  return nowMs > untilMs;
}

class ReportListener implements Listener {
  readonly #memory: ControlMemory;
  readonly #onReport: (value: unknown) => void;
  readonly #pins: Pins;
  readonly #again: () => void;
  /** Blocks that were taken, the oldest last. */
  #taken: number[] = [];

  constructor(memory: ControlMemory, onReport: (value: unknown) => void, pins: Pins, look: () => void) {
    this.#memory = memory;
    this.#onReport = onReport;
    this.#pins = pins;
    this.#again = look;
  }

  deliver(record: number, isLast: boolean): boolean {
    const list = reportsOf(record);
    if (load(this.#memory.words, list) > 0) this.#take(list, 0);
    while (this.#taken.length > 0) {
      if (!isLast && isTurnDue()) {
        again.add(this.#again);
        return false;
      }
      const block = this.#taken.pop() as number;
      try {
        const onReport = this.#onReport;
        onReport(this.#open(block));
      } catch (error) {
        this.#take(list, NOBODY_LISTENS);
        for (const rest of this.#taken.splice(0)) this.#memory.free(rest * 16);
        throw error;
      }
    }
    return true;
  }

  /** Takes the list, and leaves `head` in its place. */
  #take(list: number, head: number): void {
    const newer: number[] = [];
    let block = exchange(this.#memory.words, list, head); // N1: pairs with `send`
    for (; block > 0; block = nextOf(block)) newer.push(block);
    this.#taken = newer.concat(this.#taken);
  }

  #open(block: number): unknown {
    const outer = pinTo(this.#pins);
    try {
      return openBlock(block);
    } finally {
      pinTo(outer);
      this.#memory.free(block * 16);
    }
  }
}

install({
  report(memory, list, value) {
    const { words } = memory;
    const { block } = newBlockOf(memory, value);
    probeStep('report: encoded');
    let next: number;
    do {
      next = load(words, list);
      if (next === NOBODY_LISTENS) {
        memory.free(block * 16); // its `onReport` has thrown meanwhile
        return;
      }
      link(block, next);
    } while (compareExchange(words, list, next, block) !== next); // N1: before the owner is told
    probeStep('report: linked');
    if (next === 0) tellOwner(memory); // else the thread that found the list empty tells it
  },
  listen: (memory, onReport, pins, look) => new ReportListener(memory, onReport, pins, look),
  listenHere,
  reportHere,
  carry,
  carried,
  carryHere,
  carriedHere,
});
